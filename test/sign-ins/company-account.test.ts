import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { isRecord } from '../../src/core/json.ts';
import { companyLimits } from '../../src/core/limits.ts';
import { addDomain } from '../../src/modules/company-sign-in/service.ts';
import { removeMember } from '../../src/modules/members/service.ts';
import { erase } from '../erasure/erasing.ts';
import { lastLink } from '../members/links.ts';
import { connectInSession } from '../support/assistants.ts';
import { eventDataOf } from '../support/logs.ts';
import {
  makeBrowser,
  type BrowserSession,
  aPerson,
  aSignedInPerson,
  ofPerson,
  testPassword,
} from '../support/people.ts';
import { aDomain, useCompanies, type Company } from '../support/company.ts';
import { listen } from '../support/ports.ts';
import { aTeam } from '../support/team.ts';

const { dns, service, provider, settings, aCompany, anAccount, start, finish, signIn, refusal } = await useCompanies();

const hasIpv6 = Object.values(networkInterfaces()).some((some) => some?.some(({ address }) => address === '::1'));

const meIn = async (browser: BrowserSession) => (await browser.query('entrance/entrance.who')).data['me'];

const entries = async ({ team }: Company, action: string) =>
  service.database.prisma.auditEntry.findMany({ where: { tenantId: team.id, action }, orderBy: { id: 'asc' } });

describe('a first sign-in with the company account', () => {
  it('makes the person a member with the role that the team has set, and a second one finds them again', async () => {
    for (const role of ['member', 'admin'] as const) {
      const company = await aCompany({ setUp: { role } });
      const email = `vera@${company.domain}`;
      const login = anAccount(email);
      const { browser, answer } = await signIn(email, login);
      expect(answer.data).toEqual({ next: null, tenant_id: company.team.id, test: null });
      expect(await meIn(browser)).toMatchObject({
        email,
        name: 'Vera Kauf',
        with_company_account: true,
        teams: [{ tenant_id: company.team.id, role, status: 'active' }],
      });
      const again = await signIn(email, login);
      expect(await meIn(again.browser)).toMatchObject({ email });
      const joined = await entries(company, 'member.joined');
      expect(joined.filter(({ data }) => JSON.stringify(data).includes('company_account'))).toHaveLength(1);
    }
  });

  it('raises member.joined once, as every membership that starts does', async () => {
    const company = await aCompany();
    const email = `vera@${company.domain}`;
    const login = anAccount(email);
    const { browser } = await signIn(email, login);
    await signIn(email, login);
    const me = z.object({ teams: z.tuple([z.object({ member_id: z.string(), user_id: z.string() })]) });
    const [{ member_id, user_id }] = me.parse(await meIn(browser)).teams;
    const raised = await eventDataOf(service, company.team, 'member.joined');
    expect(raised.filter((data) => isRecord(data) && data['member_id'] === member_id)).toEqual([
      { team_id: company.team.id, member_id, role: 'member', user_id },
    ]);
  });

  it('is refused without a free seat, and leaves nobody behind', async () => {
    const company = await aCompany({ seats: 2 });
    const email = `late@${company.domain}`;
    const { answer, browser } = await signIn(email);
    expect(answer.problem).toMatchObject({ code: 'seat_limit_reached' });
    expect(await browser.isSignedIn()).toBe(false);
    expect(await service.database.prisma.person.count({ where: { email } })).toBe(0);
  });

  it('accepts an open invitation with its role, and its link ends', async () => {
    const company = await aCompany();
    const email = `invited@${company.domain}`;
    const { id } = await company.team.anInvitedMember({ role: 'admin', email });
    const { browser } = await signIn(email);
    expect(await meIn(browser)).toMatchObject({ teams: [{ member_id: id, role: 'admin' }] });
    expect(await service.database.prisma.invitation.count({ where: { tenantId: company.team.id, memberId: id } })).toBe(
      0,
    );
    expect(await entries(company, 'member.accepted')).toHaveLength(1);
  });

  it('links an existing member by the address; another account of the provider with this address is refused', async () => {
    const company = await aCompany();
    const person = await aPerson(company.team, { email: `old@${company.domain}` });
    const { browser } = await signIn(person.email);
    expect(await meIn(browser)).toMatchObject({ teams: [{ member_id: person.memberId }] });
    const { answer } = await signIn(person.email, anAccount(person.email));
    expect(answer.problem).toMatchObject({ code: 'conflict' });
  });

  it('is refused for a domain that no team has proven', async () => {
    const company = await aCompany();
    const unproven = aDomain();
    await company.ask('addDomain', { domain: unproven });
    for (const email of [`a@${unproven}`, 'a@unknown.example']) {
      expect(await refusal(start(makeBrowser(service), email))).toMatchObject({
        code: 'validation_error',
        field: 'email',
      });
    }
  });
});

