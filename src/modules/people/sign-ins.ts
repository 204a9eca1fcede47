import type { Tx } from '../../db/database.ts';
import { sessions, verifications } from '../sessions/store.ts';

/** What a person has begun or kept that spares a step of signing in: the first step just made, the trust in a browser. */
export const forgetBrowsers = async (tx: Tx, personId: string): Promise<void> => {
  await verifications.removeOf(tx, personId);
};

/** Ends every session of a person, and all that would make the next one easier. */
export const endSignIns = async (tx: Tx, personId: string): Promise<void> => {
  await sessions.remove(tx, { personId });
  await forgetBrowsers(tx, personId);
};
