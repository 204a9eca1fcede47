import { UnauthorizedError } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { daysToMs, later } from '../../src/core/clock.ts';
import { mailLimits } from '../../src/core/limits.ts';
import { mailOtherUnready } from '../../src/modules/company-sign-in/mails.ts';
import { demandSignIn } from '../../src/modules/company-sign-in/service.ts';
import { connectInSession, anAssistant } from '../support/assistants.ts';
import {
  makeBrowser,
  type BrowserSession,
  aPerson,
  aSignedInPerson,
  ofPerson,
  testPassword,
} from '../support/people.ts';
import { anAuthenticator, totp } from '../support/authenticators.ts';
import { useCompanies, type Company } from '../support/company.ts';
import { setMailsToday } from '../support/budgets.ts';
import { aTeam } from '../support/team.ts';

const { service, aCompany, anAccount, signIn, start, finish, provider, refusal } = await useCompanies();

const meIn = async (browser: BrowserSession) => (await browser.query('entrance/entrance.who')).data['me'];

const opens = async (browser: BrowserSession, { team }: Company) =>
  (await browser.query('app/myTrainings.list', {}, { team: team.id })).status;

/** Signs in with the company account and shows it once more, so that changes are allowed. */
const signedInWithProof = async (email: string, login = anAccount(email)) => {
  const { browser } = await signIn(email, login);
  const { data } = await browser.mutate('entrance/account.startCompanyProof');
  await finish(browser, await provider.answerFor(String(data['redirect_to']), login));
  return browser;
};

/** A company whose team demands the company account. */
const aDemandingCompany = async () => {
  const company = await aCompany();
  const email = `boss@${company.domain}`;
  await company.team.anActiveMember({ role: 'admin', rights: ['schnittstellen'], email });
  const browser = await signedInWithProof(email);
  expect((await company.ask('demand', { demand: 'company' }, browser)).data).toMatchObject({ demand: 'company' });
  return { ...company, boss: browser };
};

const emailsIn = (data: unknown): string[] =>
  z
    .object({ data: z.array(z.object({ email: z.string() })) })
    .parse(data)
    .data.map(({ email }) => email);

/** The access token of an assistant that is connected in this session. */
const connectIn = async (browser: BrowserSession, { team }: Company): Promise<string> =>
  (await connectInSession(service, browser, team)).access;

