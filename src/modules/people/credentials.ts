import { newId } from '../../core/ids.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform } from '../../platform/platform.ts';

/** The sign-in library's name for email and password. */
const byPassword = 'credential';

/** Gives a person the password with this hash in place of the one they had. Hashing takes time: it is done before a transaction. */
export const setPassword = async (tx: Tx, { clock }: Platform, personId: string, hashed: string): Promise<void> => {
  const way = { personId, providerId: byPassword };
  await tx.credential.upsert({
    where: { personId_providerId: way },
    create: { id: newId(), ...way, accountId: personId, password: hashed, createdAt: clock.now() },
    update: { password: hashed },
  });
};

/** A person's password as it is kept; empty while they have none. */
export const keptPassword = async (tx: Tx, personId: string): Promise<string> => {
  const credential = await tx.credential.findUnique({
    where: { personId_providerId: { personId, providerId: byPassword } },
    select: { password: true },
  });
  return credential?.password ?? '';
};

/** Replaces a password's hash by a better one of the same password, unless the password was changed meanwhile. Sessions stay. */
export const upgradeHash = async (
  tx: Tx,
  personId: string,
  { former, hashed }: { former: string; hashed: string },
): Promise<void> => {
  await tx.credential.updateMany({
    where: { personId, providerId: byPassword, password: former },
    data: { password: hashed },
  });
};

export const hasPassword = async (tx: Tx, personId: string): Promise<boolean> =>
  (await keptPassword(tx, personId)) !== '';
