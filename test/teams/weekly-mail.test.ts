import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { daysToMs, hoursToMs, later, utcDay } from '../../src/core/clock.ts';
import { mailLimits } from '../../src/core/limits.ts';
import { mondayAt, sendWeeklyMails } from '../../src/modules/overview/weekly-mail.ts';
import { aColleague, inTheApp, type Somebody } from '../support/app-caller.ts';
import { setMailsToday } from '../support/budgets.ts';
import { aPerson, makeBrowser } from '../support/people.ts';
import { anAssignment, aScoredTraining } from '../support/practice.ts';
import { startTestService, testSecret, useTestService } from '../support/service.ts';
import { aTeam, type TestTeam } from '../support/team.ts';

const service = await useTestService({ own: true });
const { prisma } = service.database;

/** A Monday, 8 o'clock in Berlin. */
const monday = new Date('2027-02-01T07:00:00Z');

beforeEach(() => {
  service.clock.set(monday);
  service.clock.stop();
  onTestFinished(() => service.clock.set(new Date()));
});

const throwing = (error: unknown): never => {
  throw error;
};
const send = (): Promise<void> => sendWeeklyMails(service.platform, throwing);

const mailsTo = async (email: string) =>
  (await service.mailsTo(email)).filter(({ kind }) => kind === 'weekly_summary').toReversed();

const choose = async (team: TestTeam, wanted: boolean, who?: Somebody) =>
  (await inTheApp(team, who)).overview.setWeeklyMail({ wanted });

const threeWeeksAgo = async <T>(action: () => Promise<T>): Promise<T> => {
  service.clock.forward(-daysToMs(21));
  const result = await action();
  service.clock.forward(daysToMs(21));
  return result;
};

/** A team that is three weeks old, in which nobody has practised and an assignment is overdue. */
const aBusyTeam = async (wanted: Parameters<typeof aTeam>[1] = {}): Promise<TestTeam> => {
  const team = await threeWeeksAgo(() => aTeam(service, { members: 2, ...wanted }));
  const [member] = team.members;
  await anAssignment(service, team, { memberId: member?.id ?? '', dueDate: new Date('2027-01-20') });
  return team;
};

