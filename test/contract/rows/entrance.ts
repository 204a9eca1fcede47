import { z } from 'zod';
import { addDomain } from '../../../src/modules/company-sign-in/service.ts';
import type { entranceRouter } from '../../../src/modules/sign-ins/app.ts';
import { quiet, twice, without, type Place, type Prepare } from '../../changes/writes.ts';
import { lastLink } from '../../members/links.ts';
import { anAssignment } from '../../support/practice.ts';
import { anAssistantConnection } from '../../support/assistants.ts';
import { anAuthenticator, totp } from '../../support/authenticators.ts';
import { makeBrowser, testPassword as password } from '../../support/people.ts';
import { aDomain } from '../../support/company.ts';
import { anEmail } from '../../support/team.ts';
import { computed, type EntranceRow, type PartsOf, type RowsFor } from './kinds.ts';

const nothing = quiet(async () => ({}));
const withPassword = quiet(async () => ({ password }));

const Factor = z.object({ secret: z.string(), backup_codes: z.array(z.string()) });

/** The second factor of the owner, not turned on yet. */
const aFactor = async ({ app }: Place) => Factor.parse(await app('entrance/account.startTwoFactor', { password }));

const aTurnedOnFactor = async (place: Place) => {
  const factor = await aFactor(place);
  await place.app('entrance/account.confirmTwoFactor', { code: totp(factor.secret) });
  return factor;
};

/** Needs the password of somebody with a second factor. */
const withFactor = quiet(async (place) => {
  await aTurnedOnFactor(place);
  return { password };
});

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