describe('a test of the set-up', () => {
  const test = async (company: Company, login: string, browser = company.admin.browser) => {
    const started = await browser.mutate('entrance/account.startCompanyTest', { tenant_id: company.team.id });
    if (started.status !== 200) return started;
    return finish(browser, await provider.answerFor(String(started.data['redirect_to']), login));
  };

  it('says who the person would be, and leaves no session, no member and no person behind', async () => {
    const company = await aCompany({ setUp: { role: 'admin' } });
    const { prisma } = service.database;
    const email = `new@${company.domain}`;
    const counts = () =>
      Promise.all([
        prisma.person.count({ where: { email } }),
        prisma.member.count({ where: { tenantId: company.team.id } }),
        prisma.session.count({ where: { companyTeamId: company.team.id } }),
      ]);
    const before = await counts();
    const own = company.admin.browser.cookies.get('better-auth.session_token');
    const answer = await test(company, anAccount(email));
    expect(answer.data).toMatchObject({ test: { email, name: 'Vera Kauf', role: 'admin', joins: true } });
    expect(await counts()).toEqual(before);
    expect(company.admin.browser.cookies.get('better-auth.session_token')).toBe(own);
    expect(await meIn(company.admin.browser)).toMatchObject({
      email: company.admin.email,
      with_company_account: false,
    });
    const state = await company.admin.browser.query('app/companySignIn.state', {}, { team: company.team.id });
    expect(state.data).toMatchObject({ provider: { tested_at: expect.any(String) } });

    const member = await aPerson(company.team, { email: `old@${company.domain}` });
    expect((await test(company, anAccount(member.email))).data).toMatchObject({
      test: { email: member.email, role: 'member', joins: false },
    });
    expect(await prisma.member.count({ where: { tenantId: company.team.id, companySubject: { not: null } } })).toBe(0);
  });

  it('is refused for what a sign-in would be refused for, also while the provider is off, and to people without the right', async () => {
    const company = await aCompany();
    await company.ask('switch', { enabled: false });
    expect((await test(company, anAccount('x@foreign.example'))).problem).toMatchObject({ code: 'conflict' });
    const unverified = anAccount(`x@${company.domain}`, { email_verified: false });
    expect((await test(company, unverified)).problem).toMatchObject({ code: 'conflict' });
    expect((await test(company, anAccount(`x@${company.domain}`))).status).toBe(200);
    const { browser } = await aSignedInPerson(service, company.team, { role: 'admin' });
    expect((await test(company, anAccount(`x@${company.domain}`), browser)).problem).toMatchObject({
      code: 'not_found',
    });
  });
});

