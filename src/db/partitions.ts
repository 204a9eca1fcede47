import { utcDay, daysToMs, later } from '../core/clock.ts';
import type { Clock } from '../core/clock.ts';
import { firstIdAt } from '../core/ids.ts';
import { lockNumbers, tryLock } from './advisory-lock.ts';
import { rowsIn, runIn } from './database.ts';
import type { Database, Tx } from './database.ts';
import { bool, query, text, statement } from './query.ts';
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
  /** Deletes a limited number of rows whose id is less than this. */
  readonly deleteBefore: (prisma: Database['prisma'], firstId: string, limit: number) => Promise<{ count: number }>;
}

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

/** The rows in the rest by their days: an id begins with its time in milliseconds. */
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
  const [from, to] = [firstIdAt(new Date(day)), firstIdAt(later(new Date(day), daysToMs(1)))];
  return changePartitions(database, async (tx) => {
    const [known] = await runIn(tx, exists, { name });
    if (known?.there) return;
    const run = (text: string) => rowsIn(tx, statement(text));
    await run(`create table ${name} (like ${table} including all) ${storage}`);
    if (hasBegun) {
      await run(`lock table only ${table} in access exclusive mode`);
      await run(
        `with moved as (delete from ${restOf(table)} where id >= '${from}' and id < '${to}' returning *)
         insert into ${name} select * from moved`,
      );
    }
    await run(`alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}')`);
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

/** How many days are kept, and until when (`performance.now()`) there is time to delete; the next run continues. */
export interface Retention {
  days: number;
  until: number;
}

/** The first moment that is kept: the beginning of a day (UTC). */
export const firstKept = (clock: Clock, days: number): Date => new Date(utcDay(later(clock.now(), -daysToMs(days))));

/** Sums of each day are small, and people need them for longer than the details. */
const leastDaysOfSums = 90;

/** The first day whose sums are kept. */
export const firstKeptSums = (clock: Clock, days: number): Date => firstKept(clock, Math.max(days, leastDaysOfSums));

/** Few enough that a statement that needs one of these rows does not wait noticeably. */
const batch = 5_000;

/** Deletes old rows in batches, as long as there is time. */
export const deleteOldRows = async (
  until: number,
  deleteSome: (limit: number) => Promise<{ count: number }>,
): Promise<void> => {
  let count = batch;
  while (count === batch && performance.now() < until) ({ count } = await deleteSome(batch));
};

/** Drops the partitions of a table's old days, the oldest first, as long as there is time. */
const dropDays = async (
  database: Database,
  table: string,
  before: string,
  until: number,
): Promise<DroppedPartitions> => {
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

/**
 * Deletes all data of days (UTC) that are completely older than `days`. No statement waits for it longer than a moment: a table that is
 * in use is left for the next run.
 */
export const deleteOldDays = async (
  { database, clock }: PartitionContext,
  parents: readonly Partitioned[],
  { days, until }: Retention,
): Promise<DroppedPartitions> => {
  const kept = firstKept(clock, days);
  const cut: DroppedPartitions = { dropped: [], postponed: [] };
  for (const { table, deleteBefore } of parents) {
    const { dropped, postponed } = await dropDays(database, table, utcDay(kept), until);
    cut.dropped.push(...dropped);
    cut.postponed.push(...postponed);
    // Without old partitions, what is left is in the rest.
    if (postponed.length === 0)
      await deleteOldRows(until, (limit) => deleteBefore(database.prisma, firstIdAt(kept), limit));
  }
  return cut;
};
