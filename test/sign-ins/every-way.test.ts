import { UnauthorizedError } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { passwordLink } from '../../src/modules/members/service.ts';
import { lastLink } from '../members/links.ts';
import { connectInSession, anAssistant } from '../support/assistants.ts';
import { anAuthenticator, totp } from '../support/authenticators.ts';
import {
  makeBrowser,
  type AppAnswer,
  type BrowserSession,
  aPerson,
  aSignedInPerson,
  testPassword,
} from '../support/people.ts';
import { useCompanies } from '../support/company.ts';
import { anEmail, aTeam, type TestTeam } from '../support/team.ts';

// What holds for each way to sign in, and for each way to take an account back from somebody else.

const { service, provider, aCompany, anAccount, signIn, finish } = await useCompanies();

const session = 'team.session_token';
const newPassword = 'another long password';

const Secrets = z.object({ secret: z.string(), backup_codes: z.array(z.string()) });

/** A person with a second factor and the browser in which they turned it on. */
const aCarefulPerson = async (team: TestTeam) => {
  const person = await aSignedInPerson(service, team);
  const { data } = await person.browser.mutate('entrance/account.startTwoFactor', { password: testPassword });
  const { secret, backup_codes: codes } = Secrets.parse(data);
  await person.browser.mutate('entrance/account.confirmTwoFactor', { code: totp(secret) });
  return { ...person, secret, codes };
};

const secondStep = async (browser: BrowserSession, email: string, step: object, password = testPassword) => {
  expect((await browser.signIn(email, password)).data).toEqual({ next: 'second_factor' });
  return browser.mutate('entrance/entrance.proveSecondFactor', { trust_device: false, ...step });
};

/** Each makes somebody who can sign in in this way, and returns how they do. */
const ways: Record<string, () => Promise<(browser: BrowserSession) => Promise<AppAnswer>>> = {
  'a password': async () => {
    const { email } = await aPerson(await aTeam(service));
    return (browser) => browser.signIn(email, testPassword);
  },
  'a password and a code': async () => {
    const { email, secret } = await aCarefulPerson(await aTeam(service));
    return (browser) => secondStep(browser, email, { kind: 'totp', code: totp(secret, 1) });
  },
  'a password and a backup code': async () => {
    const { email, codes } = await aCarefulPerson(await aTeam(service));
    return (browser) => secondStep(browser, email, { kind: 'backup', code: codes[0] });
  },
  'a passkey': async () => {
    const { browser: own } = await aSignedInPerson(service, await aTeam(service));
    const authenticator = anAuthenticator();
    const { data } = await own.mutate('entrance/account.newPasskeyQuestion');
    await own.mutate('entrance/account.addPasskey', { name: 'Laptop', passkey: authenticator.create(data) });
    return async (browser) => {
      const question = (await browser.query('entrance/entrance.passkeyQuestion')).data;
      return browser.mutate('entrance/entrance.signInWithPasskey', { passkey: authenticator.get(question) });
    };
  },
  'the company account': async () => {
    const email = `vera@${(await aCompany()).domain}`;
    return async (browser) => (await signIn(email, anAccount(email), browser)).answer;
  },
  'the acceptance of an invitation': async () => {
    const email = anEmail('invited');
    await (await aTeam(service)).anInvitedMember({ email });
    const acceptance = { token: await lastLink(service, email), name: 'Mia Berg', password: testPassword };
    return (browser) => browser.mutate('entrance/entrance.acceptInvitation', acceptance);
  },
};

