import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { daysToMs, hoursToMs, later, minutesToMs } from '../../src/core/clock.ts';
import { languages } from '../../src/core/language.ts';
import { signInDemands } from '../../src/core/sign-in-demand.ts';
import { mailLimits } from '../../src/core/limits.ts';
import { mailOtherUnready } from '../../src/modules/company-sign-in/mails.ts';
import { demandSignIn } from '../../src/modules/company-sign-in/service.ts';
import { queueMails } from '../../src/modules/mail/service.ts';
import { jobs } from '../../src/platform/jobs.ts';
import { setMailsToday } from '../support/budgets.ts';
import { useCompanies, type Company } from '../support/company.ts';
import { aPerson } from '../support/people.ts';

const { service, aCompany } = await useCompanies();

const demands = signInDemands.filter((demand) => demand !== 'none');
type Demand = (typeof demands)[number];

beforeEach(() => {
  service.clock.stop();
});

const forward = (milliseconds: number): void => {
  service.clock.forward(milliseconds);
  onTestFinished(() => service.clock.set(new Date()));
};

const set = async ({ team }: Company, demand: Demand | 'none', inDays?: 7 | 14): Promise<void> => {
  forward(1);
  const from = inDays && later(service.clock.now(), daysToMs(inDays));
  await demandSignIn(await team.acting(), { demand, ...(from && { from }) }, 'operator');
};

/** Calls a plan off, or ends a demand that holds. */
const callOff = (company: Company): Promise<void> => set(company, 'none');

/** The texts of the mails to somebody about demands, or that these are called off, oldest first. */
const mailsTo = async (email: string, about: '_demanded' | '_called_off' = '_demanded'): Promise<string[]> =>
  (await service.mailsTo(email))
    .filter(({ kind }) => kind.endsWith(about))
    .map(({ body }) => body.text)
    .toReversed();

const jobsOf = ({ team: { id } }: Company) =>
  service.database.ofTeam(id)(
    async () => service.database.prisma.$queryRaw<{ payload: unknown }[]>`
      select payload from graphile_worker._private_jobs where key = ${`mail_unready_members ${id}`}`,
  );

/** Runs the job that sends the other mails, as a worker does. */
const runJob = async (company: Company): Promise<void> => {
  const [job] = await jobsOf(company);
  await service.database.ofTeam(company.team.id)(() =>
    jobs.remove(service.database, `mail_unready_members ${company.team.id}`),
  );
  await mailOtherUnready(service.platform, job?.payload);
};

const dayIn = (days: number): string =>
  later(service.clock.now(), daysToMs(days)).toLocaleDateString('de', { dateStyle: 'long', timeZone: 'Europe/Berlin' });

