import type { z } from 'zod';
import { signInLimits } from '../../core/limits.ts';
import { signInMessages } from '../../core/messages/people.ts';
import { networkOf } from '../../core/address.ts';
import { hashingForPerson, hashingForStranger, hashPassword } from '../../core/password.ts';
import { fail } from '../../core/problem.ts';
import type { Camel } from '../../core/spelling.ts';
import { disconnectAll } from '../assistants/service.ts';
import { acceptInvitation, findInvitation } from '../members/acceptance.ts';
import { lockPersonOfResetLink, mailResetLink, personOfResetLink } from '../people/service.ts';
import { findPerson, personIdOf, setPassword } from '../people/store.ts';
import {
  firstStepCookie,
  secretsOf,
  sessionCookie,
  signedValueOf,
  withoutCookie,
  rememberBrowser,
  type KnownBrowser,
} from './cookies.ts';
import { toLibrary, callLibrary, callLibraryHoldingCookies } from './library.ts';
import { personOfAnswer } from './passkeys.ts';
import type { Acceptance, PasskeyAnswer, Reset, SecondFactor, SignIn } from './schema.ts';
import { endSignIns, sessions, verifications } from './store.ts';
import { auditLock, hideDuration, deleteTries, isFirstUseOfCode, spendTry, auditInTeams } from './tries.ts';
import { teamsOf, type Visitor } from './visitor.ts';

type Credentials = z.output<typeof SignIn>;

/** Ends the session that this browser had before the sign-in. */
const endFormerSession = async ({ platform }: Visitor, former: { sessionId: string } | undefined): Promise<void> => {
  if (former) await sessions.remove(platform.database.prisma, { id: former.sessionId });
};

/** The known browser of this person, if this browser is one. */
const knownBrowserOf = async (visitor: Visitor, personId: string | undefined): Promise<KnownBrowser | undefined> => {
  if (personId === undefined) return undefined;
  return (await visitor.knownBrowsers()).find((browser) => browser.personId === personId);
};

/**
 * Counts a try to sign in. A known browser of the person has its own tries; others count in the tries of the network
 * and of the account.
 */
const spendSignInTry = async (
  visitor: Visitor,
  { email, personId, known }: { email: string; personId: string | undefined; known: KnownBrowser | undefined },
): Promise<void> => {
  const { platform, address } = visitor;
  const { database } = platform;
  const { triesPerAccount, triesPerAccountFromOnePlace, triesFromKnownBrowser } = signInLimits;
  const onRefused = async (first: boolean): Promise<void> => {
    visitor.report('sign_in_locked', { personId, email, repeated: !first });
    if (first && personId !== undefined) {
      await auditLock(platform, 'sign_in.locked', { personId, address });
    }
  };
  if (known) {
    await spendTry(database, { what: 'sign-in by', whom: known.id, ...triesFromKnownBrowser, onRefused });
    return;
  }
  const network = networkOf(address);
  const onLimited = (first: boolean) => visitor.report('limited', { repeated: !first });
  const perMinute = { max: platform.signIn.triesPerMinute, seconds: 60, onRefused: onLimited };
  await spendTry(database, { what: 'sign-in from', whom: network, ...perMinute });
  const whom = `${email} ${network}`;
  await spendTry(database, { what: 'sign-in as', whom, ...triesPerAccountFromOnePlace, onRefused });
  await spendTry(database, { what: 'sign-in as', whom: email, ...triesPerAccount, onRefused });
};

/**
 * Signs a person in, or asks for the second factor. A wrong password, an unknown address and a person without a team
 * get the same answer after the same time.
 */
export const signIn = (visitor: Visitor, credentials: Credentials) =>
  hideDuration(visitor.platform, 'refusals', async () => {
    const { email } = credentials;
    const personId = await personIdOf(visitor.platform.database.prisma, email);
    const known = await knownBrowserOf(visitor, personId);
    await spendSignInTry(visitor, { email, personId, known });
    const signInNow = () => enter(visitor, credentials);
    return known ? hashingForPerson(known.personId, signInNow) : hashingForStranger(visitor.address, signInNow);
  });

/** Signs in without counting a try. */
const enter = async (visitor: Visitor, { email, password }: Credentials) => {
  const { auth, platform, headers } = visitor;
  const former = await visitor.signedIn();
  const personId = await personIdOf(visitor.platform.database.prisma, email);
  if (personId !== undefined && (await teamsOf(platform, personId)).length === 0) {
    // Makes the answer take as long as for a wrong password.
    await hashPassword(password, platform.signIn.passwordCost);
    visitor.report('password_wrong', { personId });
    return fail('validation_error', { field: 'password', detail: signInMessages.wrongPassword });
  }
  const answer = await callLibrary(visitor, { field: 'password', personId, email }, () =>
    auth.api.signInEmail({ body: { email: toLibrary(email), password }, headers, returnHeaders: true }),
  );
  await endFormerSession(visitor, former);
  const owes = 'twoFactorRedirect' in answer;
  if (!owes && personId !== undefined) await finishSignIn(visitor, personId, answer.token);
  return { next: owes ? ('second_factor' as const) : ('signed_in' as const) };
};