describe('a team that demands the company account', () => {
  it('stops other sessions at their next request, and opens to no password or passkey, except for the owner', async () => {
    const company = await aCompany();
    const { team, admin } = company;
    const person = await aSignedInPerson(service, team, { email: `vera@${company.domain}` });
    const authenticator = anAuthenticator();
    const asked = await person.browser.mutate('entrance/account.newPasskeyQuestion');
    await person.browser.mutate('entrance/account.addPasskey', {
      name: 'Laptop',
      passkey: authenticator.create(asked.data),
    });
    expect(await opens(person.browser, company)).toBe(200);

    const boss = await signedInWithProof(`vera@${company.domain}`);
    await demandSignIn(await team.acting(), { demand: 'company' }, 'operator');
    expect(await opens(boss, company)).toBe(200);
    expect(await opens(person.browser, company)).toBe(401);
    expect(await opens(admin.browser, company)).toBe(401);
    expect(await meIn(person.browser)).toMatchObject({
      teams: [],
      closed_teams: [{ tenant_id: team.id, demand: 'company' }],
    });

    const password = makeBrowser(service);
    await password.signIn(person.email, testPassword);
    expect(await opens(password, company)).toBe(401);
    const passkey = makeBrowser(service);
    const question = (await passkey.query('entrance/entrance.passkeyQuestion')).data;
    await passkey.mutate('entrance/entrance.signInWithPasskey', { passkey: authenticator.get(question) });
    expect(await passkey.isSignedIn()).toBe(true);
    expect(await opens(passkey, company)).toBe(401);

    const owner = makeBrowser(service);
    await owner.signIn(team.owner.email, testPassword);
    expect(await opens(owner, company)).toBe(200);
    // A key is no sign-in.
    expect((await team.client.get('/me')).status).toBe(200);
  });

  it('leaves the person’s other teams open', async () => {
    const company = await aDemandingCompany();
    const other = await aTeam(service);
    const email = `both@${company.domain}`;
    await company.team.anActiveMember({ email });
    const { browser } = await aSignedInPerson(service, other, { email });
    expect(await meIn(browser)).toMatchObject({ teams: [{ tenant_id: other.id }] });
  });

  it('refuses assistants that were connected in another way', async () => {
    const company = await aCompany();
    const email = `vera@${company.domain}`;
    const person = await aSignedInPerson(service, company.team, { email });
    const [former, formerAdmins] = [
      await connectIn(person.browser, company),
      await connectIn(company.admin.browser, company),
    ];
    expect(await (await anAssistant(service, former)).toolNames()).not.toEqual([]);
    const withCompany = await connectIn(await signedInWithProof(email), company);
    await demandSignIn(await company.team.acting(), { demand: 'company' }, 'operator');
    await expect(anAssistant(service, former)).rejects.toThrow(UnauthorizedError);
    await expect(anAssistant(service, formerAdmins)).rejects.toThrow(UnauthorizedError);
    expect(await (await anAssistant(service, withCompany)).toolNames()).not.toEqual([]);
  });

  it('can be made so only by somebody who is signed in with the company account', async () => {
    const company = await aCompany();
    expect(await refusal(company.ask('demand', { demand: 'company' }))).toMatchObject({ code: 'conflict' });
    const { boss, team } = await aDemandingCompany();
    expect(await opens(boss, { ...company, team })).toBe(200);
    const entries = await service.database.prisma.auditEntry.findMany({
      where: { tenantId: team.id, action: 'sign_in.demand_changed' },
    });
    expect(entries.map(({ data }) => data)).toEqual([{ from: 'none', to: 'company' }]);
  });

  it('keeps its provider and domains until it demands it no more', async () => {
    const { ask, boss, domain } = await aDemandingCompany();
    for (const [path, input] of [
      ['switch', { enabled: false }],
      ['remove', {}],
      ['removeDomain', { domain }],
      ['save', { issuer: provider.issuer, client_id: 'other', client_secret: 'x', role: 'member' }],
    ] as const) {
      expect(await refusal(ask(path, input, boss))).toMatchObject({ code: 'conflict' });
    }
    // A new secret of the same client is no other provider.
    const settings = { issuer: provider.issuer, ...provider.client, role: 'member' };
    expect((await ask('save', settings, boss)).status).toBe(200);
    expect((await ask('demand', { demand: 'none' }, boss)).status).toBe(200);
    expect((await ask('remove', {}, boss)).status).toBe(200);
  });
});

