import { z } from 'zod';
import { lastLink } from '../members/links.ts';
import { anAssignment } from '../support/practice.ts';
import { anAssistantConnection } from '../support/assistants.ts';
import { anAuthenticator, totp } from '../support/authenticators.ts';
import { makeBrowser, testPassword } from '../support/people.ts';
import { aDomain } from '../support/company.ts';
import { addDomain } from '../../src/modules/company-sign-in/service.ts';
import { anEmail } from '../support/team.ts';
import { quietIn, without, type Place, type Prepare, type Writes } from './writes.ts';

const quiet = quietIn('entrance');

const nothing = async () => ({});
const password = testPassword;
const withPassword = async () => ({ password });

const Factor = z.object({ secret: z.string(), backup_codes: z.array(z.string()) });

/** The second factor of the owner, not turned on yet. */
const aFactor = async ({ app }: Place) => Factor.parse(await app('entrance/account.startTwoFactor', { password }));

const aTurnedOnFactor = async (place: Place) => {
  const factor = await aFactor(place);
  await place.app('entrance/account.confirmTwoFactor', { code: totp(factor.secret) });
  return factor;
};

const aPasskey = async ({ app, browser }: Place) => {
  const authenticator = anAuthenticator();
  const passkey = authenticator.create(await app('entrance/account.newPasskeyQuestion'));
  await app('entrance/account.addPasskey', { name: 'Laptop', passkey });
  const { passkeys } = (await browser.query('entrance/account.passkeys')).data;
  const [first] = z.array(z.object({ id: z.string() })).parse(passkeys);
  return { authenticator, id: first?.id };
};

/** A team whose company account is set up, for a domain of its own. */
const aCompanyOf = async ({ companies, team, app }: Place) => {
  const domain = aDomain();
  await app('app/companySignIn.save', companies.settings(team));
  await addDomain(await team.acting(), domain, { proven: true });
  return domain;
};

/**
 * The first sign-in of somebody with the company account. `invite`: somebody who was invited and was given an
 * assignment.
 */
const companySignIn =
  ({ invite }: { invite: boolean }): Prepare =>
  async (place) => {
    const { companies, team } = place;
    const { service, provider, anAccount, start, finish } = companies;
    const email = `vera@${await aCompanyOf(place)}`;
    const theirs: string[] = [];
    if (invite) {
      const { id } = await team.anInvitedMember({ email });
      theirs.push(`users ${id}`, `assignments ${await anAssignment(service, team, { memberId: id })}`);
    }
    const login = anAccount(email);
    const signIn = async () => {
      const browser = makeBrowser(service);
      const started = await start(browser, email);
      const address = await provider.answerFor(String(started.data['redirect_to']), login);
      const { status, text } = await finish(browser, address);
      if (status !== 200) throw new Error(text);
    };
    return {
      call: async () => {
        await signIn();
        const { id } = await service.database.prisma.member.findFirstOrThrow({ where: { tenantId: team.id, email } });
        return { changed: invite ? theirs : [`users ${id}`] };
      },
      again: signIn,
    };
  };

const entrance: (readonly [string, Prepare])[] = [
  quiet('entrance.signIn', async ({ team }) => ({ email: team.owner.email, password })),
  [
    'entrance.proveSecondFactor',
    without(async (place) => {
      const { backup_codes: codes } = await aTurnedOnFactor(place);
      await place.browser.mutate('entrance/entrance.signOut');
      await place.app('entrance/entrance.signIn', { email: place.team.owner.email, password });
      return () => place.app('entrance/entrance.proveSecondFactor', { code: codes[0], kind: 'backup' });
    }),
  ],
  [
    'entrance.signInWithPasskey',
    without(async (place) => {
      const { authenticator } = await aPasskey(place);
      const browser = makeBrowser(place.companies.service);
      const { data } = await browser.query('entrance/entrance.passkeyQuestion');
      return async () => {
        const passkey = authenticator.get(data);
        const { status, text } = await browser.mutate('entrance/entrance.signInWithPasskey', { passkey });
        if (status !== 200) throw new Error(text);
      };
    }),
  ],
  quiet('entrance.startCompanySignIn', async (place) => ({ email: `vera@${await aCompanyOf(place)}` })),
  ['entrance.finishCompanySignIn', companySignIn({ invite: false })],
  ['entrance.finishCompanySignIn of somebody invited', companySignIn({ invite: true })],
  quiet('entrance.signOut', nothing),
  quiet('entrance.requestReset', async ({ team }) => ({ email: team.owner.email })),
  quiet('entrance.resetPassword', async ({ companies: { service }, team, app }) => {
    await app('entrance/entrance.requestReset', { email: team.owner.email });
    const [mail] = (await service.mailsTo(team.owner.email)).filter(({ kind }) => kind === 'password_reset');
    const token = /\/reset-password\/(\S+)\n/.exec(mail?.body.text ?? '')?.[1] ?? '';
    return { token, password: 'another long password' };
  }),
  [
    'entrance.acceptInvitation',
    async ({ companies: { service }, team, app, browser }) => {
      const email = anEmail('invited');
      const { id } = await team.anInvitedMember({ email });
      const theirs = await anAssignment(service, team, { memberId: id });
      await anAssignment(service, team, { memberId: team.owner.member_id });
      const input = { token: await lastLink(service, email), name: 'Mia Berg', password };
      return {
        call: async () => {
          await app('entrance/entrance.acceptInvitation', input);
          return { changed: [`users ${id}`, `assignments ${theirs}`] };
        },
        again: () => browser.mutate('entrance/entrance.acceptInvitation', input),
      };
    },
  ],
];

