import { days as daysLong, later } from '../../core/clock.ts';
import { rowsIn } from '../../db/database.ts';
import type { Database } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Platform } from '../../platform/platform.ts';
import { changePartitions, dayOf, daysOf, partitioned, partitionOf, restOf } from './partitions.ts';

/** Sums for each day are small, and people look further back at them. */
const leastDaysOfSums = 90;
/** Few enough that nobody who wants one of the rows waits noticeably. */
const batch = 5_000;
/** Well below what counts as an abandoned job; the next run goes on. */
const runsAtMost = 60_000;

/** Deletes in batches what is older than a day; what somebody holds right now is left for the next time. */
const deletion = (table: string, isOld: string) =>
  statement<{ gone: number }, [firstKept: string]>(
    `with gone as (
       delete from ${table}
        where ctid = any (array(select ctid from ${table} where ${isOld} limit ${batch} for update skip locked))
       returning 1)
     select count(*)::int as gone from gone`,
  );

const oldWaiting = deletion('webhook_waiting', 'delivery_id < first_id_of($1::date)');
const oldSums = deletion('webhook_endpoint_day', 'day < $1::date');
const oldRest = partitioned.map((parent) => deletion(restOf(parent), 'id < first_id_of($1::date)'));

const deleteAll = async (database: Database, old: typeof oldWaiting, firstKept: string, until: number) => {
  let gone = batch;
  while (gone === batch && performance.now() < until) gone = (await database.rows(old, firstKept))[0]?.gone ?? 0;
};

/** What was cut, and what was in use and has to wait for the next run. */
export interface Cut {
  dropped: string[];
  postponed: string[];
}

/**
 * Cuts events, deliveries and attempts whose whole day (UTC) is older than so many days, and what belongs to them. Nobody
 * waits for it longer than a moment: where a table is in use, the next run cuts it.
 */
export const cutOld = async ({ database, clock }: Platform, { days }: { days: number }): Promise<Cut> => {
  const until = performance.now() + runsAtMost;
  const firstKept = dayOf(later(clock.now(), -daysLong(days)));
  const cut: Cut = { dropped: [], postponed: [] };

  // Before the deliveries, so that none is taken to be sent that is gone.
  await deleteAll(database, oldWaiting, firstKept, until);
  for (const parent of partitioned) {
    for (const day of await daysOf(database, parent)) {
      if (day >= firstKept || performance.now() > until) break;
      const name = partitionOf(parent, day);
      const isGone = await changePartitions(database, async (tx) => {
        await rowsIn(tx, statement(`drop table if exists ${name}`));
      });
      cut[isGone ? 'dropped' : 'postponed'].push(name);
      if (!isGone) break; // whoever uses the table holds up the next partition too
    }
  }
  for (const old of oldRest) await deleteAll(database, old, firstKept, until);

  const firstSum = dayOf(later(clock.now(), -daysLong(Math.max(days, leastDaysOfSums))));
  await deleteAll(database, oldSums, firstSum, until);
  return cut;
};