describe('a team that demands a second factor', () => {
  it('opens to a second factor, a passkey and the company account, and to no password alone', async () => {
    const company = await aCompany();
    const { team, admin } = company;
    const person = await aSignedInPerson(service, team, { email: `vera@${company.domain}` });
    expect(await refusal(company.ask('demand', { demand: 'second_factor' }))).toMatchObject({ code: 'conflict' });

    const { data } = await admin.browser.mutate('entrance/account.startTwoFactor', { password: testPassword });
    const stolen = makeBrowser(service);
    await stolen.signIn(admin.email, testPassword);
    await admin.browser.mutate('entrance/account.confirmTwoFactor', { code: totp(String(data['secret'])) });
    expect((await company.ask('demand', { demand: 'second_factor' })).status).toBe(200);

    expect(await opens(admin.browser, company)).toBe(200);
    // It began before, with the password alone.
    expect(await opens(stolen, company)).toBe(401);
    expect(await opens(person.browser, company)).toBe(401);
    expect(await meIn(person.browser)).toMatchObject({ closed_teams: [{ demand: 'second_factor' }] });
    expect(await opens((await signIn(person.email)).browser, company)).toBe(200);

    // A person without can set one up, and is let in at once.
    const own = await person.browser.mutate('entrance/account.startTwoFactor', { password: testPassword });
    await person.browser.mutate('entrance/account.confirmTwoFactor', { code: totp(String(own.data['secret'])) });
    expect(await opens(person.browser, company)).toBe(200);
    await person.browser.mutate('entrance/account.stopTwoFactor', { password: testPassword });
    expect(await opens(person.browser, company)).toBe(401);

    const again = makeBrowser(service);
    expect((await again.signIn(admin.email, testPassword)).data).toEqual({ next: 'second_factor' });
    const [code = ''] = Array.isArray(data['backup_codes']) ? data['backup_codes'] : [];
    await again.mutate('entrance/entrance.proveSecondFactor', { code, kind: 'backup', trust_device: true });
    expect(await opens(again, company)).toBe(200);
    await again.mutate('entrance/entrance.signOut');
    // In a trusted browser the second factor was shown before.
    expect((await again.signIn(admin.email, testPassword)).data).toEqual({ next: 'signed_in' });
    expect(await opens(again, company)).toBe(200);
  });

  it('opens to a session that began with a passkey', async () => {
    const company = await aCompany();
    const { admin, team } = company;
    const authenticator = anAuthenticator();
    const asked = await admin.browser.mutate('entrance/account.newPasskeyQuestion');
    await admin.browser.mutate('entrance/account.addPasskey', { name: 'A', passkey: authenticator.create(asked.data) });
    await demandSignIn(await team.acting(), { demand: 'second_factor' }, 'operator');
    expect(await opens(admin.browser, company)).toBe(401);
    const question = (await admin.browser.query('entrance/entrance.passkeyQuestion')).data;
    await admin.browser.mutate('entrance/entrance.signInWithPasskey', { passkey: authenticator.get(question) });
    expect(await opens(admin.browser, company)).toBe(200);
  });

  it.each(['second_factor', 'password'] as const)(
    'after a new password, a session that began with %s counts as before',
    async (way) => {
      const company = await aCompany();
      const { admin, team } = company;
      const { data: question } = await admin.browser.mutate('entrance/account.newPasskeyQuestion');
      const authenticator = anAuthenticator();
      await admin.browser.mutate('entrance/account.addPasskey', { name: 'A', passkey: authenticator.create(question) });
      if (way === 'second_factor') {
        const { data: asked } = await admin.browser.query('entrance/entrance.passkeyQuestion');
        await admin.browser.mutate('entrance/entrance.signInWithPasskey', { passkey: authenticator.get(asked) });
      }
      await demandSignIn(await team.acting(), { demand: 'second_factor' }, 'operator');
      const change = { current: testPassword, password: 'another long password' };
      expect((await admin.browser.mutate('entrance/account.changePassword', change)).status).toBe(200);
      expect(await opens(admin.browser, company)).toBe(way === 'second_factor' ? 200 : 401);
    },
  );
});

/** Moves the service's clock, until the test ends. */
const inDays = (days: number) => {
  onTestFinished(() => service.clock.set(new Date()));
  service.clock.set(later(new Date(), daysToMs(days)));
};

/** The time in so many days. */
const timeIn = (days: number): string => later(service.clock.now(), daysToMs(days)).toISOString();

/** The same as `ask('demand', …)`, when the admin's last proof is days old. */
const demandAfterDays = async ({ admin, ask }: Company, wanted: object) => {
  expect((await admin.browser.mutate('entrance/account.prove', { password: testPassword })).status).toBe(200);
  return ask('demand', wanted);
};

