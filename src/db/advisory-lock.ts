import type { Tx } from './database.ts';

/**
 * Takes one of PostgreSQL's own locks until the transaction ends, in whatever way; false while another process has it. Asked
 * for again instead of waited for, so that waiting never counts against the time that a statement or transaction may take.
 */
export const tryLock = async (tx: Tx, lock: number): Promise<boolean> => {
  const [answer] = await tx.$queryRaw<{ taken: boolean }[]>`select pg_try_advisory_xact_lock(${lock}::bigint) as taken`;
  return answer?.taken === true;
};
