import { fail } from '../../core/problem.ts';
import { forgetBrowsers } from '../people/service.ts';
import { rememberBrowser } from './known-browsers.ts';
import { ask } from './library.ts';
import { needProofTry } from './proof.ts';
import type { SignedIn } from './schema.ts';
import { isFirstUse } from './tries.ts';
import type { Visitor } from './visitor.ts';

// Somebody's second factor: off ──started──▶ off, with a secret ──first code──▶ on ──password──▶ off.

export const secondFactorState = async ({ auth }: Visitor, { personId, twoFactor }: SignedIn) => {
  if (!twoFactor) return { on: false, backup_codes_left: null };
  const { backupCodes } = await auth.api.viewBackupCodes({ body: { userId: personId } });
  return { on: true, backup_codes_left: backupCodes.length };
};

/** Makes a secret and backup codes; the second factor is on once the first code was right. */
export const startTwoFactor = async (visitor: Visitor, signedIn: SignedIn, password: string) => {
  const { auth, headers } = visitor;
  await needProofTry(visitor, signedIn);
  const answer = await ask(visitor, { field: 'password', personId: signedIn.personId }, () =>
    auth.api.enableTwoFactor({ body: { password, method: 'totp' }, headers, returnHeaders: true }),
  );
  if (!('totpURI' in answer)) return fail('conflict');
  const { totpURI: uri, backupCodes } = answer;
  return { uri, secret: new URL(uri).searchParams.get('secret') ?? '', backup_codes: backupCodes };
};

export const confirmTwoFactor = async (visitor: Visitor, signedIn: SignedIn, code: string): Promise<void> => {
  const { auth, headers, platform } = visitor;
  await needProofTry(visitor, signedIn);
  await ask(visitor, { field: 'code', personId: signedIn.personId }, () =>
    auth.api.verifyTOTP({ body: { code }, headers, returnHeaders: true }),
  );
  // Used up: it must not sign anybody in.
  await isFirstUse(platform.database, signedIn.personId, code);
};

/** Whoever turns it on again trusts no browser of before. */
export const stopTwoFactor = async (visitor: Visitor, signedIn: SignedIn, password: string): Promise<void> => {
  const { auth, headers, platform } = visitor;
  await needProofTry(visitor, signedIn);
  await ask(visitor, { field: 'password', personId: signedIn.personId }, () =>
    auth.api.disableTwoFactor({ body: { password }, headers, returnHeaders: true }),
  );
  await platform.database.transaction((tx) => forgetBrowsers(tx, signedIn.personId));
  await rememberBrowser(visitor, signedIn.personId);
};

export const newBackupCodes = async (visitor: Visitor, signedIn: SignedIn, password: string) => {
  const { auth, headers } = visitor;
  await needProofTry(visitor, signedIn);
  const { backupCodes } = await ask(visitor, { field: 'password', personId: signedIn.personId }, () =>
    auth.api.generateBackupCodes({ body: { password }, headers, returnHeaders: true }),
  );
  return { backup_codes: backupCodes };
};