describe('the weekly mail', () => {
  it('comes each Monday to the owner and to admins who want it, once, though two workers look often', async () => {
    const team = await aBusyTeam();
    const [admin, other, former] = [
      await aColleague(team, 'admin'),
      await aColleague(team, 'admin'),
      await aColleague(team, 'admin'),
    ];
    for (const one of [undefined, admin, former]) await choose(team, true, one);
    expect(await (await inTheApp(team, admin)).overview.weeklyMail({})).toEqual({ wanted: true });
    expect(await (await inTheApp(team, other)).overview.weeklyMail({})).toEqual({ wanted: false });
    await team.client.patch(`/users/${former.memberId}`, { role: 'member' });
    const emailOf = async ({ memberId }: Somebody) =>
      (await prisma.member.findFirstOrThrow({ where: { tenantId: team.id, id: memberId } })).email;
    const sent: string[] = [];
    for (const hours of [-24, -2, -1, 0, 12, 24, 166, 167, 168]) {
      service.clock.set(later(monday, hoursToMs(hours)));
      const before = (await mailsTo(team.owner.email)).length;
      await Promise.all([send(), send()]);
      const after = (await mailsTo(team.owner.email)).length;
      for (let one = before; one < after; one += 1) sent.push(service.clock.now().toISOString().slice(0, 13));
    }
    expect(sent).toEqual(['2027-02-01T06', '2027-02-08T06']);
    expect(await mailsTo(await emailOf(admin))).toHaveLength(2);
    for (const one of [other, former]) expect(await mailsTo(await emailOf(one))).toEqual([]);
  });

  it('says who has overdue assignments, who has not practised and who has, with their pages, in the language of the reader', async () => {
    const team = await threeWeeksAgo(() => aTeam(service, { name: 'Nord' }));
    const mia = await threeWeeksAgo(() => aPerson(team, { name: 'Mia Berg' }));
    const jo = await threeWeeksAgo(() => aPerson(team, { name: 'Jo Lenz' }));
    for (const due of ['2027-01-20', '2027-01-31']) {
      await anAssignment(service, team, { memberId: mia.memberId, dueDate: new Date(due) });
    }
    await anAssignment(service, team, { memberId: jo.memberId, dueDate: new Date('2027-02-01') });
    // Of the last week, before it and after it (UTC).
    for (const createdAt of [
      '2027-01-25T00:00:00Z',
      '2027-01-31T23:59:59Z',
      '2027-01-24T23:59:59Z',
      '2027-02-01T00:00:00Z',
    ]) {
      await aScoredTraining(service, team, { userId: jo.userId ?? '', createdAt: new Date(createdAt) });
    }
    await choose(team, true);
    await send();
    const [german, ...more] = await mailsTo(team.owner.email);
    expect(more).toEqual([]);
    const linkTo = (path: string) => `http://localhost:3000${path}team=${team.id}`;
    expect(german?.body.subject).toBe('Die Woche Ihres Teams');
    expect(german?.body.text).toContain(
      [
        'So steht es um das Team „Nord“ am 1. Februar 2027.',
        '',
        'Überfällig: 2 Aufgaben',
        '- Mia Berg: 2',
        `  ${linkTo(`/members/${mia.memberId}?`)}`,
        '- Alle überfälligen Aufgaben',
        `  ${linkTo('/assignments?overdue=true&')}`,
        '',
        'Seit 14 Tagen nicht geübt: 2 Personen',
      ].join('\n'),
    );
    expect(german?.body.text).toContain(
      ['Letzte Woche: 2 Trainings von 1 Person', '- Jo Lenz: 2', `  ${linkTo(`/members/${jo.memberId}?`)}`].join('\n'),
    );
    expect(german?.body.text).toContain(`Übersicht öffnen:\n${linkTo('/?')}\n`);
    expect(german?.body.html).toContain(`<a href="${linkTo(`/members/${mia.memberId}?`)}">Mia Berg: 2</a>`);

    await prisma.person.update({ where: { email: team.owner.email }, data: { language: 'en' } });
    service.clock.forward(daysToMs(7));
    await send();
    const [, english] = await mailsTo(team.owner.email);
    expect(english?.language).toBe('en');
    expect(english?.body.subject).toBe('Your team’s week');
    expect(english?.body.text).toMatch(
      /^This is how the team “Nord” is doing on 8 February 2027\.\n\nOverdue: 3 assignments\n/,
    );
    expect(english?.body.text).toContain('\nLast week: 1 training by 1 person\n');
  });

  it('names as overdue and inactive the same people as the pages to which the overview leads', async () => {
    const team = await aBusyTeam();
    await choose(team, true);
    await send();
    const app = await inTheApp(team);
    const { assignments } = await app.overview.show({});
    const inactive = await app.members.count({ inactive: true });
    const [mail] = await mailsTo(team.owner.email);
    expect(mail?.body.text).toContain(`Überfällig: ${assignments.overdue} Aufgabe\n`);
    expect(mail?.body.text).toContain(`Seit 14 Tagen nicht geübt: ${inactive.count} Personen\n`);
    for (const { id } of (await app.members.list({ inactive: true })).data) {
      expect(mail?.body.text).toContain(`/members/${id}?`);
    }
  });

  it('names at most ten people in each part, and leads to the others', async () => {
    const team = await aBusyTeam({ members: 12 });
    await choose(team, true);
    await send();
    const [mail] = await mailsTo(team.owner.email);
    expect(mail?.body.text).toContain('Seit 14 Tagen nicht geübt: 13 Personen\n');
    expect(mail?.body.text.match(/\/members\/[\w-]+\?/g)).toHaveLength(1 + 10);
    expect(mail?.body.text).toContain('/members?inactive=true&');
  });

  it('names nobody while the team hides member details', async () => {
    const team = await aBusyTeam();
    await aScoredTraining(service, team, {
      userId: team.members[0]?.user_id ?? '',
      createdAt: later(monday, -daysToMs(2)),
    });
    await team.change({ memberDetail: false });
    await choose(team, true);
    await send();
    const [mail] = await mailsTo(team.owner.email);
    expect(mail?.body.text).toContain(
      'Überfällig: 1 Aufgabe\n\nLetzte Woche: 1 Training von 1 Person\n\nÜbersicht öffnen:',
    );
    expect(mail?.body.text).not.toContain('/members/');
  });

  it('is not sent if there is nothing to say, and not later on that day either', async () => {
    const team = await aTeam(service);
    await choose(team, true);
    await send();
    await anAssignment(service, team, { memberId: team.owner.member_id, dueDate: new Date('2027-01-20') });
    service.clock.forward(hoursToMs(2));
    await send();
    expect(await mailsTo(team.owner.email)).toEqual([]);
    service.clock.forward(daysToMs(7));
    await send();
    expect(await mailsTo(team.owner.email)).toHaveLength(1);
  });

  it('is not sent to somebody who was removed, nor by a team that is suspended', async () => {
    const [team, suspended] = [await aBusyTeam({ admins: 1 }), await aBusyTeam()];
    const admin = await aPerson(team, { role: 'admin' });
    await choose(team, true, { ...admin, userId: admin.userId ?? '', role: 'admin', rights: [] });
    await choose(suspended, true);
    expect((await team.client.delete(`/users/${admin.memberId}`)).status).toBe(200);
    await suspended.change({ status: 'suspended' });
    await send();
    expect(await mailsTo(admin.email)).toEqual([]);
    expect(await mailsTo(suspended.owner.email)).toEqual([]);
    await suspended.change({ status: 'active' });
    await send();
    expect(await mailsTo(suspended.owner.email)).toHaveLength(1);
  });

  it('that a limit of mails has kept back comes when that is over, and on no other day', async () => {
    const [team, other] = [await aBusyTeam(), await aBusyTeam()];
    for (const one of [team, other]) {
      await choose(one, true);
      await setMailsToday(service, `notices of ${one.id}`, mailLimits.noticesPerTeam);
    }
    await send();
    expect(await mailsTo(team.owner.email)).toEqual([]);
    await prisma.rateWindow.deleteMany({ where: { subject: `notices of ${team.id}` } });
    service.clock.forward(hoursToMs(3));
    await send();
    expect(await mailsTo(team.owner.email)).toHaveLength(1);
    service.clock.forward(daysToMs(1));
    await send();
    expect(await mailsTo(other.owner.email)).toEqual([]);
  });

  it('of a team that fails is tried again, and does not keep that of another team', async () => {
    const [broken, sound] = [await aBusyTeam(), await aBusyTeam()];
    for (const team of [broken, sound]) await choose(team, true);
    await prisma.$executeRawUnsafe(`create function no_mail() returns trigger language plpgsql as $$
      begin if new.tenant_id = '${broken.id}' then raise 'no mail'; end if; return new; end $$`);
    await prisma.$executeRawUnsafe(
      'create trigger no_mail before insert on mail for each row execute function no_mail()',
    );
    const failed: string[] = [];
    await sendWeeklyMails(service.platform, (_, tenantId) => failed.push(tenantId));
    await prisma.$executeRawUnsafe('drop trigger no_mail on mail');
    expect(failed).toEqual([broken.id]);
    const sent = () => Promise.all([broken, sound].map(async ({ owner }) => (await mailsTo(owner.email)).length));
    expect(await sent()).toEqual([0, 1]);
    await send();
    expect(await sent()).toEqual([1, 1]);
  });
});

