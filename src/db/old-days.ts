import { days as daysLong, later } from '../core/clock.ts';
import { dayOf } from '../core/day.ts';
import type { Database } from './database.ts';
import { dropDays, restOf } from './partitions.ts';
import type { Cut, Grounds, Partitioned, Reach } from './partitions.ts';
import { day, int, query } from './query.ts';

/** Sums for each day are small, and people look further back at them. */
const leastDaysOfSums = 90;
/** Few enough that nobody who wants one of the rows waits noticeably. */
const batch = 5_000;

/** Rows of a table that get old: `isOld` is SQL about the first day that is kept, `:firstKept::date`. */
export const oldRows = (module: string, table: string, isOld: string) =>
  query({
    name: `${module}.old ${table}`,
    why: 'deletes a bounded number and skips rows that are locked',
    sql: `with gone as (
            delete from ${table}
             where ctid = any (array(select ctid from ${table} where ${isOld} limit ${batch} for update skip locked))
            returning 1)
          select count(*)::int as gone from gone`,
    parameters: { firstKept: day },
    row: { gone: int.checked },
  });

type OldRows = ReturnType<typeof oldRows>;

/** What of a module gets old. */
interface Kept {
  parents: readonly Partitioned[];
  /** Rows in the partitions for ids that belong to no day. */
  rests: readonly OldRows[];
  /** Its table of sums, a row for each day. */
  sums: OldRows;
}

/** Tables that lie in partitions by the day of their ids, with a table of sums for each day. */
export const keptByDay = (module: string, parents: readonly Partitioned[], sums: string): Kept => ({
  parents,
  rests: parents.map(({ table }) => oldRows(module, restOf(table), 'id < first_id_of(:firstKept::date)')),
  sums: oldRows(module, sums, 'day < :firstKept::date'),
});

/** How much is kept, and until when (of the process's own clock) there is time to cut the rest; the next run goes on. */
export interface Cutting {
  days: number;
  until: number;
}

const firstKept = ({ clock }: Grounds, days: number): string => dayOf(later(clock.now(), -daysLong(days)));

export const reachOf = (grounds: Grounds, { days, until }: Cutting): Reach => ({
  before: firstKept(grounds, days),
  until,
});

/** Deletes in batches what is older than a day; what somebody holds right now is left for the next time. */
export const deleteOld = async (database: Database, old: OldRows, { before, until }: Reach): Promise<void> => {
  let gone = batch;
  while (gone === batch && performance.now() < until)
    gone = (await database.run(old, { firstKept: before }))[0]?.gone ?? 0;
};

/**
 * Cuts what lies in partitions by the day of its id, and sums by day, where the whole day (UTC) is older than so many days.
 * Nobody waits for it longer than a moment: where a table is in use, the next run cuts it.
 */
export const cutDays = async (grounds: Grounds, { parents, rests, sums }: Kept, cutting: Cutting): Promise<Cut> => {
  const { database } = grounds;
  const reach = reachOf(grounds, cutting);
  const cut: Cut = { dropped: [], postponed: [] };
  for (const { table } of parents) {
    const { dropped, postponed } = await dropDays(database, table, reach);
    cut.dropped.push(...dropped);
    cut.postponed.push(...postponed);
  }
  for (const rest of rests) await deleteOld(database, rest, reach);

  const before = firstKept(grounds, Math.max(cutting.days, leastDaysOfSums));
  await deleteOld(database, sums, { ...reach, before });
  return cut;
};
