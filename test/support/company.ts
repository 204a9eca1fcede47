import { afterAll, beforeEach, expect } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { addDomain, redirectUriOf } from '../../src/modules/company-sign-in/service.ts';
import { makeBrowser, type BrowserSession, aSignedInPerson, testPassword, type SignedInPerson } from './people.ts';
import { certificates } from './certificates.ts';
import { localFeeds } from './receiver.ts';
import { startIdentityProvider, type IdentityProvider } from './identity-provider.ts';
import { startNameServer } from './name-server.ts';
import { startTestService } from './service.ts';
import { aTeam, type TestTeam } from './team.ts';

export interface Company {
  team: TestTeam;
  /** An admin with the right to set this up, signed in with a password. */
  admin: SignedInPerson;
  domain: string;
  ask(path: string, input?: object, browser?: BrowserSession): ReturnType<BrowserSession['mutate']>;
}

let number = 0;
export const aDomain = () => `company-${process.pid}-${(number += 1)}.example`;

/** A service, an identity provider and a name server for the tests of a file. */
export const useCompanies = async () => {
  const { close, ...companies } = await startCompanies();
  afterAll(close);
  beforeEach(() => {
    companies.provider.stopLying();
  });
  return companies;
};

export type Companies = Awaited<ReturnType<typeof useCompanies>>;

/** The same; close it at the end. */
export const startCompanies = async () => {
  const dns = await startNameServer();
  const service = await startTestService({
    environment: {
      SIGN_IN_RATE_PER_MIN: '100000',
      ...localFeeds((await certificates()).caFile()),
      WEBHOOK_DNS_SERVERS: dns.address,
    },
  });
  const provider = await startIdentityProvider();
  const close = async (): Promise<void> => {
    await provider.close();
    await dns.close();
    await service.close();
  };

  /** The settings of a team, whose address is registered at the provider. */
  const settings = ({ id }: Pick<TestTeam, 'id'>, change: object = {}, at: IdentityProvider = provider) => {
    at.register(redirectUriOf(service.platform, id));
    return { issuer: at.issuer, ...at.client, role: 'member', ...change };
  };

  const aCompany = async (
    options: Parameters<typeof aTeam>[1] & { setUp?: object; at?: IdentityProvider } = {},
  ): Promise<Company> => {
    const { setUp, at, ...wanted } = options;
    const team = await aTeam(service, { ownerPassword: testPassword, ...wanted });
    const admin = await aSignedInPerson(service, team, { role: 'admin', rights: ['schnittstellen'] });
    const domain = aDomain();
    const ask: Company['ask'] = (path, input = {}, browser = admin.browser) =>
      browser.mutate(`app/companySignIn.${path}`, input, { team: team.id });
    expect((await ask('save', settings(team, setUp, at))).status).toBe(200);
    await addDomain(await team.acting(), domain, { proven: true });
    return { team, admin, domain, ask };
  };

  const anAccount = (email: string | undefined, more: object = {}): string => {
    const login = makeId();
    provider.accounts.set(login, {
      ...(email !== undefined && { email }),
      email_verified: true,
      name: 'Vera Kauf',
      ...more,
    });
    return login;
  };

  const start = async (browser: BrowserSession, email: string, more: object = {}) =>
    browser.mutate('entrance/entrance.startCompanySignIn', { email, ...more });

  /** What the app sends when the browser comes back to an address. */
  const finish = (browser: BrowserSession, address: string) => {
    const { pathname, search } = new URL(address);
    const answer = { tenant_id: pathname.split('/').at(-1), query: search.slice(1) };
    return browser.mutate('entrance/entrance.finishCompanySignIn', answer);
  };

  /** Signs in with the company account. */
  const signIn = async (email: string, login = anAccount(email), browser = makeBrowser(service)) => {
    const started = await start(browser, email);
    const address = await provider.answerFor(String(started.data['redirect_to']), login);
    return { browser, answer: await finish(browser, address) };
  };

  const refusal = async (answer: Promise<{ problem: Record<string, unknown> }>) => (await answer).problem;

  return { dns, service, provider, settings, aCompany, anAccount, start, finish, signIn, refusal, close };
};
