import { sha256 } from '../core/crypto.ts';
import { bigint, bool, nothing, query } from './query.ts';
import { runIn } from './transaction.ts';
import type { Tx } from './transaction.ts';

const tryTaking = query({
  name: 'db.tryLock',
  why: 'a lock of PostgreSQL that stands for no row',
  sql: 'select pg_try_advisory_xact_lock(:lock::bigint) as taken',
  parameters: { lock: bigint },
  row: { taken: bool.checked },
});

const taking = query({
  name: 'db.lock',
  why: 'a lock of PostgreSQL that stands for no row',
  sql: 'select pg_advisory_xact_lock(:lock::bigint) as locked',
  parameters: { lock: bigint },
  row: { locked: nothing },
});

/**
 * Takes one of PostgreSQL's own locks until the transaction ends, in whatever way; false while another process has it. Asked
 * for again instead of waited for, so that waiting never counts against the time that a statement or transaction may take.
 */
export const tryLock = async (tx: Tx, lock: number | bigint): Promise<boolean> => {
  const [answer] = await runIn(tx, tryTaking, { lock });
  return answer?.taken === true;
};

/** Takes such a lock, and waits while another transaction has it. */
export const takeLock = async (tx: Tx, lock: number | bigint): Promise<void> => {
  await runIn(tx, taking, { lock });
};

/**
 * The number of a lock that has a name. Callers choose parts of some names (idempotency keys): with a cryptographic hash
 * nobody can choose a name that takes another team's lock.
 */
export const lockNumber = (name: string): bigint => sha256(name).readBigInt64BE();