/**
 * Accepts an invitation. A person who can sign in accepts while signed in. Anybody else is signed in with the password
 * that they have just chosen, and sessions from an earlier membership end.
 */
export const acceptAndEnter = (visitor: Visitor, { token, name, password }: z.output<typeof Acceptance>) =>
  hashingForStranger(visitor.address, async () => {
    const { platform, address } = visitor;
    const invitation = (await findInvitation(platform, token)) ?? fail('not_found');
    const onRefused = (first: boolean) => visitor.report('limited', { repeated: !first });
    await spendTry(platform.database, { what: 'acceptance of', whom: token, ...signInLimits.triesPerLink, onRefused });
    const signedIn = await visitor.signedIn();
    // A session of a team's company account acts in that team alone.
    const signedInPersonId = signedIn?.companyTeamId === null ? signedIn.personId : undefined;
    const acceptance = { token, name, password, signedInPersonId, address };
    const { tenantId, personId } = await acceptInvitation(platform, acceptance);
    if (invitation.personKnown || password === undefined) return { next: 'signed_in' as const, tenantId };
    await platform.database.transaction((tx) => endSignIns(tx, personId));
    return { ...(await enter(visitor, { email: invitation.email, password })), tenantId };
  });

/**
 * Signs a person in with a passkey, which counts as the second factor too. A person without a team is refused. The
 * duration need not be hidden: nobody can guess the id of a passkey.
 */
export const signInWithPasskey = async (visitor: Visitor, answer: PasskeyAnswer): Promise<void> => {
  const { auth, headers, platform } = visitor;
  const former = await visitor.signedIn();
  const personId = await personOfAnswer(visitor, 'sign in', answer);
  if ((await teamsOf(platform, personId)).length === 0) {
    visitor.report('passkey_wrong', { personId });
    fail('validation_error', { field: 'passkey', detail: signInMessages.passkeyNotAccepted });
  }
  await callLibrary(visitor, { field: 'passkey', personId }, () =>
    auth.api.signInProven({ body: { personId }, headers, returnHeaders: true }),
  );
  await endFormerSession(visitor, former);
  await finishSignIn(visitor, personId, null);
};

/**
 * Runs after the last step of a sign-in. `token`: the token of the new session; null after a sign-in with a passkey,
 * whose session counts as one with a second factor from the start.
 */
const finishSignIn = async (visitor: Visitor, personId: string, token: string | null): Promise<void> => {
  const { prisma } = visitor.platform.database;
  // The session also counts as one with a second factor in a trusted browser, because the second factor was shown there
  // before.
  if (token !== null && (await findPerson(prisma, personId))?.twoFactorEnabled) {
    await sessions.noteSecondFactor(prisma, token);
  }
  await rememberBrowser(visitor, personId);
  visitor.report('signed_in', { personId });
};

/** The person who made the first step in this browser. */
const personOfFirstStep = async ({ platform, headers }: Visitor): Promise<string | undefined> => {
  const [secret] = secretsOf(platform);
  const identifier = signedValueOf(
    headers.get('cookie') ?? '',
    firstStepCookie(platform.publicUrl),
    secret?.value ?? '',
  );
  if (identifier === undefined) return undefined;
  const [step] = await verifications.among(platform.database.prisma, [identifier], platform.clock.now());
  return step?.value;
};

/** Counts a code before it is checked, so that parallel requests get no more tries than successive ones. */
const spendCodeTry = async (visitor: Visitor, personId: string) => {
  const { platform } = visitor;
  const { max, seconds } = signInLimits.wrongCodes;
  const known = await knownBrowserOf(visitor, personId);
  const tries = known ? { what: 'codes by', whom: known.id, seconds } : { what: 'codes as', whom: personId, seconds };
  const onRefused = async (first: boolean): Promise<void> => {
    visitor.report('second_factor_locked', { personId, repeated: !first });
    if (first) await auditLock(platform, 'second_factor.locked', { personId, address: visitor.address });
  };
  await spendTry(platform.database, { ...tries, max, onRefused });
  return tries;
};

