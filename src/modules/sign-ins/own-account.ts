import type { z } from 'zod';
import { isId } from '../../core/ids.ts';
import { signInLimits } from '../../core/limits.ts';
import { companyMessages } from '../../core/messages/company-sign-in.ts';
import { signInMessages } from '../../core/messages/people.ts';
import { isPassword } from '../../core/password.ts';
import { fail } from '../../core/problem.ts';
import { disconnectAll } from '../assistants/service.ts';
import { touchMembersOf } from '../membership/service.ts';
import { changePerson, findPerson, storedHash } from '../people/store.ts';
import { rememberBrowser, sessionTokenIn } from './cookies.ts';
import { callLibrary, callLibraryHoldingCookies } from './library.ts';
import { personOfAnswer } from './passkeys.ts';
import type { MeChange, PasswordChange, Proof, SignedIn } from './schema.ts';
import { endSignIns, sessions, verifications } from './store.ts';
import { isFirstUseOfCode, spendTry } from './tries.ts';
import { teamsOf, type Visitor } from './visitor.ts';
import { withdrawSecondFactor } from './ways.ts';

// Changes of people's own accounts: name, language, password, sessions and second factor. Passkeys are in
// `passkeys.ts`.

export const changeMe = async (
  { platform }: Visitor,
  { personId, companyTeamId }: SignedIn,
  change: z.output<typeof MeChange>,
): Promise<void> => {
  const { name, language } = change;
  // A session of one team's company account must not make a change that other teams would see.
  if (companyTeamId !== null && (await teamsOf(platform, personId)).length > 1) {
    fail('conflict', { detail: companyMessages.onlyInTeam });
  }
  await platform.database.transaction(async (tx) => {
    const before = await findPerson(tx, personId);
    await changePerson(tx, personId, {
      ...(name !== undefined && { name }),
      ...(language !== undefined && { language }),
    });
    if (name !== undefined && name !== before?.name) await touchMembersOf(tx, personId, platform.clock.now());
  });
};

/**
 * Sets a new password. It ends all other sessions, the trust in browsers, and the access of assistants, because another
 * person may have had the old password.
 */
export const changePassword = async (
  visitor: Visitor,
  signedIn: SignedIn,
  { current, password }: z.output<typeof PasswordChange>,
): Promise<void> => {
  const { auth, headers, platform } = visitor;
  await spendProofTry(visitor, signedIn);
  const body = { currentPassword: current, newPassword: password, revokeOtherSessions: true };
  const { personId, way } = signedIn;
  const { token } = await callLibrary(visitor, { field: 'password', personId }, () =>
    auth.api.changePassword({ body, headers, returnHeaders: true }),
  );
  // The library has replaced this session, too. The person showed the second factor or a passkey in the former one.
  if (way === 'second_factor') await sessions.noteSecondFactor(platform.database.prisma, token ?? '');
  await verifications.removeOf(platform.database.prisma, personId);
  await disconnectAll(platform, personId, 'password_changed');
  await rememberBrowser(visitor, personId);
};

/**
 * Checks the person's password or passkey once more. For a while this session may then do actions that need a fresh
 * proof.
 */
export const prove = async (
  visitor: Visitor,
  signedIn: SignedIn,
  { password, passkey }: z.output<typeof Proof>,
): Promise<void> => {
  const { database, clock } = visitor.platform;
  const { prisma } = database;
  const { personId, sessionId } = signedIn;
  if ((password === undefined) === (passkey === undefined)) {
    fail('validation_error', { field: 'password', detail: signInMessages.passwordOrPasskey });
  }
  await spendProofTry(visitor, signedIn);
  if (passkey !== undefined && (await personOfAnswer(visitor, `prove ${sessionId}`, passkey)) !== personId) {
    fail('validation_error', { field: 'passkey', detail: signInMessages.passkeyNotAccepted });
  }
  if (password !== undefined && !(await isPassword(password, await storedHash(prisma, personId)))) {
    visitor.report('password_wrong', { personId });
    fail('validation_error', { field: 'password', detail: signInMessages.wrongPassword });
  }
  await sessions.prove(prisma, sessionId, clock.now());
};

/** How many characters of a stored `User-Agent` are shown: the browser's name is at the beginning of the text. */
const userAgentCharacters = 500;

/** The sessions that a session sees: those of its person, or those that began with the same company account. */
const ownSessions = ({ personId, companyTeamId }: SignedIn) => ({
  personId,
  ...(companyTeamId !== null && { companyTeamId }),
});

/** A person's sessions, the latest first. */
export const listSessions = async ({ platform }: Visitor, signedIn: SignedIn) => {
  const { sessionId } = signedIn;
  const rows = await sessions.ofPerson(platform.database.prisma, {
    ...ownSessions(signedIn),
    now: platform.clock.now(),
    max: signInLimits.shownSessions,
  });
  return rows.map(({ id, createdAt, ipAddress, userAgent }) => ({
    id,
    current: id === sessionId,
    createdAt,
    address: ipAddress === '' ? null : ipAddress,
    userAgent: userAgent === null || userAgent === '' ? null : userAgent.slice(0, userAgentCharacters),
  }));
};

