import { newId } from '../../core/ids.ts';
import { hashPassword } from '../../core/password.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform } from '../../platform/platform.ts';

/** The sign-in library's name for email and password. */
const byPassword = 'credential';

/** Gives a person this password in place of the one they had. */
export const setPassword = async (tx: Tx, { clock }: Platform, personId: string, password: string): Promise<void> => {
  const hashed = await hashPassword(password);
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

export const hasPassword = async (tx: Tx, personId: string): Promise<boolean> =>
  (await keptPassword(tx, personId)) !== '';