/** The second step of signing in. A code of an authenticator app works once, so nobody else can use it afterwards. */
export const proveSecondFactor = async (
  visitor: Visitor,
  { code, kind, trustDevice }: Camel<z.output<typeof SecondFactor>>,
): Promise<void> => {
  const { auth, platform } = visitor;
  const { database } = platform;
  const personId = (await personOfFirstStep(visitor)) ?? fail('unauthorized');
  const tries = await spendCodeTry(visitor, personId);
  const body = { code, trustDevice };
  const headers = headersOfFirstStep(visitor);
  const { headers: answered, response } = await callLibraryHoldingCookies(visitor, { field: 'code', personId }, () =>
    kind === 'totp'
      ? auth.api.verifyTOTP({ body, headers, returnHeaders: true })
      : auth.api.verifyBackupCode({ body, headers, returnHeaders: true }),
  );
  if (kind === 'totp' && !(await isFirstUseOfCode(database, personId, code))) {
    await sessions.remove(database.prisma, { token: response.token ?? '' });
    visitor.report('code_wrong', { personId });
    fail('validation_error', { field: 'code', detail: signInMessages.wrongCode });
  }
  visitor.setCookies(answered);
  await deleteTries(database, tries);
  await finishSignIn(visitor, personId, response.token ?? null);
};

/**
 * The request's headers without the session cookie. If it were sent, the library would check the code of the person in
 * that session.
 */
const headersOfFirstStep = ({ headers, platform }: Visitor): Headers => {
  const left = withoutCookie(headers.get('cookie') ?? '', sessionCookie(platform.publicUrl));
  const first = new Headers(headers);
  if (left === undefined) first.delete('cookie');
  else first.set('cookie', left);
  return first;
};

export const signOut = async (visitor: Visitor): Promise<void> => {
  const { auth, headers } = visitor;
  await callLibrary(visitor, { field: 'password' }, () => auth.api.signOut({ headers, returnHeaders: true }));
};

/**
 * Mails a reset link to the person with this address. For an unknown address the answer is the same and takes as long.
 */
export const requestReset = async (visitor: Visitor, email: string): Promise<void> => {
  const { platform, address } = visitor;
  const { database } = platform;
  const { resetMails, resetsFromNetwork } = signInLimits;
  const onRefused = (first: boolean) => visitor.report('limited', { email, repeated: !first });
  const known = await knownBrowserOf(visitor, await personIdOf(visitor.platform.database.prisma, email));
  // A known browser has its own count, so that other people in the same network can't prevent its person from a reset.
  const requester = known ? { what: 'resets by', whom: known.id } : { what: 'resets from', whom: networkOf(address) };
  await spendTry(database, { ...requester, ...resetsFromNetwork, onRefused });
  await spendTry(database, { what: 'reset for', whom: email, ...resetMails, onRefused });
  const personId = await hideDuration(platform, 'always', () =>
    database.transaction((tx) => mailResetLink(tx, platform, email)),
  );
  visitor.report('reset_asked', { personId, email });
};

/** Whether a reset link still works. */
export const resetState = async ({ platform }: Visitor, token: string) => {
  const person = await personOfResetLink(platform.database.prisma, platform, token);
  return { valid: person !== undefined, email: person?.email ?? null };
};

/**
 * Sets a new password with a reset link, and ends all sessions, because another person may have had the old password.
 * Afterwards this is the only known browser.
 */
export const setNewPassword = async (visitor: Visitor, { token, password }: z.output<typeof Reset>): Promise<void> => {
  const { platform } = visitor;
  const { database } = platform;
  // The link is checked before the password is hashed, and again under the lock.
  const { id } = (await personOfResetLink(database.prisma, platform, token)) ?? fail('not_found');
  const onRefused = (first: boolean) => visitor.report('limited', { personId: id, repeated: !first });
  await spendTry(database, { what: 'reset with', whom: token, ...signInLimits.triesPerLink, onRefused });
  const hashed = await hashingForStranger(visitor.address, () => hashPassword(password, platform.signIn.passwordCost));
  const teams = await teamsOf(platform, id);
  await database.transaction(async (tx) => {
    const person = await lockPersonOfResetLink(tx, platform, token);
    await setPassword(tx, platform, (person ?? fail('not_found')).id, hashed);
    await endSignIns(tx, id);
    await auditInTeams(tx, platform, { action: 'password.reset', teams, byThemselves: true, address: visitor.address });
    // The link came from the account's mailbox, so this browser gets its own tries. Strangers may be using up the tries
    // of the account, and all other known browsers have just been forgotten.
    await rememberBrowser(visitor, id, tx);
  });
  await disconnectAll(platform, id, 'password_changed');
  visitor.report('reset_done', { personId: id });
};