describe('signing in', () => {
  it.each(Object.entries(ways))('with %s ends the session that the browser had before', async (_way, prepare) => {
    const enter = await prepare();
    const { browser: other } = await aSignedInPerson(service, await aTeam(service));
    const browser = makeBrowser(service);
    browser.cookies.set(session, other.cookies.get(session) ?? '');
    expect((await enter(browser)).status).toBe(200);
    expect(await browser.isSignedIn()).toBe(true);
    expect(browser.cookies.get(session)).not.toBe(other.cookies.get(session));
    expect(await other.isSignedIn()).toBe(false);
  });

  it('with a password in a trusted browser does so, too', async () => {
    const { email, codes } = await aCarefulPerson(await aTeam(service));
    const browser = makeBrowser(service);
    await secondStep(browser, email, { kind: 'backup', code: codes[0], trust_device: true });
    const former = makeBrowser(service);
    former.cookies.set(session, browser.cookies.get(session) ?? '');
    expect((await browser.signIn(email, testPassword)).data).toEqual({ next: 'signed_in' });
    expect(await former.isSignedIn()).toBe(false);
  });

  it('with the company account as a proof ends the session that it proves, and goes on in another', async () => {
    const email = `vera@${(await aCompany()).domain}`;
    const login = anAccount(email);
    const { browser } = await signIn(email, login);
    const former = makeBrowser(service);
    former.cookies.set(session, browser.cookies.get(session) ?? '');
    const { data } = await browser.mutate('entrance/account.startCompanyProof');
    expect((await finish(browser, await provider.answerFor(String(data['redirect_to']), login))).status).toBe(200);
    expect(await browser.isSignedIn()).toBe(true);
    expect(await former.isSignedIn()).toBe(false);
  });
});

interface Own {
  email: string;
  memberId: string;
  browser: BrowserSession;
}

const reset = async (token: string) => {
  const { status } = await makeBrowser(service).mutate('entrance/entrance.resetPassword', {
    token,
    password: newPassword,
  });
  expect(status).toBe(200);
};

/** Each way to take an account back: what it does, the password then, and the reason in the audit log. */
const takings: [string, (own: Own, team: TestTeam) => Promise<unknown>, string, string][] = [
  [
    'a new password',
    ({ browser }) =>
      browser.mutate('entrance/account.changePassword', { current: testPassword, password: newPassword }),
    newPassword,
    'password_changed',
  ],
  [
    'a reset of the password',
    async ({ email }) => {
      await makeBrowser(service).mutate('entrance/entrance.requestReset', { email });
      const [mail] = (await service.mailsTo(email)).filter(({ kind }) => kind === 'password_reset');
      await reset(/\/reset-password\/(\S+)\n/.exec(mail?.body.text ?? '')?.[1] ?? '');
    },
    newPassword,
    'password_changed',
  ],
  [
    'a reset by the operator’s link',
    async ({ memberId }, team) =>
      reset(new URL(await passwordLink(await team.acting(), memberId)).pathname.split('/').at(-1) ?? ''),
    newPassword,
    'password_changed',
  ],
  [
    'signing out everywhere',
    ({ browser }) => browser.mutate('entrance/account.signOutEverywhere'),
    testPassword,
    'signed_out_everywhere',
  ],
];

describe('taking an account back', () => {
  it.each(takings)(
    'by %s ends all other sessions, assistants in every team, and the trust in browsers',
    async (_what, take, password, reason) => {
      const [team, second] = [await aTeam(service), await aTeam(service)];
      const own = await aCarefulPerson(team);
      await aPerson(second, { email: own.email });
      const thief = makeBrowser(service);
      await secondStep(thief, own.email, { kind: 'backup', code: own.codes[0], trust_device: true });
      const begun = makeBrowser(service);
      await begun.signIn(own.email, testPassword);
      const connected = [
        await connectInSession(service, own.browser, team),
        await connectInSession(service, thief, second),
      ];
      for (const { access } of connected) {
        expect(await (await anAssistant(service, access)).toolNames()).not.toEqual([]);
      }

      await take(own, team);
      expect(await thief.isSignedIn()).toBe(false);
      for (const { access } of connected) await expect(anAssistant(service, access)).rejects.toThrow(UnauthorizedError);
      const ended = await service.database.prisma.auditEntry.findMany({
        where: { tenantId: { in: [team.id, second.id] }, action: 'assistant.disconnected' },
      });
      expect(ended.map(({ data }) => data)).toEqual(Array.from(connected, () => expect.objectContaining({ reason })));
      const goesOn = { code: own.codes[1], kind: 'backup', trust_device: false };
      expect((await begun.mutate('entrance/entrance.proveSecondFactor', goesOn)).status).toBe(401);
      expect((await secondStep(thief, own.email, { kind: 'backup', code: own.codes[1] }, password)).status).toBe(200);
    },
  );
});