describe('an answer of the provider', () => {
  const begun = async () => {
    const company = await aCompany();
    const email = `vera@${company.domain}`;
    const browser = makeBrowser(service);
    const url = String((await start(browser, email)).data['redirect_to']);
    return { company, email, browser, url, login: anAccount(email) };
  };

  it('counts once, and only in the browser in which the sign-in began', async () => {
    const { browser, url, login } = await begun();
    expect([...new URL(url).searchParams.keys()]).toEqual(
      expect.arrayContaining(['state', 'nonce', 'code_challenge', 'code_challenge_method']),
    );
    const address = await provider.answerFor(url, login);
    const cookies = new Map(browser.cookies);
    expect((await finish(makeBrowser(service), address)).problem).toMatchObject({ code: 'conflict' });
    expect((await finish(browser, address)).status).toBe(200);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    const asked = provider.requests.length;
    expect((await finish(browser, address)).problem).toMatchObject({ code: 'conflict' });
    // Refused before the provider is asked.
    expect(provider.requests.length).toBe(asked);
  });

  // This service may send requests to 127.0.0.0/8, but not to the other loopback address.
  it.skipIf(!hasIpv6).each(['token_endpoint', 'jwks_uri'])(
    'sends nothing to a private address that is announced as %s',
    async (name) => {
      let connections = 0;
      const canary = createServer(() => (connections += 1));
      onTestFinished(() => void canary.close());
      const port = await listen(canary, 0, '::1');
      const { browser, url, login } = await begun();
      const address = await provider.answerFor(url, login);
      provider.announce({ [name]: `https://[::1]:${port}/` });
      expect((await finish(browser, address)).problem).toMatchObject({ code: 'conflict' });
      expect(await browser.isSignedIn()).toBe(false);
      expect(connections).toBe(0);
    },
  );

  it('is refused if the provider says that the person has canceled, with the provider’s words and no markup', async () => {
    const { browser, url } = await begun();
    const { searchParams: sent } = new URL(url);
    const address = new URL(sent.get('redirect_uri') ?? '');
    address.search = new URLSearchParams({
      error: 'access_denied',
      error_description: `No <b>way</b>${'x'.repeat(3_000)}`,
      state: sent.get('state') ?? '',
      iss: provider.issuer,
    }).toString();
    const { detail } = (await finish(browser, address.href)).problem;
    expect(detail).toMatch(/No {2}b way {2}b/);
    expect(String(detail).length).toBeLessThan(400);
  });
});