describe('the time of the weekly mail', () => {
  it.each([
    ['Europe/Berlin', '2027-02-01T05:59:59Z', undefined],
    ['Europe/Berlin', '2027-02-01T06:00:00Z', '2027-02-01'],
    ['Europe/Berlin', '2027-02-01T22:59:59Z', '2027-02-01'],
    ['Europe/Berlin', '2027-02-01T23:00:00Z', undefined],
    ['Europe/Berlin', '2027-02-02T08:00:00Z', undefined],
    // The first Monday of summer time and of winter time.
    ['Europe/Berlin', '2027-03-29T04:59:59Z', undefined],
    ['Europe/Berlin', '2027-03-29T05:00:00Z', '2027-03-29'],
    ['Europe/Berlin', '2026-10-26T05:59:59Z', undefined],
    ['Europe/Berlin', '2026-10-26T06:00:00Z', '2026-10-26'],
    ['America/New_York', '2026-11-02T11:59:59Z', undefined],
    ['America/New_York', '2026-11-02T12:00:00Z', '2026-11-02'],
    ['America/New_York', '2027-03-15T11:00:00Z', '2027-03-15'],
    // There it is Monday while it is Sunday or Tuesday in UTC.
    ['Pacific/Auckland', '2027-01-31T18:00:00Z', '2027-02-01'],
    ['Pacific/Auckland', '2027-01-31T17:59:59Z', undefined],
    ['Pacific/Niue', '2027-02-02T10:00:00Z', '2027-02-01'],
    ['Asia/Kolkata', '2027-02-01T01:30:00Z', '2027-02-01'],
    ['Asia/Kolkata', '2027-02-01T01:29:59Z', undefined],
  ])('in %s at %s is that of the Monday %s', (timeZone, time, day) => {
    const found = mondayAt(new Date(time), timeZone);
    expect(found && utcDay(found)).toBe(day);
  });
});

