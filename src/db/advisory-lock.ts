import { sha256 } from '../core/crypto.ts';
import type { Tx } from './database.ts';

/**
 * Takes one of PostgreSQL's own locks until the transaction ends, in whatever way; false while another process has it. Asked
 * for again instead of waited for, so that waiting never counts against the time that a statement or transaction may take.
 */
export const tryLock = async (tx: Tx, lock: number | bigint): Promise<boolean> => {
  const [answer] = await tx.$queryRaw<{ taken: boolean }[]>`select pg_try_advisory_xact_lock(${lock}::bigint) as taken`;
  return answer?.taken === true;
};

/**
 * The number of a lock that has a name. Callers choose parts of some names (idempotency keys): with a cryptographic hash
 * nobody can choose a name that takes another team's lock.
 */
export const lockNumber = (name: string): bigint => sha256(name).readBigInt64BE();