export const endSession = async ({ platform }: Visitor, signedIn: SignedIn, id: string): Promise<void> => {
  const { count } = isId(id)
    ? await sessions.remove(platform.database.prisma, { id, ...ownSessions(signedIn) })
    : { count: 0 };
  if (count === 0) fail('not_found');
};

/**
 * Ends all sessions of the person, this one too, and the trust in browsers. Also ends the access of assistants, unless
 * `keepsAssistants` is set. This browser stays known.
 */
export const signOutEverywhere = async (
  visitor: Visitor,
  { personId }: SignedIn,
  { keepsAssistants }: { keepsAssistants: boolean },
): Promise<void> => {
  const { auth, headers, platform } = visitor;
  await callLibrary(visitor, { field: 'password', personId }, () => auth.api.signOut({ headers, returnHeaders: true }));
  await platform.database.transaction(async (tx) => {
    await endSignIns(tx, personId);
    await rememberBrowser(visitor, personId, tx);
  });
  if (!keepsAssistants) await disconnectAll(platform, personId, 'signed_out_everywhere');
};

// The second factor: off ──started──▶ off, with a secret ──first code──▶ on ──password──▶ off.
export const secondFactorState = async ({ auth }: Visitor, { personId, twoFactor }: SignedIn) => {
  if (!twoFactor) return { on: false, backupCodesLeft: null };
  const { backupCodes } = await auth.api.viewBackupCodes({ body: { userId: personId } });
  return { on: true, backupCodesLeft: backupCodes.length };
};

/** Creates a secret and backup codes. The second factor is on after the first right code. */
export const startTwoFactor = async (visitor: Visitor, signedIn: SignedIn, password: string) => {
  const { auth, headers } = visitor;
  await spendProofTry(visitor, signedIn);
  const answer = await callLibrary(visitor, { field: 'password', personId: signedIn.personId }, () =>
    auth.api.enableTwoFactor({ body: { password, method: 'totp' }, headers, returnHeaders: true }),
  );
  if (!('totpURI' in answer)) return fail('conflict');
  const { totpURI: uri, backupCodes } = answer;
  return { uri, secret: new URL(uri).searchParams.get('secret') ?? '', backupCodes };
};

export const confirmTwoFactor = async (visitor: Visitor, signedIn: SignedIn, code: string): Promise<void> => {
  const { auth, headers, platform } = visitor;
  await spendProofTry(visitor, signedIn);
  const { headers: answered } = await callLibraryHoldingCookies(
    visitor,
    { field: 'code', personId: signedIn.personId },
    () => auth.api.verifyTOTP({ body: { code }, headers, returnHeaders: true }),
  );
  visitor.setCookies(answered);
  // The library has replaced the session, but its answer has the token of the former one. The cookie has the new token.
  await sessions.noteSecondFactor(platform.database.prisma, sessionTokenIn(platform, answered) ?? '');
  // The code is spent, so that it can't also be used to sign in.
  await isFirstUseOfCode(platform.database, signedIn.personId, code);
};

/**
 * Turns the second factor off. Ends the trust in browsers, so that no browser is trusted when it is turned on again.
 */
export const stopTwoFactor = async (visitor: Visitor, signedIn: SignedIn, password: string): Promise<void> => {
  const { auth, headers, platform } = visitor;
  await spendProofTry(visitor, signedIn);
  await callLibrary(visitor, { field: 'password', personId: signedIn.personId }, () =>
    auth.api.disableTwoFactor({ body: { password }, headers, returnHeaders: true }),
  );
  await platform.database.transaction(async (tx) => {
    await verifications.removeOf(tx, signedIn.personId);
    await withdrawSecondFactor(tx, signedIn.personId);
  });
  await rememberBrowser(visitor, signedIn.personId);
};

export const replaceBackupCodes = async (visitor: Visitor, signedIn: SignedIn, password: string) => {
  const { auth, headers } = visitor;
  await spendProofTry(visitor, signedIn);
  const { backupCodes } = await callLibrary(visitor, { field: 'password', personId: signedIn.personId }, () =>
    auth.api.generateBackupCodes({ body: { password }, headers, returnHeaders: true }),
  );
  return { backupCodes };
};

/**
 * Limits how often a session may try its person's password or code. Each session has its own count, so that a thief
 * with one session can't spend the tries of the owner's session.
 */
const spendProofTry = (visitor: Visitor, { personId, sessionId }: SignedIn): Promise<void> =>
  spendTry(visitor.platform.database, {
    what: 'proof of',
    whom: sessionId,
    ...signInLimits.triesPerAccountFromOnePlace,
    onRefused: (first) => visitor.report('limited', { personId, repeated: !first }),
  });
