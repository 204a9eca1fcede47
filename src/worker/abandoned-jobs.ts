import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';

/** No job of ours runs this long: every wait in one is bounded. */
const longestJob = '2 minutes';

const unlock = statement<{ done: unknown }, [longest: string]>(
  `select graphile_worker.force_unlock_workers(array_agg(distinct locked_by)) as done
     from graphile_worker.jobs
    where locked_at < now() - $1::interval`,
);

const unlockOf = statement<{ done: unknown }, [pools: string[]]>(
  `select graphile_worker.force_unlock_workers($1::text[]) as done`,
);

/** Gives back the jobs that pools of workers held which are known to have ended. */
export const freeJobsOf = async (database: Database, pools: ReadonlySet<string>): Promise<void> => {
  if (pools.size > 0) await database.rows(unlockOf, [...pools]);
};

/**
 * Gives the jobs of workers that are gone to those that live: whoever was killed, or lost the database in the middle of a
 * job, still holds its lock, and the queue itself would wait four hours. A pool with one such job gives back all of its
 * jobs: one of them may then run twice, which each of ours bears.
 */
export const freeAbandonedJobs = async (database: Database): Promise<void> => {
  await database.rows(unlock, longestJob);
};
