import type { Tx } from '../../db/database.ts';
import type { Platform } from '../../platform/team.ts';
import { passwords } from './store.ts';

/** Gives a person the password with this hash in place of the one they had. Hashing takes time, so it is done before the transaction. */
export const setPassword = async (tx: Tx, { clock }: Platform, personId: string, hashed: string): Promise<void> => {
  await passwords.put(tx, personId, hashed, clock.now());
};

/** The stored hash of a person's password; empty while they have none. */
export const keptPassword = async (tx: Tx, personId: string): Promise<string> =>
  (await passwords.get(tx, personId))?.password ?? '';

/** Replaces a password's hash by a better one of the same password, unless the password was changed meanwhile. Sessions stay. */
export const upgradeHash = async (
  tx: Tx,
  personId: string,
  replaced: { former: string; hashed: string },
): Promise<void> => {
  await passwords.replace(tx, personId, replaced);
};

export const hasPassword = async (tx: Tx, personId: string): Promise<boolean> =>
  (await keptPassword(tx, personId)) !== '';

/** Whether somebody with this email signs in with a password. */
export const isKnownPassword = async (tx: Tx, email: string): Promise<boolean> =>
  ((await passwords.byEmail(tx, email))?.password ?? null) !== null;