describe('a session that began with a company account', () => {
  it('acts in that team alone, and can’t touch the account of the person', async () => {
    const company = await aCompany();
    const email = `both@${company.domain}`;
    const other = await aTeam(service);
    const mine = await aSignedInPerson(service, other, { email });
    const { browser } = await signIn(email);
    expect(await meIn(browser)).toMatchObject({ teams: [{ tenant_id: company.team.id }] });
    expect((await browser.query('app/myTrainings.list', {}, { team: other.id })).status).toBe(401);
    for (const [path, input] of [
      ['changePassword', { current: testPassword, password: 'another long password' }],
      ['startTwoFactor', { password: testPassword }],
      ['newPasskeyQuestion', {}],
      ['prove', { password: testPassword }],
      ['signOutEverywhere', {}],
      ['changeMe', { name: 'Somebody else' }],
    ] as const) {
      expect(await refusal(browser.mutate(`entrance/account.${path}`, input))).toMatchObject({ code: 'conflict' });
    }
    const { sessions } = (await browser.query('entrance/account.sessions')).data;
    expect(sessions).toMatchObject([{ current: true }]);
    const own = z.object({ sessions: z.array(z.object({ id: z.string(), current: z.boolean() })) });
    const { data } = await mine.browser.query('entrance/account.sessions');
    const session_id = own.parse(data).sessions.find(({ current }) => current)?.id;
    expect(await refusal(browser.mutate('entrance/account.endSession', { session_id }))).toMatchObject({
      code: 'not_found',
    });
    expect(await mine.browser.isSignedIn()).toBe(true);
  });

  it('neither shows nor ends assistants of the person’s other teams', async () => {
    const company = await aCompany();
    const email = `both@${company.domain}`;
    const other = await aTeam(service);
    const mine = await aSignedInPerson(service, other, { email });
    await connectInSession(service, mine.browser, other);
    const list = async (browser: BrowserSession) =>
      z
        .object({ assistants: z.array(z.object({ id: z.string() })) })
        .parse((await browser.query('entrance/assistants.list')).data).assistants;
    const { browser } = await signIn(email);
    const [connected] = await list(mine.browser);
    expect(await list(browser)).toEqual([]);
    const ended = browser.mutate('entrance/assistants.disconnect', { connection_id: connected?.id });
    expect(await refusal(ended)).toMatchObject({ code: 'not_found' });
    expect(await list(mine.browser)).toEqual([connected]);
  });

  it('accepts no invitation of another team, for which its person has to sign in', async () => {
    const company = await aCompany();
    const email = `both@${company.domain}`;
    const mine = await aSignedInPerson(service, await aTeam(service), { email });
    await (await aTeam(service)).anInvitedMember({ email });
    const token = await lastLink(service, email);
    const { browser } = await signIn(email);
    const isYou = async (one: BrowserSession) =>
      (await one.query('entrance/entrance.invitation', { token })).data['is_you'];
    expect([await isYou(browser), await isYou(mine.browser)]).toEqual([false, true]);
    const accept = (one: BrowserSession) => one.mutate('entrance/entrance.acceptInvitation', { token });
    expect(await refusal(accept(browser))).toMatchObject({ code: 'unauthorized' });
    expect((await accept(mine.browser)).status).toBe(200);
  });

  it('may change the name and language of a person who is in no other team', async () => {
    const company = await aCompany();
    const { browser } = await signIn(`vera@${company.domain}`);
    const change = { name: 'Vera Neu', language: 'en' };
    expect((await browser.mutate('entrance/account.changeMe', change)).status).toBe(200);
    expect(await meIn(browser)).toMatchObject(change);
  });

  it('has no powers that only the owner has, whoever controls the provider', async () => {
    const company = await aCompany();
    const { owner } = company.team;
    const domain = owner.email.slice(owner.email.indexOf('@') + 1);
    await addDomain(await company.team.acting(), domain, { proven: true });
    const { browser } = await (async () => {
      const one = makeBrowser(service);
      const started = await start(one, owner.email, { tenant_id: company.team.id });
      const address = await provider.answerFor(String(started.data['redirect_to']), anAccount(owner.email));
      return { browser: one, answer: await finish(one, address) };
    })();
    expect(await meIn(browser)).toMatchObject({ teams: [{ role: 'admin', may: ['member', 'admin', 'keys'] }] });
  });

  it('ends with the membership, and a removed person does not come back by signing in', async () => {
    const company = await aCompany();
    const email = `leaver@${company.domain}`;
    const login = anAccount(email);
    const { browser } = await signIn(email, login);
    const member = await service.database.prisma.member.findFirstOrThrow({
      where: { tenantId: company.team.id, email },
    });
    await removeMember(await company.team.acting(), member.id);
    expect(await browser.isSignedIn()).toBe(false);
    expect((await signIn(email, login)).answer.problem).toMatchObject({ code: 'conflict' });
    await company.team.anInvitedMember({ email });
    expect((await signIn(email, login)).answer.status).toBe(200);
  });

  it('begins again for an erased person, who can’t be recognized, while their account at the provider is open', async () => {
    const company = await aCompany();
    const email = `erased@${company.domain}`;
    const login = anAccount(email);
    await signIn(email, login);
    const { id } = await service.database.prisma.member.findFirstOrThrow({
      where: { tenantId: company.team.id, email },
    });
    await removeMember(await company.team.acting(), id);
    await erase(service, email);
    const { browser, answer } = await signIn(email, login);
    expect(answer.status).toBe(200);
    expect(await meIn(browser)).toMatchObject({ teams: [{ tenant_id: company.team.id, role: 'member' }] });
    const { id: newId } = await service.database.prisma.member.findFirstOrThrow({
      where: { tenantId: company.team.id, email },
    });
    expect(newId).not.toBe(id);
  });

  it('ends after a day, when the provider is switched off, and when it is deleted', async () => {
    const company = await aCompany();
    const email = `vera@${company.domain}`;
    const login = anAccount(email);
    const old = await signIn(email, login);
    await service.database.prisma.session.updateMany({
      where: await ofPerson(service, email),
      data: { createdAt: new Date(Date.now() - 25 * 3_600_000) },
    });
    expect(await old.browser.isSignedIn()).toBe(false);

    const second = await signIn(email, login);
    expect(await second.browser.isSignedIn()).toBe(true);
    await company.ask('switch', { enabled: false });
    expect(await second.browser.isSignedIn()).toBe(false);
    expect(await refusal(start(makeBrowser(service), email))).toMatchObject({ field: 'email' });

    await company.ask('switch', { enabled: true });
    const third = await signIn(email, login);
    await company.ask('remove');
    expect(await third.browser.isSignedIn()).toBe(false);
    expect(await entries(company, 'company_sign_in.removed')).toHaveLength(1);
  });

  it('needs the provider’s sign-in once more for what needs a fresh proof', async () => {
    const company = await aCompany({ setUp: { role: 'admin' } });
    const email = `admin@${company.domain}`;
    const login = anAccount(email);
    const { browser } = await signIn(email, login);
    await service.database.prisma.member.updateMany({
      where: { tenantId: company.team.id, email },
      data: { rights: ['schnittstellen'] },
    });
    const change = () => company.ask('save', settings(company.team, { role: 'admin' }), browser);
    expect((await change()).problem).toMatchObject({ code: 'proof_required' });
    const started = await browser.mutate('entrance/account.startCompanyProof', { next: '/settings' });
    const url = String(started.data['redirect_to']);
    const { searchParams: sent } = new URL(url);
    expect([sent.get('prompt'), sent.get('max_age')]).toEqual(['login', '0']);
    expect((await finish(browser, await provider.answerFor(url, login))).data).toMatchObject({ next: '/settings' });
    expect((await change()).status).toBe(200);
  });
});

