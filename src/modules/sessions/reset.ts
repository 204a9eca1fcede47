import { setTimeout as sleep } from 'node:timers/promises';
import { signInLimits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import { mailResetLink, personOfResetLink, resetPassword } from '../people/service.ts';
import { needTry } from './tries.ts';
import type { Visitor } from './visitor.ts';

/** Longer than it takes to queue a mail: how long the answer takes must not tell whether there was one. */
const answerAfter = 250;

/** Mails a link to whoever has a sign-in under this address. The answer is the same for everybody else. */
export const requestReset = async ({ platform }: Visitor, email: string): Promise<void> => {
  await needTry(platform.database, { what: 'reset for', whom: email, ...signInLimits.resetMails });
  await Promise.all([platform.database.transaction((tx) => mailResetLink(tx, platform, email)), sleep(answerAfter)]);
};

export const resetState = async ({ platform }: Visitor, token: string) => {
  const person = await platform.database.transaction((tx) => personOfResetLink(tx, platform, token));
  return { valid: person !== undefined, email: person?.email ?? null };
};

/** Sets the password that a link was mailed for, and ends every session: somebody else may have had the old one. */
export const setNewPassword = ({ platform }: Visitor, { token, password }: { token: string; password: string }) =>
  platform.database.transaction(async (tx) => {
    const person = await personOfResetLink(tx, platform, token);
    await resetPassword(tx, platform, (person ?? fail('not_found')).id, password);
  });
