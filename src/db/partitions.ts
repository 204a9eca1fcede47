import { utcDay, daysToMs, later } from '../core/clock.ts';
import type { Clock } from '../core/clock.ts';
import { lockNumbers, tryLock } from './advisory-lock.ts';
import { rowsIn, runIn } from './database.ts';
import type { Database, Tx } from './database.ts';
import { bool, query, text, day, int, statement } from './query.ts';
import type { Statement } from './query.ts';

/**
 * A table with a partition for each day (UTC) of its ids, so that an old day can be dropped in one step. Rows of days without a partition
 * are in the default partition (the rest).
 *
 *   (no partition) ──createPartitions──▶ a day, empty or with its rows from the rest ──dropDays──▶ gone
 */
export interface Partitioned {
  readonly table: string;
  /** Storage parameters of its partitions, if they differ from the default. */
  readonly storage?: string;
}

const dayAfter = (day: string): string => utcDay(later(new Date(day), daysToMs(1)));

const partitionOf = (table: string, day: string): string => `${table}_${day.replaceAll('-', '')}`;
const restOf = (table: string): string => `${table}_rest`;

/** All later statements on a table wait behind a statement that waits for a lock. */
const lockTimeout = '200ms';
/**
 * Other statements wait while rows are moved. If there are more rows than this, they stay in the rest, from which they are deleted by age
 * too.
 */
const mostMoved = 50_000;

/** The table is in use, so that others would have to wait; or rows were added meanwhile. The next run tries again. */
const isInUse = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['55P03', '40P01', '23514'].includes(String(error.code));

/** Changes partitions in a transaction; false if others would have to wait, or if another process does it at the moment. */
const changePartitions = async (database: Database, change: (tx: Tx) => Promise<void>): Promise<boolean> => {
  try {
    return await database.transaction(async (tx) => {
      if (!(await tryLock(tx, lockNumbers.partitions))) return false;
      await rowsIn(tx, statement(`set local lock_timeout = '${lockTimeout}'`));
      await change(tx);
      return true;
    });
  } catch (error) {
    if (isInUse(error)) return false;
    throw error;
  }
};

const children = query({
  name: 'db.partitions',
  why: 'reads the catalogue of PostgreSQL',
  sql: `select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid
         where inhparent = (:parent::text)::regclass`,
  parameters: { parent: text },
  row: { name: text },
});

const exists = query({
  name: 'db.hasTable',
  why: 'reads the catalogue of PostgreSQL',
  sql: 'select to_regclass(:name::text) is not null as there',
  parameters: { name: text },
  row: { there: bool.checked },
});

/** The days for which a table has a partition, oldest first. */
const daysOf = async (database: Database, table: string): Promise<string[]> => {
  const names = (await database.run(children, { parent: table })).map(({ name }) => name);
  return names
    .flatMap((name) => {
      const [, year, month, day] = /_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
      return day === undefined ? [] : [`${year}-${month}-${day}`];
    })
    .toSorted();
};

/** The first id of a day: an id begins with its time in milliseconds. */
const crowdsIn = (table: string): Statement<{ day: string; count: number }, []> =>
  statement(
    `select to_char(to_timestamp(('x' || lpad(left(replace(id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000.0)
                    at time zone 'UTC', 'YYYY-MM-DD') as day,
            count(*)::int as count
       from ${restOf(table)} group by 1`,
  );

/**
 * Creates the partition as a separate table and then attaches it, which blocks nobody. For a day that has begun, the rest may have rows
 * and get more at this moment: others wait until these are moved, so that no statement misses a moved row.
 */
const makePartition = (
  database: Database,
  { table, storage = '' }: Partitioned,
  day: string,
  hasBegun: boolean,
): Promise<boolean> => {
  const name = partitionOf(table, day);
  const [from, to] = [`first_id_of('${day}')`, `first_id_of('${dayAfter(day)}')`];
  return changePartitions(database, async (tx) => {
    const [known] = await runIn(tx, exists, { name });
    if (known?.there) return;
    const run = (text: string) => rowsIn(tx, statement(text));
    await run(`create table ${name} (like ${table} including all) ${storage}`);
    if (hasBegun) {
      await run(`lock table only ${table} in access exclusive mode`);
      await run(
        `with moved as (delete from ${restOf(table)} where id >= ${from} and id < ${to} returning *)
         insert into ${name} select * from moved`,
      );
    }
    const [ids] = await rowsIn(tx, statement<{ from: string; to: string }, []>(`select ${from} as from, ${to} as to`));
    await run(`alter table ${table} attach partition ${name} for values from ('${ids?.from}') to ('${ids?.to}')`);
  });
};