describe('a domain', () => {
  it('counts after its DNS record names the team', async () => {
    const company = await aCompany();
    const domain = aDomain();
    const added = await company.ask('addDomain', { domain: `@${domain.toUpperCase()}` });
    expect(added.data['domains']).toContainEqual({ domain, proven: false, record: `_team-customer-api.${domain}` });
    expect(await refusal(company.ask('proveDomain', { domain }))).toMatchObject({ field: 'domain' });
    dns.set(`_team-customer-api.${domain}`, { TXT: ['team=another', `team=${company.team.id}`] });
    expect((await company.ask('proveDomain', { domain })).status).toBe(200);
    expect((await start(makeBrowser(service), `x@${domain}`)).data['redirect_to']).toMatch(/^https:/);
    await company.ask('removeDomain', { domain });
    expect(await refusal(start(makeBrowser(service), `x@${domain}`))).toMatchObject({ field: 'email' });
  });

  it('that was not added, or whose record names another team, is not proven', async () => {
    const [company, other] = [await aCompany(), await aCompany()];
    const domain = aDomain();
    dns.set(`_team-customer-api.${domain}`, { TXT: [`team=${company.team.id}`] });
    expect(await refusal(company.ask('proveDomain', { domain }))).toMatchObject({ code: 'not_found' });
    await other.ask('addDomain', { domain });
    expect(await refusal(other.ask('proveDomain', { domain }))).toMatchObject({ field: 'domain' });
    await company.ask('addDomain', { domain });
    expect((await company.ask('proveDomain', { domain })).status).toBe(200);
  });

  it('is one of at most twenty, and may be added again, which leaves it proven', async () => {
    const company = await aCompany();
    const acting = await company.team.acting();
    for (let count = 1; count < companyLimits.domains; count += 1) await addDomain(acting, aDomain());
    expect(await refusal(company.ask('addDomain', { domain: aDomain() }))).toMatchObject({ code: 'conflict' });
    const { data } = await company.ask('addDomain', { domain: company.domain });
    expect(data['domains']).toHaveLength(companyLimits.domains);
    expect(data['domains']).toContainEqual(expect.objectContaining({ domain: company.domain, proven: true }));
  });

  it('that is removed ends the sessions of its addresses alone; the removal of an unknown one is not audited', async () => {
    const company = await aCompany();
    const { domain } = company;
    const second = aDomain();
    await addDomain(await company.team.acting(), second, { proven: true });
    const [one, two] = [(await signIn(`a@${domain}`)).browser, (await signIn(`b@${second}`)).browser];
    for (const removed of [aDomain(), second]) await company.ask('removeDomain', { domain: removed });
    expect([await one.isSignedIn(), await two.isSignedIn()]).toEqual([true, false]);
    const changes = (await entries(company, 'company_sign_in.changed')).map(({ data }) => data);
    expect(changes).toEqual([{ domain_proven: domain }, { domain_proven: second }, { domain_removed: second }]);
  });

  it('of a suspended team opens nothing', async () => {
    const company = await aCompany();
    await company.team.change({ status: 'suspended' });
    expect(await refusal(start(makeBrowser(service), `a@${company.domain}`))).toMatchObject({ field: 'email' });
  });

  it('of two teams lets everybody choose, so that the answer does not show who is a member', async () => {
    const [one, two] = [await aCompany({ name: 'One' }), await aCompany({ name: 'Two' })];
    await addDomain(await two.team.acting(), one.domain, { proven: true });
    const emails = ['stranger', 'member', 'linked', 'invited'].map((local) => `${local}@${one.domain}`);
    const [stranger = '', member = '', linked = '', invited = ''] = emails;
    await one.team.anActiveMember({ email: member });
    const signedIn = makeBrowser(service);
    const started = await start(signedIn, linked, { tenant_id: two.team.id });
    await finish(signedIn, await provider.answerFor(String(started.data['redirect_to']), anAccount(linked)));
    expect(await signedIn.isSignedIn()).toBe(true);
    await two.team.anInvitedMember({ email: invited });

    const answers = await Promise.all(emails.map(async (email) => (await start(makeBrowser(service), email)).data));
    const [first] = answers;
    expect(answers).toEqual(emails.map(() => first));
    expect(first?.['redirect_to']).toBe(null);
    expect(first?.['teams']).toEqual(
      expect.arrayContaining([
        { tenant_id: one.team.id, name: 'One' },
        { tenant_id: two.team.id, name: 'Two' },
      ]),
    );
    for (const { team } of [one, two]) {
      const { data } = await start(makeBrowser(service), stranger, { tenant_id: team.id });
      expect(data['redirect_to']).toMatch(/^https:/);
    }
  });
});