describe.each(demands)('a member who is not ready for the demand “%s”', (demand) => {
  const another = demand === 'company' ? 'second_factor' : 'company';

  it('gets one mail, however often it is planned and called off, or set and ended, within a day', async () => {
    const company = await aCompany();
    const [one, other] = [await aPerson(company.team), await aPerson(company.team)];
    for (let time = 0; time < 12; time += 1) {
      await set(company, demand, time % 2 === 0 ? 7 : 14);
      await callOff(company);
      await set(company, demand);
      await callOff(company);
    }
    for (const { email } of [one, other]) expect(await mailsTo(email)).toHaveLength(1);
  });

  it('gets a mail about another demand on the same day, once as well', async () => {
    const company = await aCompany();
    const { email } = await aPerson(company.team);
    for (let time = 0; time < 3; time += 1) {
      await set(company, demand, 7);
      await set(company, another, 7);
    }
    expect(await mailsTo(email)).toHaveLength(2);
  });

  it.each([
    ['the next day, and not before', daysToMs(1)],
    ['some days later, if the worker did not run', daysToMs(3)],
  ])('who was told of another date learns of the new one %s, once', async (_, passed) => {
    const company = await aCompany();
    const { email } = await aPerson(company.team);
    const first = dayIn(7);
    await set(company, demand, 7);
    forward(minutesToMs(30));
    await callOff(company);
    await set(company, demand, 14);
    const changed = dayIn(14);
    forward(daysToMs(1) - minutesToMs(30) - 3);
    await runJob(company);
    expect(await mailsTo(email)).toEqual([expect.stringContaining(first)]);
    forward(passed - daysToMs(1) + 1);
    await runJob(company);
    expect(await mailsTo(email)).toEqual([expect.stringContaining(first), expect.stringContaining(changed)]);
    expect(await jobsOf(company)).toEqual([]);
  });

  it('learns the next day that it holds at once, if a date was planned before', async () => {
    const company = await aCompany();
    const { email } = await aPerson(company.team);
    await set(company, demand, 7);
    await set(company, demand);
    expect(await mailsTo(email)).toHaveLength(1);
    forward(daysToMs(1));
    await runJob(company);
    expect(await mailsTo(email)).toEqual([expect.stringContaining('Ab dem'), expect.stringContaining('Ab sofort')]);
  });

  it('gets no more mail if the plan is called off, or another demand is planned, by the next day', async () => {
    const [called, changed] = [await aCompany(), await aCompany()];
    const [one, other] = [await aPerson(called.team), await aPerson(changed.team)];
    for (const company of [called, changed]) {
      await set(company, demand, 7);
      await set(company, demand, 14);
    }
    await callOff(called);
    await set(changed, another, 14);
    forward(daysToMs(1));
    expect(await jobsOf(called)).toEqual([]);
    expect(await jobsOf(changed)).toEqual([]);
    expect(await mailsTo(one.email)).toHaveLength(1);
    expect(await mailsTo(other.email)).toHaveLength(2);
  });

  it('gets a mail at once if the last one about it is a day old', async () => {
    const company = await aCompany();
    const { email } = await aPerson(company.team);
    await set(company, demand, 7);
    await callOff(company);
    forward(daysToMs(1) - 3);
    await set(company, demand, 7);
    expect(await mailsTo(email)).toHaveLength(1);
    await callOff(company);
    await set(company, demand, 7);
    expect(await mailsTo(email)).toHaveLength(2);
    expect(await jobsOf(company)).toEqual([]);
  });

  it('who became a member after the last change gets their first mail while others wait, and those wait no longer', async () => {
    const company = await aCompany();
    const former = await aPerson(company.team);
    await set(company, demand, 7);
    forward(minutesToMs(30));
    const joined = await aPerson(company.team);
    await set(company, demand, 14);
    expect(await mailsTo(joined.email)).toEqual([expect.stringContaining(dayIn(14))]);
    forward(daysToMs(1) - minutesToMs(30));
    await runJob(company);
    expect(await mailsTo(former.email)).toHaveLength(2);
    expect(await mailsTo(joined.email)).toHaveLength(1);
    expect(await jobsOf(company)).toEqual([]);
  });

  it('whose mail is beyond the limit of mails gets it when that is over', async () => {
    const company = await aCompany();
    const { team } = company;
    const { email } = await aPerson(team);
    await setMailsToday(service, `notices of ${team.id}`, mailLimits.noticesPerTeam);
    await set(company, demand, 7);
    expect(await mailsTo(email)).toEqual([]);
    forward(daysToMs(1));
    await runJob(company);
    expect(await mailsTo(email)).toHaveLength(1);
    expect(await jobsOf(company)).toEqual([]);
  });

  it('whose own limit of mails is reached gets it when that is over, and the others get theirs at once', async () => {
    const company = await aCompany();
    const { team } = company;
    const [full, other] = [await aPerson(team), await aPerson(team)];
    const mail = { language: 'de', kind: 'team_received', content: { subject: 'x', text: 'x', html: '' } } as const;
    const many = Array.from({ length: mailLimits.perRecipient.notice }, () => ({ ...mail, recipient: full.email }));
    await service.database.transaction((tx) => queueMails(tx, { platform: service.platform, id: team.id }, many));
    await set(company, demand, 7);
    expect(await mailsTo(full.email)).toEqual([]);
    expect(await mailsTo(other.email)).toHaveLength(1);
    forward(daysToMs(1));
    await runJob(company);
    expect(await mailsTo(full.email)).toHaveLength(1);
    expect(await mailsTo(other.email)).toHaveLength(1);
    expect(await jobsOf(company)).toEqual([]);
  });

  it('learns at once that a plan is called off if they were told of it, but not if they were not, and not of the end of one that held', async () => {
    const [told, untold, held] = [await aCompany(), await aCompany(), await aCompany()];
    const [one, two, three] = [await aPerson(told.team), await aPerson(untold.team), await aPerson(held.team)];
    await setMailsToday(service, `notices of ${untold.team.id}`, mailLimits.noticesPerTeam);
    for (const company of [told, untold]) await set(company, demand, 7);
    await set(held, demand);
    for (const company of [told, untold, held]) await callOff(company);
    expect(await mailsTo(one.email, '_called_off')).toEqual([
      expect.stringMatching(/^Das Team .+ hat die angekündigte Änderung der Anmeldung aufgehoben\. /),
    ]);
    expect(await mailsTo(two.email, '_called_off')).toEqual([]);
    expect(await mailsTo(three.email, '_called_off')).toEqual([]);
    for (const company of [told, untold, held]) expect(await jobsOf(company)).toEqual([]);
    // It is planned and called off again before they hear of that, so there is nothing to take back.
    await set(told, demand, 7);
    await callOff(told);
    expect(await jobsOf(told)).toEqual([]);
  });

  it('is told at most once a day that a plan is called off, and not if it is planned again by then', async () => {
    const company = await aCompany();
    const { email } = await aPerson(company.team);
    await set(company, demand, 7);
    forward(hoursToMs(23));
    await callOff(company);
    await set(company, demand, 14);
    forward(hoursToMs(1));
    await runJob(company);
    expect(await mailsTo(email)).toHaveLength(2);
    await callOff(company);
    expect(await mailsTo(email, '_called_off')).toHaveLength(1);
    const [waiting] = await jobsOf(company);
    forward(hoursToMs(23));
    await runJob(company);
    expect(await mailsTo(email, '_called_off')).toHaveLength(2);
    expect(await jobsOf(company)).toEqual([]);
    // The job of the former call-off, when the demand holds again.
    await set(company, demand, 7);
    await mailOtherUnready(service.platform, waiting?.payload);
    expect(await mailsTo(email, '_called_off')).toHaveLength(2);
  });

  it('gets no more mail once the team has ended', async () => {
    const company = await aCompany();
    const { email } = await aPerson(company.team);
    await set(company, demand, 7);
    await set(company, demand, 14);
    await company.team.change({ status: 'ended' });
    forward(daysToMs(1));
    await runJob(company);
    expect(await mailsTo(email)).toHaveLength(1);
    expect(await jobsOf(company)).toEqual([]);
  });
});