describe('the link that ends the weekly mail', () => {
  /** The path of the link in the last mail to a team's owner. */
  const endPathOf = async (team: TestTeam): Promise<string> => {
    const mail = (await mailsTo(team.owner.email)).at(-1);
    const { pathname } = new URL(mail?.body.unsubscribe ?? '');
    expect(mail?.body.text.trimEnd()).toMatch(new RegExp(`\n\nDiese E-Mail nicht mehr senden:\n\\S+${pathname}$`));
    expect(mail?.body.html).toContain(pathname);
    return pathname;
  };
  const isWanted = async (team: TestTeam) => (await (await inTheApp(team)).overview.weeklyMail({})).wanted;
  const oneClick = {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  };
  const aMailedTeam = async () => {
    const team = await aBusyTeam();
    await choose(team, true);
    await send();
    return { team, path: await endPathOf(team) };
  };

  it('opens a page with a button and changes nothing, also for programs that open each link', async () => {
    const { team, path } = await aMailedTeam();
    for (const [language, question, button] of [
      ['de', 'Die wöchentliche E-Mail beenden?', 'Nicht mehr senden'],
      ['en', 'Stop the weekly email?', 'Stop sending it'],
    ] as const) {
      const response = await makeBrowser(service).fetch(path, { headers: { 'Accept-Language': language } });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-store');
      const page = await response.text();
      expect(page).toContain(`<html lang="${language}">`);
      expect(page).toContain(`<h1>${question}</h1>`);
      expect(page).toContain(`<form method="post"><button>${button}</button></form>`);
    }
    expect((await makeBrowser(service).fetch(path, { method: 'HEAD' })).status).toBe(200);
    expect(await isWanted(team)).toBe(true);
  });

  it.each([
    ['of the page', { method: 'POST' }],
    ['of a mail program (RFC 8058)', oneClick],
  ])('ends it by the POST %s, without signing in, until it is turned on again', async (_, post) => {
    const { team, path } = await aMailedTeam();
    for (let time = 0; time < 2; time += 1) {
      const response = await makeBrowser(service).fetch(path, post);
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('<h1>Die wöchentliche E-Mail ist beendet.</h1>');
    }
    expect(await isWanted(team)).toBe(false);
    service.clock.forward(daysToMs(7));
    await send();
    expect(await mailsTo(team.owner.email)).toHaveLength(1);
    await choose(team, true);
    await send();
    expect(await mailsTo(team.owner.email)).toHaveLength(2);
  });

  it('ends that of its own reader alone, and with any other signature there is no such page', async () => {
    const [{ team, path }, { team: other, path: otherPath }] = [await aMailedTeam(), await aMailedTeam()];
    const [head = '', ...parts] = path.split('.');
    const [otherHead = '', otherMember = ''] = otherPath.split('.');
    const forged = [
      [head, otherMember, parts[1]].join('.'),
      [otherHead, otherMember, parts[1]].join('.'),
      `${path}x`,
      `${path}.x`,
      path.slice(0, -1),
      `${head}.${parts[0]}`,
      '/weekly-mail/',
      '/weekly-mail/%00',
    ];
    for (const one of forged) {
      expect((await makeBrowser(service).fetch(one, oneClick)).status, one).toBe(404);
      expect((await makeBrowser(service).fetch(one, { headers: { Accept: 'application/json' } })).status, one).toBe(
        404,
      );
    }
    expect([await isWanted(team), await isWanted(other)]).toEqual([true, true]);
    await makeBrowser(service).fetch(path, oneClick);
    expect([await isWanted(team), await isWanted(other)]).toEqual([false, true]);
  });

  it('still works after years, after a change of the secret, and when the team has ended', async () => {
    const { team, path } = await aMailedTeam();
    service.clock.forward(daysToMs(2_000));
    await team.change({ status: 'ended' });
    const { databaseUrl } = service;
    const rotated = await startTestService({
      databaseUrl,
      secrets: ['another secret of the tests, long enough', testSecret],
    });
    onTestFinished(() => rotated.close());
    expect((await makeBrowser(rotated).fetch(path, oneClick)).status).toBe(200);
    const { weeklyMail } = await prisma.member.findFirstOrThrow({
      where: { tenantId: team.id, id: team.owner.member_id },
    });
    expect(weeklyMail).toBe(false);
  });

  it('is refused during maintenance, with a larger body, and by other methods', async () => {
    const { team, path } = await aMailedTeam();
    const { databaseUrl } = service;
    const paused = await startTestService({ databaseUrl, maintenance: { current: { retryAfterSeconds: 30 } } });
    onTestFinished(() => paused.close());
    expect((await makeBrowser(paused).fetch(path, oneClick)).status).toBe(503);
    expect((await makeBrowser(service).fetch(path, { ...oneClick, body: 'x'.repeat(2_000) })).status).toBe(413);
    expect((await makeBrowser(service).fetch(path, { method: 'DELETE' })).status).toBe(404);
    expect(await isWanted(team)).toBe(true);
  });
});