describe('the set-up', () => {
  it('keeps the note that somebody has got through with it, until it has another secret', async () => {
    const company = await aCompany();
    const { issuer, client } = provider;
    const save = async (change: object = {}) => {
      const { data } = await company.ask('save', { issuer, client_id: client.client_id, role: 'member', ...change });
      return z.object({ provider: z.object({ tested_at: z.string().nullable() }) }).parse(data).provider.tested_at;
    };
    expect(await save()).toBeNull();
    const email = `vera@${company.domain}`;
    const login = anAccount(email);
    await signIn(email, login);
    const noted = await save({ role: 'admin' });
    expect(noted).not.toBeNull();
    await signIn(email, login);
    expect(await save()).toBe(noted);
    expect(await save({ client_secret: client.client_secret })).toBeNull();
    const [setUp] = await entries(company, 'company_sign_in.set_up');
    const saved = { issuer, client_id: client.client_id, role: 'member' };
    expect(setUp?.data).toEqual(saved);
    const [, ...changes] = await entries(company, 'company_sign_in.changed');
    expect(changes.map(({ data }) => data)).toEqual([
      saved,
      { ...saved, role: 'admin' },
      saved,
      { ...saved, secret: 'changed' },
    ]);
  });

  it('is switched and audited only if that changes something, and not before there is one', async () => {
    const company = await aCompany();
    for (const enabled of [true, false, false, true]) await company.ask('switch', { enabled });
    const switched = (await entries(company, 'company_sign_in.changed')).map(({ data }) => data).slice(1);
    expect(switched).toEqual([{ enabled: false }, { enabled: true }]);
    await company.ask('remove');
    for (const [path, input] of [
      ['switch', { enabled: true }],
      ['remove', {}],
    ] as const)
      expect(await refusal(company.ask(path, input))).toMatchObject({ code: 'conflict' });
  });

  it('is gone with its domains once it is removed, and a new one links each account by its address again', async () => {
    const company = await aCompany();
    const email = `vera@${company.domain}`;
    await signIn(email, anAccount(email));
    expect((await company.ask('remove')).data).toMatchObject({ provider: null, domains: [] });
    await company.ask('save', settings(company.team));
    await addDomain(await company.team.acting(), company.domain, { proven: true });
    expect((await signIn(email, anAccount(email))).answer.status).toBe(200);
  });
});