describe('a demand that is planned', () => {
  /** A company whose admin has a second factor, which one more of its people has. */
  const aCompanyWithFactors = async () => {
    const company = await aCompany();
    const { prisma } = service.database;
    const ready = await aPerson(company.team, {});
    for (const { email } of [company.admin, ready]) {
      await prisma.person.update({ where: { email }, data: { twoFactorEnabled: true } });
    }
    await prisma.session.updateMany({
      where: await ofPerson(service, company.admin.email),
      data: { way: 'second_factor' },
    });
    return company;
  };

  const actionsIn = async ({ team }: Company) =>
    (
      await service.database.prisma.auditEntry.findMany({
        where: { tenantId: team.id, action: { startsWith: 'sign_in.demand' } },
        orderBy: { id: 'asc' },
      })
    ).map(({ action, data }) => ({ action, data }));

  it('mails those who are concerned, counts them, lists them, and shuts them out at its time, not before', async () => {
    const company = await aCompanyWithFactors();
    const { team, admin } = company;
    const person = await aSignedInPerson(service, team, {});
    const assistant = await connectIn(person.browser, company);
    const { data } = await company.ask('demand', { demand: 'second_factor', from: timeIn(7) });
    // The owner, the admin, the person who is ready, and the one who is not.
    expect(data).toMatchObject({
      demand: 'none',
      planned: { demand: 'second_factor' },
      readiness: { members: 4, second_factor: 2, company: 1 },
    });
    const at = new Date(String(Reflect.get(Object(data['planned']), 'from'))).getTime();
    expect(Math.abs(at - Date.now() - daysToMs(7))).toBeLessThan(60_000);

    const unready = [team.owner.email, person.email].toSorted();
    const listed = await admin.browser.query('app/members.list', { without: 'second_factor' }, { team: team.id });
    expect(emailsIn(listed.data).toSorted()).toEqual(unready);
    const { data: counted } = await admin.browser.query(
      'app/members.count',
      { without: 'second_factor' },
      { team: team.id },
    );
    expect(counted).toMatchObject({ count: 2 });
    const mails = await service.database.prisma.mail.findMany({
      where: { tenantId: team.id, kind: 'second_factor_demanded' },
    });
    expect(mails.map(({ recipient }) => recipient).toSorted()).toEqual(unready);
    const [mail] = await service.mailsTo(person.email);
    expect(mail?.body.text).toMatch(/zweiten Faktor oder einen Passkey/);

    expect(await meIn(person.browser)).toMatchObject({ teams: [{ closes: { demand: 'second_factor' } }] });
    expect(await meIn(admin.browser)).toMatchObject({ teams: [{ closes: null }] });
    inDays(6.9);
    expect(await opens(person.browser, company)).toBe(200);
    inDays(7.1);
    expect(await opens(person.browser, company)).toBe(401);
    expect(await opens(admin.browser, company)).toBe(200);
    expect(await meIn(person.browser)).toMatchObject({ closed_teams: [{ demand: 'second_factor' }] });
    await expect(anAssistant(service, assistant)).rejects.toThrow(UnauthorizedError);
    const signedInLater = makeBrowser(service);
    await signedInLater.signIn(person.email, testPassword);
    expect(await opens(signedInLater, company)).toBe(401);
    const after = await admin.browser.query('app/companySignIn.state', {}, { team: team.id });
    expect(after.data).toMatchObject({ demand: 'second_factor', planned: null });
    expect(await actionsIn(company)).toMatchObject([
      { action: 'sign_in.demand_planned', data: { from: 'none', to: 'second_factor' } },
    ]);
  });

  it('mails as many as the day allows and the others on the next days, unless it is called off by then', async () => {
    const company = await aCompanyWithFactors();
    const { team } = company;
    const members = [await aPerson(team, {}), await aPerson(team, {})];
    const people = [team.owner, ...members].map(({ email }) => email).toSorted();
    const { prisma } = service.database;
    const onItsNode = service.database.ofTeam(team.id);
    const leave = (left: number) => setMailsToday(service, `notices of ${team.id}`, mailLimits.noticesPerTeam - left);
    const mailed = async () =>
      (await prisma.mail.findMany({ where: { tenantId: team.id, kind: 'second_factor_demanded' } }))
        .map(({ recipient }) => recipient)
        .toSorted();
    const waiting = async () =>
      (
        await onItsNode(
          async () => prisma.$queryRaw<{ payload: unknown; wait: number }[]>`
            select payload, extract(epoch from run_at - now())::float8 as wait from graphile_worker._private_jobs
             where key = ${`mail_unready_members ${team.id}`}`,
        )
      ).map(({ payload, wait }) => ({ payload, wait }));
    const run = async () => {
      const [job] = await waiting();
      await mailOtherUnready(service.platform, job?.payload);
    };

    await leave(1);
    expect((await company.ask('demand', { demand: 'none' })).data).toMatchObject({ mails_left: 1 });
    await company.ask('demand', { demand: 'second_factor', from: timeIn(7) });
    expect(await mailed()).toHaveLength(1);
    expect((await waiting())[0]?.wait).toBeLessThanOrEqual(daysToMs(1) / 1000);
    inDays(1);
    await leave(1);
    await run();
    expect(await mailed()).toHaveLength(2);
    inDays(2);
    await run();
    expect(await mailed()).toEqual(people);

    // Another plan begins with everybody again; once it is called off, nobody else is mailed.
    await leave(0);
    await demandAfterDays(company, { demand: 'second_factor', from: timeIn(14) });
    expect(await mailed()).toHaveLength(3);
    await company.ask('demand', { demand: 'none' });
    inDays(3);
    await run();
    expect(await mailed()).toHaveLength(3);
    // While the demand holds, the mail says so.
    await leave(0);
    await demandAfterDays(company, { demand: 'second_factor' });
    inDays(4);
    await run();
    expect(await mailed()).toHaveLength(6);
    expect(await waiting()).toEqual([]);
    const [newest] = await service.mailsTo(members[0]?.email ?? '');
    expect(newest?.body.text).toContain('Ab sofort verlangt');
  });

  it('counts a passkey as ready, for as long as the person has one', async () => {
    const company = await aCompany();
    const { admin } = company;
    const ready = async () => {
      const { data } = await admin.browser.query('app/companySignIn.state', {}, { team: company.team.id });
      return data['readiness'];
    };
    expect(await ready()).toMatchObject({ members: 2, second_factor: 0 });
    const asked = await admin.browser.mutate('entrance/account.newPasskeyQuestion');
    const passkey = anAuthenticator().create(asked.data);
    await admin.browser.mutate('entrance/account.addPasskey', { name: 'Laptop', passkey });
    expect(await ready()).toMatchObject({ members: 2, second_factor: 1 });
    const { passkeys } = (await admin.browser.query('entrance/account.passkeys')).data;
    const [{ id }] = z.tuple([z.object({ id: z.string() })]).parse(passkeys);
    await admin.browser.mutate('entrance/account.removePasskey', { passkey_id: id });
    expect(await ready()).toMatchObject({ members: 2, second_factor: 0 });
  });

  it('can be called off, and replaced by another time or another demand', async () => {
    const company = await aCompanyWithFactors();
    const person = await aSignedInPerson(service, company.team, {});
    await company.ask('demand', { demand: 'second_factor', from: timeIn(7) });
    await company.ask('demand', { demand: 'second_factor', from: timeIn(14) });
    inDays(8);
    expect(await opens(person.browser, company)).toBe(200);
    const { data } = await demandAfterDays(company, { demand: 'none' });
    expect(data).toMatchObject({ demand: 'none', planned: null });
    inDays(20);
    expect(await opens(person.browser, company)).toBe(200);
    // What holds since its time can be ended like what was set at once.
    inDays(0);
    await company.ask('demand', { demand: 'second_factor', from: timeIn(7) });
    inDays(7.1);
    expect((await company.ask('demand', { demand: 'none' })).data).toMatchObject({ demand: 'none', planned: null });
    expect(await opens(person.browser, company)).toBe(200);
    expect((await actionsIn(company)).map(({ action }) => action)).toEqual([
      'sign_in.demand_planned',
      'sign_in.demand_planned',
      'sign_in.demand_called_off',
      'sign_in.demand_planned',
      'sign_in.demand_changed',
    ]);
  });

  it.each([
    ['that is over', 0, 1],
    ['more than 90 days away', daysToMs(90) + 1, daysToMs(90)],
  ])('takes no time %s, to the millisecond', async (_, refused, taken) => {
    const company = await aCompanyWithFactors();
    onTestFinished(() => service.clock.set(new Date()));
    service.clock.stop();
    const plan = (inMs: number) =>
      company.ask('demand', { demand: 'second_factor', from: later(service.clock.now(), inMs).toISOString() });
    expect(await refusal(plan(refused))).toMatchObject({ code: 'validation_error', field: 'from' });
    const from = later(service.clock.now(), taken).toISOString();
    expect((await plan(taken)).data).toMatchObject({ demand: 'none', planned: { demand: 'second_factor', from } });
  });

  it('can be set only by somebody whose own session meets it, and keeps the provider that it will need', async () => {
    const company = await aCompany();
    expect(await refusal(company.ask('demand', { demand: 'second_factor', from: timeIn(14) }))).toMatchObject({
      code: 'conflict',
    });
    expect(await refusal(company.ask('demand', { demand: 'company', from: timeIn(14) }))).toMatchObject({
      code: 'conflict',
    });
    await demandSignIn(await company.team.acting(), { demand: 'company', from: new Date(timeIn(14)) }, 'operator');
    expect(await refusal(company.ask('remove'))).toMatchObject({ code: 'conflict' });
    await company.ask('demand', { demand: 'none' });
    expect((await company.ask('remove')).status).toBe(200);
  });
});