interface PartitionContext {
  readonly database: Database;
  readonly clock: Clock;
}

/** Creates the partitions of the next days, and of days whose rows are in the rest. Any number of processes may do this at once. */
export const createPartitions = async (
  { database, clock }: PartitionContext,
  parents: readonly Partitioned[],
  { ahead = 14 } = {},
): Promise<void> => {
  const today = utcDay(clock.now());
  const last = utcDay(later(clock.now(), daysToMs(ahead)));
  const coming = Array.from({ length: ahead + 1 }, (_, n) => utcDay(later(clock.now(), daysToMs(n))));
  for (const parent of parents) {
    const there = new Set(await daysOf(database, parent.table));
    const crowds = new Map((await database.rows(crowdsIn(parent.table))).map(({ day, count }) => [day, count]));
    const wanted = new Set([...coming, ...crowds.keys()]);
    for (const day of [...wanted].toSorted()) {
      if (there.has(day) || day > last || (crowds.get(day) ?? 0) > mostMoved) continue;
      await makePartition(database, parent, day, day <= today || crowds.has(day));
    }
  }
};

/** The partitions that were dropped, and those that were in use: the next run tries them again. */
export interface DroppedPartitions {
  dropped: string[];
  postponed: string[];
}

/** Deletes everything of the days before `before`, until the time `until` (of `performance.now()`). */
interface Deletion {
  before: string;
  until: number;
}

/** Drops the partitions of a table's old days, the oldest first, as long as there is time. */
const dropDays = async (database: Database, table: string, { before, until }: Deletion): Promise<DroppedPartitions> => {
  const cut: DroppedPartitions = { dropped: [], postponed: [] };
  for (const day of await daysOf(database, table)) {
    if (day >= before || performance.now() > until) break;
    const name = partitionOf(table, day);
    const isGone = await changePartitions(database, async (tx) => {
      await rowsIn(tx, statement(`drop table if exists ${name}`));
    });
    cut[isGone ? 'dropped' : 'postponed'].push(name);
    if (!isGone) break; // the next partition would be in use too
  }
  return cut;
};

/** Sums of each day are small, and people need them for longer than the details. */
const leastDaysOfSums = 90;
/** Few enough that a statement that needs one of these rows does not wait noticeably. */
const batch = 5_000;

/** Deletes old rows of a table. `isOld` is an SQL condition with the first day that is kept, `:firstKept::date`. */
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

/** The old data of a module. */
interface DailyTables {
  parents: readonly Partitioned[];
  /** Rows in the rest, whose day has no partition. */
  rests: readonly OldRows[];
  /** The table with a row of sums for each day. */
  sums: OldRows;
}

/** Tables with a partition for each day, and a table of sums for each day. */
export const dailyTables = (module: string, parents: readonly Partitioned[], sums: string): DailyTables => ({
  parents,
  rests: parents.map(({ table }) => oldRows(module, restOf(table), 'id < first_id_of(:firstKept::date)')),
  sums: oldRows(module, sums, 'day < :firstKept::date'),
});

/** How many days are kept, and until when (`performance.now()`) there is time to delete; the next run continues. */
export interface Retention {
  days: number;
  until: number;
}

const firstKept = ({ clock }: PartitionContext, days: number): string => utcDay(later(clock.now(), -daysToMs(days)));

export const deletionOf = (grounds: PartitionContext, { days, until }: Retention): Deletion => ({
  before: firstKept(grounds, days),
  until,
});

/** Deletes old rows in batches, as long as there is time. Locked rows are left for the next run. */
export const deleteOldRows = async (database: Database, old: OldRows, { before, until }: Deletion): Promise<void> => {
  let gone = batch;
  while (gone === batch && performance.now() < until)
    gone = (await database.run(old, { firstKept: before }))[0]?.gone ?? 0;
};

/**
 * Deletes all data of days (UTC) that are completely older than `days`. No statement waits for it longer than a moment: a table that is
 * in use is left for the next run.
 */
export const deleteOldDays = async (
  grounds: PartitionContext,
  { parents, rests, sums }: DailyTables,
  cutting: Retention,
): Promise<DroppedPartitions> => {
  const { database } = grounds;
  const reach = deletionOf(grounds, cutting);
  const cut: DroppedPartitions = { dropped: [], postponed: [] };
  for (const { table } of parents) {
    const { dropped, postponed } = await dropDays(database, table, reach);
    cut.dropped.push(...dropped);
    cut.postponed.push(...postponed);
  }
  for (const rest of rests) await deleteOldRows(database, rest, reach);

  const before = firstKept(grounds, Math.max(cutting.days, leastDaysOfSums));
  await deleteOldRows(database, sums, { ...reach, before });
  return cut;
};