const account: (readonly [string, Prepare])[] = [
  [
    'account.changeMe',
    async ({ team, app, browser }) => {
      const input = { name: 'Another name', language: 'en' };
      return {
        call: async () => {
          await app('entrance/account.changeMe', input);
          return { changed: [`users ${team.owner.member_id}`] };
        },
        again: () => browser.mutate('entrance/account.changeMe', input, { team: team.id }),
      };
    },
  ],
  quiet('account.changePassword', async () => ({ current: password, password: 'another long password' })),
  quiet('account.endSession', async ({ companies: { service }, team, browser }) => {
    await makeBrowser(service).signIn(team.owner.email, password);
    const { sessions } = (await browser.query('entrance/account.sessions')).data;
    const all = z.array(z.object({ id: z.string(), current: z.boolean() })).parse(sessions);
    return { session_id: all.find(({ current }) => !current)?.id };
  }),
  quiet('account.signOutEverywhere', nothing),
  [
    'account.startCompanyProof',
    without(async (place) => {
      const { browser } = await place.companies.signIn(`vera@${await aCompanyOf(place)}`);
      return async () => {
        const { status, text } = await browser.mutate('entrance/account.startCompanyProof');
        if (status !== 200) throw new Error(text);
      };
    }),
  ] as const,
  quiet('account.startCompanyTest', async (place) => {
    await aCompanyOf(place);
    return { tenant_id: place.team.id };
  }),
  quiet('account.prove', withPassword),
  quiet('account.newPasskeyQuestion', nothing),
  quiet('account.addPasskey', async ({ app }) => {
    const question = await app('entrance/account.newPasskeyQuestion');
    return { name: 'Laptop', passkey: anAuthenticator().create(question) };
  }),
  quiet('account.renamePasskey', async (place) => ({ passkey_id: (await aPasskey(place)).id, name: 'Mine' })),
  quiet('account.removePasskey', async (place) => ({ passkey_id: (await aPasskey(place)).id })),
  quiet('account.startTwoFactor', withPassword),
  quiet('account.confirmTwoFactor', async (place) => ({ code: totp((await aFactor(place)).secret) })),
  quiet('account.stopTwoFactor', async (place) => {
    await aTurnedOnFactor(place);
    return { password };
  }),
  quiet('account.newBackupCodes', async (place) => {
    await aTurnedOnFactor(place);
    return { password };
  }),
];

const assistants = [
  quiet('assistants.connect', async ({ companies: { service }, team }) => {
    const redirect_uri = 'http://127.0.0.1:45678/callback';
    const registered = await fetch(`${service.origin}/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_name: 'An assistant', redirect_uris: [redirect_uri] }),
    });
    const { client_id } = z.object({ client_id: z.string() }).parse(await registered.json());
    return {
      client_id,
      redirect_uri,
      response_type: 'code',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
      tenant_id: team.id,
    };
  }),
  quiet('assistants.disconnect', async ({ companies: { service }, team }) => ({
    connection_id: await anAssistantConnection(service, team, {
      memberId: team.owner.member_id,
      userId: team.owner.user_id,
    }),
  })),
];

/**
 * Every procedure of the entrance that writes: signing in, and the own account. Some have a second case with its own
 * words.
 */
export const entranceWrites: Writes = Object.fromEntries<Prepare>([...entrance, ...account, ...assistants]);
