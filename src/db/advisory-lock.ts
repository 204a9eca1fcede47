import { sha256 } from '../core/crypto.ts';
import { runIn, type Tx } from './database.ts';
import { bigint, bool, nothing, query } from './query.ts';

const tryTaking = query({
  name: 'db.tryLock',
  why: 'advisory locks belong to no row',
  sql: 'select pg_try_advisory_xact_lock(:lock::bigint) as taken',
  parameters: { lock: bigint },
  row: { taken: bool.checked },
});

const taking = query({
  name: 'db.lock',
  why: 'advisory locks belong to no row',
  sql: 'select pg_advisory_xact_lock(:lock::bigint) as locked',
  parameters: { lock: bigint },
  row: { locked: nothing },
});

/**
 * Takes an advisory lock until the transaction ends; false while another transaction has it. A caller that needs the
 * lock tries again later: waiting in PostgreSQL would count against the time limits of its statement and its
 * transaction.
 */
export const tryLock = async (tx: Tx, lock: number | bigint): Promise<boolean> => {
  const [answer] = await runIn(tx, tryTaking, { lock });
  return answer?.taken === true;
};

/** Takes an advisory lock until the transaction ends, and waits while another transaction has it. */
export const takeLock = async (tx: Tx, lock: number | bigint): Promise<void> => {
  await runIn(tx, taking, { lock });
};

/**
 * The number of a lock that has a name. Clients choose parts of some names (idempotency keys). The hash is
 * cryptographic, so that they can't choose a name with the number of another team's lock.
 */
export const lockNumber = (name: string): bigint => sha256(name).readBigInt64BE();
