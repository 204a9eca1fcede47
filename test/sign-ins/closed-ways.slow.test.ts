import { UnauthorizedError } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { refreshTokens } from '../../src/modules/assistants/tokens.ts';
import { addDomain, demandSignIn, removeProvider, switchProvider } from '../../src/modules/company-sign-in/service.ts';
import { connectInSession, consentInSession, anAssistant } from '../support/assistants.ts';
import { type BrowserSession, aSignedInPerson, ofPerson, testPassword } from '../support/people.ts';
import { aDomain, useCompanies, type Company } from '../support/company.ts';
import { holdRows, untilLockWaits } from '../support/postgres.ts';
import { aTeam } from '../support/team.ts';
import { totp } from '../support/authenticators.ts';

// What a way to sign in has opened closes with it: sessions, and the assistants that were connected in them.

const { service, provider, aCompany, anAccount, signIn, finish } = await useCompanies();
const { prisma } = service.database;

/** A session with the company account that may do what needs a fresh proof. */
const withCompanyAccount = async (email: string) => {
  const login = anAccount(email);
  const { browser } = await signIn(email, login);
  const { data } = await browser.mutate('entrance/account.startCompanyProof');
  expect((await finish(browser, await provider.answerFor(String(data['redirect_to']), login))).status).toBe(200);
  return browser;
};

type Tokens = Awaited<ReturnType<typeof connectInSession>>;

const expectWorks = async ({ access }: Tokens): Promise<void> => {
  expect(await (await anAssistant(service, access)).toolNames()).not.toEqual([]);
};

const expectEnded = async ({ access, refresh, clientId }: Tokens): Promise<void> => {
  await expect(anAssistant(service, access)).rejects.toThrow(UnauthorizedError);
  expect(await refreshTokens(service.platform, { token: refresh, clientId })).toBe(undefined);
};

const reasons = async ({ team }: Company) =>
  (await prisma.auditEntry.findMany({ where: { tenantId: team.id, action: 'assistant.disconnected' } })).map(
    ({ data }) => data,
  );

describe('an assistant that was connected with the company account', () => {
  const withOtherClient = { client_id: 'another', client_secret: 'x', role: 'member' };
  it.each<[string, (company: Company) => Promise<unknown>]>([
    ['is switched off', ({ ask }) => ask('switch', { enabled: false })],
    ['is replaced', ({ ask }) => ask('save', { issuer: provider.issuer, ...withOtherClient })],
    ['is removed', ({ ask }) => ask('remove')],
    ['is switched off by the operator', async ({ team }) => switchProvider(await team.acting(), false)],
    ['is removed by the operator', async ({ team }) => removeProvider(await team.acting())],
    ['no longer accepts the domain', ({ ask, domain }) => ask('removeDomain', { domain })],
  ])('ends with its session when the provider %s', async (_what, close) => {
    const company = await aCompany();
    const { team, domain } = company;
    const email = `vera@${domain}`;
    const person = await aSignedInPerson(service, team, { email });
    const withPassword = await connectInSession(service, person.browser, team);
    const browser = await withCompanyAccount(email);
    const connected = await connectInSession(service, browser, team);
    const consented = await consentInSession(service, browser, team);
    await expectWorks(connected);

    await close(company);
    expect(await browser.isSignedIn()).toBe(false);
    await expectEnded(connected);
    // A code that was not exchanged yet.
    expect(await consented.exchange()).toBe(undefined);
    const ended = { assistant: 'An assistant', reason: 'company_account_ended' };
    expect(await reasons(company)).toEqual([ended, ended]);
    expect(await person.browser.isSignedIn()).toBe(true);
    await expectWorks(withPassword);
  });

  it('stays when another domain is removed, the secret is changed, or another team’s provider is switched off', async () => {
    const company = await aCompany();
    const { team, domain, ask } = company;
    const other = await aCompany();
    const unused = aDomain();
    await addDomain(await team.acting(), unused, { proven: true });
    const browser = await withCompanyAccount(`vera@${domain}`);
    const connected = await connectInSession(service, browser, team);
    await ask('removeDomain', { domain: unused });
    await ask('save', { issuer: provider.issuer, ...provider.client, role: 'member' });
    await other.ask('switch', { enabled: false });
    expect(await browser.isSignedIn()).toBe(true);
    await expectWorks(connected);
  });
});