/** The procedures that need no team: signing in, and the own account. */
export const entranceProcedures: Readonly<Record<string, EntranceRow>> = {
  'entrance.who': {
    who: 'anybody',
    limits: { '.me.teams[].closes.demand': computed, '.me.closed_teams[].demand': computed },
  },
  'entrance.rules': { who: 'anybody' },
  'entrance.signIn': {
    who: 'anybody',
    limits: { '.next': computed },
    write: quiet(async ({ team }) => ({ email: team.owner.email, password })),
  },
  'entrance.proveSecondFactor': {
    who: 'anybody',
    write: without(async (place, name) => {
      const { backup_codes: codes } = await aTurnedOnFactor(place);
      await place.browser.mutate('entrance/entrance.signOut');
      await place.app('entrance/entrance.signIn', { email: place.team.owner.email, password });
      return () => place.app(name, { code: codes[0], kind: 'backup' });
    }),
  },
  'entrance.passkeyQuestion': { who: 'anybody' },
  'entrance.signInWithPasskey': {
    who: 'anybody',
    write: without(async (place, name) => {
      const { authenticator } = await aPasskey(place);
      const browser = makeBrowser(place.companies.service);
      const { data } = await browser.query('entrance/entrance.passkeyQuestion');
      return async () => {
        const passkey = authenticator.get(data);
        const { status, text } = await browser.mutate(name, { passkey });
        if (status !== 200) throw new Error(text);
      };
    }),
  },
  'entrance.startCompanySignIn': {
    who: 'anybody',
    write: quiet(async (place) => ({ email: `vera@${await aCompanyOf(place)}` })),
  },
  'entrance.finishCompanySignIn': {
    who: 'anybody',
    write: companySignIn({ invite: false }),
    alsoWrites: { 'of somebody invited': companySignIn({ invite: true }) },
  },
  'entrance.signOut': { who: 'anybody', write: nothing },
  'entrance.requestReset': { who: 'anybody', write: quiet(async ({ team }) => ({ email: team.owner.email })) },
  'entrance.resetState': { who: 'anybody' },
  'entrance.resetPassword': {
    who: 'anybody',
    write: quiet(async ({ companies: { service }, team, app }) => {
      await app('entrance/entrance.requestReset', { email: team.owner.email });
      const [mail] = (await service.mailsTo(team.owner.email)).filter(({ kind }) => kind === 'password_reset');
      const token = /\/reset-password\/(\S+)\n/.exec(mail?.body.text ?? '')?.[1] ?? '';
      return { token, password: 'another long password' };
    }),
  },
  'entrance.reportKey': { who: 'anybody', write: quiet(async ({ team }) => ({ key: (await team.aKey()).text })) },
  'entrance.invitation': { who: 'anybody' },
  'entrance.acceptInvitation': {
    who: 'anybody',
    limits: { '.next': computed },
    write: async ({ companies: { service }, team, app, browser }, name) => {
      const email = anEmail('invited');
      const { id } = await team.anInvitedMember({ email });
      const theirs = await anAssignment(service, team, { memberId: id });
      await anAssignment(service, team, { memberId: team.owner.member_id });
      const input = { token: await lastLink(service, email), name: 'Mia Berg', password };
      return {
        call: async () => {
          await app(name, input);
          return { changed: [`users ${id}`, `assignments ${theirs}`] };
        },
        again: () => browser.mutate(name, input),
      };
    },
  },

  'account.changeMe': {
    who: 'signed in',
    companyAccount: 'admitted',
    write: twice(async ({ team }) => ({
      input: { name: 'Another name', language: 'en' },
      effect: { changed: [`users ${team.owner.member_id}`] },
    })),
  },
  'account.sessions': { who: 'signed in', companyAccount: 'admitted' },
  'account.endSession': {
    who: 'signed in',
    companyAccount: 'admitted',
    write: quiet(async ({ companies: { service }, team, browser }) => {
      await makeBrowser(service).signIn(team.owner.email, password);
      const { sessions } = (await browser.query('entrance/account.sessions')).data;
      const all = z.array(z.object({ id: z.string(), current: z.boolean() })).parse(sessions);
      return { session_id: all.find(({ current }) => !current)?.id };
    }),
  },
  'account.signOutEverywhere': { who: 'signed in', companyAccount: 'refused', write: nothing },
  'account.proofQuestion': { who: 'signed in', companyAccount: 'refused' },
  'account.prove': { who: 'signed in', companyAccount: 'refused', write: withPassword },
  'account.startCompanyProof': {
    who: 'signed in',
    companyAccount: 'admitted',
    write: without(async (place, name) => {
      const { browser } = await place.companies.signIn(`vera@${await aCompanyOf(place)}`);
      return async () => {
        const { status, text } = await browser.mutate(name);
        if (status !== 200) throw new Error(text);
      };
    }),
  },
  // Only for those who may set the provider up.
  'account.startCompanyTest': {
    who: 'signed in',
    companyAccount: 'admitted',
    write: quiet(async (place) => {
      await aCompanyOf(place);
      return { tenant_id: place.team.id };
    }),
  },
  'account.changePassword': {
    who: 'signed in',
    companyAccount: 'refused',
    proof: 'password',
    write: quiet(async () => ({ current: password, password: 'another long password' })),
  },
  'account.passkeys': { who: 'signed in', companyAccount: 'refused' },
  'account.newPasskeyQuestion': { who: 'signed in', companyAccount: 'refused', proof: 'fresh', write: nothing },
  'account.addPasskey': {
    who: 'signed in',
    companyAccount: 'refused',
    proof: 'fresh',
    write: quiet(async ({ app }) => {
      const question = await app('entrance/account.newPasskeyQuestion');
      return { name: 'Laptop', passkey: anAuthenticator().create(question) };
    }),
  },
  'account.renamePasskey': {
    who: 'signed in',
    companyAccount: 'refused',
    write: quiet(async (place) => ({ passkey_id: (await aPasskey(place)).id, name: 'Mine' })),
  },
  'account.removePasskey': {
    who: 'signed in',
    companyAccount: 'refused',
    proof: 'fresh',
    write: quiet(async (place) => ({ passkey_id: (await aPasskey(place)).id })),
  },
  'account.secondFactor': { who: 'signed in', companyAccount: 'refused' },
  'account.startTwoFactor': {
    who: 'signed in',
    companyAccount: 'refused',
    proof: 'password',
    write: withPassword,
  },
  // Follows the start, which has the password, and needs a code of the new device.
  'account.confirmTwoFactor': {
    who: 'signed in',
    companyAccount: 'refused',
    write: quiet(async (place) => ({ code: totp((await aFactor(place)).secret) })),
  },
  'account.stopTwoFactor': { who: 'signed in', companyAccount: 'refused', proof: 'password', write: withFactor },
  'account.newBackupCodes': { who: 'signed in', companyAccount: 'refused', proof: 'password', write: withFactor },

  // An assistant acts in one team; one that was connected with a company account, in that team.
  'assistants.question': { who: 'signed in', companyAccount: 'admitted' },
  'assistants.connect': {
    who: 'signed in',
    companyAccount: 'admitted',
    proof: 'fresh',
    write: quiet(async ({ companies: { service }, team }) => {
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
  },
  'assistants.list': { who: 'signed in', companyAccount: 'admitted' },
  'assistants.disconnect': {
    who: 'signed in',
    companyAccount: 'admitted',
    write: quiet(async ({ companies: { service }, team }) => ({
      connection_id: await anAssistantConnection(service, team, {
        memberId: team.owner.member_id,
        userId: team.owner.user_id,
      }),
    })),
  },
} satisfies RowsFor<PartsOf<typeof entranceRouter>, EntranceRow>;
