import type { ClientBase } from 'pg';
import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';

/** Any number will do, as long as advisory locks of other things have another. */
const poolLocks = 7_402_117;

/** How long a pool may be without its connection, while it starts or after it lost the database. */
const unseenFor = '15 seconds';

const unlock = statement<{ done: unknown }, [unseenFor: string]>(
  `with holder as materialized (
     select locked_by as pool from graphile_worker.jobs group by locked_by having min(locked_at) < now() - $1::interval)
   select graphile_worker.force_unlock_workers(array_agg(pool)) as done
     from holder
    where pg_try_advisory_xact_lock(${poolLocks}, hashtext(pool))`,
);

/** Marks a pool as alive for as long as the connection that it listens on. */
export const holdPool = async (client: ClientBase, pool: string): Promise<void> => {
  await client.query(`select pg_advisory_lock(${poolLocks}, hashtext($1))`, [pool]);
};

const unlockOf = statement<{ done: unknown }, [pools: string[]]>(
  `select graphile_worker.force_unlock_workers($1::text[]) as done`,
);

/** Gives back the jobs that pools of workers held which are known to have ended. */
export const freeJobsOf = async (database: Database, pools: ReadonlySet<string>): Promise<void> => {
  if (pools.size > 0) await database.rows(unlockOf, [...pools]);
};

/**
 * Gives the jobs of workers that are gone to those that live: whoever was killed, or lost the database in the middle of a
 * job, still holds its lock, and the queue itself would wait four hours. Gone is a pool whose connection is. One that only
 * lost it for a while has its job run twice, which each of ours bears.
 */
export const freeAbandonedJobs = async (database: Database): Promise<void> => {
  await database.rows(unlock, unseenFor);
};