describe('an assistant that was connected with a second factor', () => {
  it('has no more rights than its sessions after the second factor was turned off', async () => {
    const { team } = await aCompany();
    const { browser } = await aSignedInPerson(service, team);
    const elsewhere = await aTeam(service);
    const { data } = await browser.mutate('entrance/account.startTwoFactor', { password: testPassword });
    await browser.mutate('entrance/account.confirmTwoFactor', { code: totp(String(data['secret'])) });
    await demandSignIn(await team.acting(), { demand: 'second_factor' }, 'operator');
    const connected = await connectInSession(service, browser, team);
    const other = await aSignedInPerson(service, elsewhere);
    const bystander = await connectInSession(service, other.browser, elsewhere);
    await expectWorks(connected);

    await browser.mutate('entrance/account.stopTwoFactor', { password: testPassword });
    expect((await browser.query('app/myTrainings.list', {}, { team: team.id })).status).toBe(401);
    await expectEnded(connected);
    await expectWorks(bystander);
    // As its sessions, it is only downgraded: another demand opens the team again.
    await demandSignIn(await team.acting(), { demand: 'none' }, 'operator');
    await expectWorks(connected);
  });
});

describe('an assistant that is being connected', () => {
  /** Connects while a transaction, which `change` has begun, changes the session. */
  const connectDuring = async (
    browser: BrowserSession,
    { team }: Company,
    change: Parameters<typeof holdRows>[1],
  ): Promise<number> => {
    const commit = await holdRows(service, change);
    const consenting = consentInSession(service, browser, team);
    await untilLockWaits(service, { query: '%"session"%' });
    await commit();
    return (await consenting).answer.status;
  };

  it('is refused if its session has ended meanwhile', async () => {
    const company = await aCompany();
    const email = `vera@${company.domain}`;
    const browser = await withCompanyAccount(email);
    const where = await ofPerson(service, email);
    const status = await connectDuring(browser, company, (tx) => tx.session.deleteMany({ where }));
    expect(status).toBe(401);
    expect(await prisma.assistantConnection.count({ where: { tenantId: company.team.id } })).toBe(0);
  });

  it('is refused if the second factor of its session was turned off meanwhile', async () => {
    const company = await aCompany();
    const { browser, email } = await aSignedInPerson(service, company.team);
    const { data } = await browser.mutate('entrance/account.startTwoFactor', { password: testPassword });
    await browser.mutate('entrance/account.confirmTwoFactor', { code: totp(String(data['secret'])) });
    const where = await ofPerson(service, email);
    const status = await connectDuring(browser, company, (tx) =>
      tx.session.updateMany({ where, data: { way: 'password' } }),
    );
    expect(status).toBe(401);
  });

  it('holds its session: what ends the session waits, and then finds the connection', async () => {
    const company = await aCompany();
    const browser = await withCompanyAccount(`vera@${company.domain}`);
    // The consent waits for the row of its member, after it has locked the session.
    const release = await holdRows(service, (tx) =>
      tx.$queryRawUnsafe(`select from member where tenant_id = $1::uuid for update`, company.team.id),
    );
    const consenting = consentInSession(service, browser, company.team);
    await untilLockWaits(service);
    const switching = company.ask('switch', { enabled: false });
    await untilLockWaits(service, { count: 2 });
    await release();
    const consented = await consenting;
    expect(consented.answer.status).toBe(200);
    expect((await switching).status).toBe(200);
    expect(await consented.exchange()).toBe(undefined);
    expect(await browser.isSignedIn()).toBe(false);
    expect(await prisma.assistantConnection.count({ where: { tenantId: company.team.id } })).toBe(0);
  });
});