const texts = {
  second_factor: {
    de: {
      later: [/^Ab dem .+ verlangt das Team /, /\n\nDanach können Sie das Team erst öffnen, wenn /],
      now: [/^Ab sofort verlangt das Team /, /\n\nSie können das Team erst wieder öffnen, wenn /],
      link: /\n\nJetzt einrichten:\nhttp:\/\/localhost:3000\/account\?team=TEAM\n/,
    },
    en: {
      later: [/^From .+ on, the team .+ requires a second factor /, /\n\nAfter that, you can open the team only once /],
      now: [/^From now on, the team .+ requires a second factor /, /\n\nYou can open the team again once /],
      link: /\n\nSet it up now:\nhttp:\/\/localhost:3000\/account\?team=TEAM\n/,
    },
  },
  company: {
    de: {
      later: [/^Ab dem .+ öffnet sich das Team /, /\n\nWenn die Anmeldung nicht gelingt, /],
      now: [/^Ab sofort öffnet sich das Team /, /\n\nWenn die Anmeldung nicht gelingt, /],
      link: /\n\nMit dem Firmenkonto anmelden:\nhttp:\/\/localhost:3000\/sign-in\/company\n/,
    },
    en: {
      later: [/^From .+ on, the team .+ opens only with your company account\. /, /\n\nIf signing in does not work, /],
      now: [/^From now on, the team .+ opens only with your company account\. /, /\n\nIf signing in does not work, /],
      link: /\n\nSign in with your company account:\nhttp:\/\/localhost:3000\/sign-in\/company\n/,
    },
  },
} as const;

describe.each(demands.flatMap((demand) => languages.map((language) => [demand, language] as const)))(
  'the mail about the demand “%s” in “%s”',
  (demand, language) => {
    it.each(['later', 'now'] as const)('says from when on it holds (%s), and leads where to go', async (when) => {
      const company = await aCompany();
      const { email } = await aPerson(company.team);
      await service.database.prisma.person.update({ where: { email }, data: { language } });
      await set(company, demand, when === 'later' ? 7 : undefined);
      const [text = ''] = await mailsTo(email);
      const { link, ...said } = texts[demand][language];
      for (const pattern of said[when]) expect(text).toMatch(pattern);
      expect(text.replace(company.team.id, 'TEAM')).toMatch(link);
      const day = later(service.clock.now(), daysToMs(7)).toLocaleDateString(language === 'de' ? 'de' : 'en-US', {
        month: 'long',
        timeZone: 'Europe/Berlin',
      });
      expect(text.includes(day)).toBe(when === 'later');
    });
  },
);