describe('the set-up of the company account', () => {
  it('never shows the secret, and stores it encrypted', async () => {
    const { ask, team } = await aCompany();
    const { text } = await ask('switch', { enabled: true });
    expect(text).not.toContain('a secret');
    const row = await service.database.prisma.companySignIn.findUniqueOrThrow({ where: { tenantId: team.id } });
    expect(Buffer.from(row.clientSecret).toString('latin1')).not.toContain('a secret');
    const entry = await service.database.prisma.auditEntry.findMany({ where: { tenantId: team.id } });
    expect(JSON.stringify(entry)).not.toContain('a secret');
  });

  it.each([
    ['http://issuer.example', /https/],
    ['https://10.0.0.1', /not public|nicht öffentlich/],
    ['https://127.0.0.1:4043', /erreichbar|reached/],
    [() => `${provider.issuer}/elsewhere`, /404/],
    [() => `${provider.issuer}/`, /nennt sich|calls itself/],
    ['no address', /URL/],
  ])('says in plain words what is wrong with %s', async (issuer, words) => {
    const { ask } = await aCompany();
    const wanted = typeof issuer === 'string' ? issuer : issuer();
    const answer = await ask('save', { issuer: wanted, ...provider.client, role: 'member' });
    expect(answer.problem).toMatchObject({ code: 'validation_error', field: 'issuer' });
    expect(answer.problem['detail']).toMatch(words);
  });

  it('asks for the secret again if the provider or the client is another one', async () => {
    const { ask } = await aCompany();
    const { issuer, client } = provider;
    const kept = await ask('save', { issuer, client_id: client.client_id, role: 'admin' });
    expect(kept.data).toMatchObject({ provider: { role: 'admin' } });
    const other = ask('save', { issuer, client_id: 'another', role: 'admin' });
    expect(await refusal(other)).toMatchObject({ field: 'client_secret' });
  });

  it('with another client ends the sessions, and links each account by its address again', async () => {
    const company = await aCompany();
    const email = `vera@${company.domain}`;
    const { browser } = await signIn(email);
    const { issuer } = provider;
    await company.ask('save', { issuer, client_id: 'another', client_secret: 'x', role: 'member' });
    expect(await browser.isSignedIn()).toBe(false);
    await company.ask('save', { issuer, ...provider.client, role: 'member' });
    expect((await signIn(email, anAccount(email))).answer.status).toBe(200);
    expect((await start(makeBrowser(service), email)).status).toBe(200);
  });
});
