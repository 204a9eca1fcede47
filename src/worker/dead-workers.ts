import type { Database } from '../db/database.ts';
import { listOf, nothing, query, text } from '../db/query.ts';

/** No job takes longer, except for those of deliveries. */
const longestJob = '2 minutes';

const unlockDead = query({
  name: 'worker.unlockDead',
  why: 'calls graphile-worker',
  sql: `select graphile_worker.force_unlock_workers(array_agg(distinct locked_by)) as done
          from graphile_worker.jobs
         where locked_at < now() - interval '${longestJob}' and task_identifier <> all(:exempt::text[])
        having count(*) > 0`,
  parameters: { exempt: listOf(text) },
  row: { done: nothing },
});

/**
 * Unlocks the jobs of workers that have ended without a stop or have lost the database, which graphile-worker itself would do after four
 * hours: a worker that has a job for longer than any job takes is gone. Should it live, a job runs twice, which every task tolerates.
 */
export const unlockJobsOfDeadWorkers = (database: Database, exempt: readonly string[]): Promise<unknown> =>
  database.run(unlockDead, { exempt });
