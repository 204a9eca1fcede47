import { hashPassword } from '../../core/password.ts';
import { signInLimits } from '../../core/limits.ts';
import { networkOf } from '../../core/window-counter.ts';
import { fail } from '../../core/problem.ts';
import { lockPersonOfResetLink, mailResetLink, personOfResetLink, resetPassword } from '../people/service.ts';
import { rememberBrowser } from './known-browsers.ts';
import { noteInTeams } from './locks.ts';
import { noSooner } from './no-sooner.ts';
import { knownAs, personIdOf } from './sign-in.ts';
import { needTry } from './tries.ts';
import { teamsOf } from './visitor.ts';
import type { Visitor } from './visitor.ts';

/** Mails a link to the person who signs in with this address. The answer is the same for everybody else, and takes as long. */
export const requestReset = async (visitor: Visitor, email: string): Promise<void> => {
  const { platform, address } = visitor;
  const { database } = platform;
  const { resetMails, resetsFromNetwork } = signInLimits;
  const onRefused = (first: boolean) => visitor.report('limited', { email, again: !first });
  const known = await knownAs(visitor, await personIdOf(visitor, email));
  // Others at the same address must not keep somebody from asking in their own browser.
  const asker = known
    ? ({ what: 'resets by', whom: known.id } as const)
    : ({ what: 'resets from', whom: networkOf(address) } as const);
  await needTry(database, { ...asker, ...resetsFromNetwork, onRefused });
  await needTry(database, { what: 'reset for', whom: email, ...resetMails, onRefused });
  const personId = await noSooner('always', () => database.transaction((tx) => mailResetLink(tx, platform, email)));
  visitor.report('reset_asked', { personId, email });
};

/** Whether a link still works. A plain read: anybody may ask. */
export const resetState = async ({ platform }: Visitor, token: string) => {
  const person = await personOfResetLink(platform.database.prisma, platform, token);
  return { valid: person !== undefined, email: person?.email ?? null };
};

/**
 * Sets the password that a link was mailed for, and ends every session: somebody else may have had the old one. From now on this
 * browser alone is known.
 */
export const setNewPassword = async (
  visitor: Visitor,
  { token, password }: { token: string; password: string },
): Promise<void> => {
  const { platform } = visitor;
  const { database } = platform;
  // Looked at before the work of hashing, and once more under the lock.
  const { id } = (await personOfResetLink(database.prisma, platform, token)) ?? fail('not_found');
  const onRefused = (first: boolean) => visitor.report('limited', { personId: id, again: !first });
  await needTry(database, { what: 'reset with', whom: token, ...signInLimits.triesPerLink, onRefused });
  const hashed = await hashPassword(password);
  const teams = await teamsOf(platform, id);
  await database.transaction(async (tx) => {
    const person = await lockPersonOfResetLink(tx, platform, token);
    await resetPassword(tx, platform, (person ?? fail('not_found')).id, hashed);
    await noteInTeams(tx, platform, { action: 'password.reset', teams, byThemselves: true });
    // The link came to the mailbox of the account, so this browser gets tries of its own: the password is often reset while
    // strangers use up those of the account, and all other browsers have just been forgotten.
    await rememberBrowser(visitor, id, tx);
  });
  visitor.report('reset_done', { personId: id });
};
