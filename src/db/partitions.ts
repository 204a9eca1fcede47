import { days, later } from '../core/clock.ts';
import type { Clock } from '../core/clock.ts';
import { dayOf } from '../core/day.ts';
import { tryLock } from './advisory-lock.ts';
import { rowsIn, runIn } from './database.ts';
import type { Database, Tx } from './database.ts';
import { bool, query, text } from './query.ts';
import { statement } from './statement.ts';
import type { Statement } from './statement.ts';

/**
 * A table whose rows lie in a partition for each day (UTC) of their ids, so that a day that is too old goes in one step. What
 * has no partition of its own day lies in the rest.
 *
 *   (no partition) ──keepPartitions──▶ day, empty or with what the rest had of it ──dropDays──▶ gone
 */
export interface Partitioned {
  readonly table: string;
  /** How its partitions are stored, where that is not as usual. */
  readonly storage?: string;
}

const dayAfter = (day: string): string => dayOf(later(new Date(day), days(1)));

const partitionOf = (table: string, day: string): string => `${table}_${day.replaceAll('-', '')}`;
export const restOf = (table: string): string => `${table}_rest`;

/** Any number will do, as long as it is this one alone. */
const partitionLock = 7_402_118;
/** Whoever waits for a lock on a table makes everybody behind wait too. */
const lockTimeout = '200ms';
/** Everybody waits while rows move: a crowd stays in the rest, where it is cut by age as well. */
const mostMoved = 50_000;

/** The table is in use in a way that would make others wait; or rows came in between. Another time, then. */
const isInUse = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['55P03', '40P01', '23514'].includes(String(error.code));

/** Changes partitions in a transaction; false where that would make others wait, or another process is at it. */
const changePartitions = async (database: Database, change: (tx: Tx) => Promise<void>): Promise<boolean> => {
  try {
    return await database.transaction(async (tx) => {
      if (!(await tryLock(tx, partitionLock))) return false;
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

/** The days that a table has a partition for, oldest first. */
const daysOf = async (database: Database, table: string): Promise<string[]> => {
  const names = (await database.run(children, { parent: table })).map(({ name }) => name);
  return names
    .flatMap((name) => {
      const [, year, month, day] = /_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
      return day === undefined ? [] : [`${year}-${month}-${day}`];
    })
    .toSorted();
};

/** An id begins with its time in milliseconds. */
const crowdsIn = (table: string): Statement<{ day: string; count: number }, []> =>
  statement(
    `select to_char(to_timestamp(('x' || lpad(left(replace(id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000.0)
                    at time zone 'UTC', 'YYYY-MM-DD') as day,
            count(*)::int as count
       from ${restOf(table)} group by 1`,
  );

/**
 * Makes the partition beside the table and then attaches it, which locks the table against nobody. A day that has begun may
 * have rows in the rest, and get more at this moment: everybody waits until they are moved, so that nobody looks for a row
 * where it no longer is.
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

/** What partitions lean on of everything that rules may lean on. */
export interface Grounds {
  readonly database: Database;
  readonly clock: Clock;
}

/** Makes the partitions of the days to come, and of those of which rows fell to the rest. Any number of processes may. */
export const keepPartitions = async (
  { database, clock }: Grounds,
  parents: readonly Partitioned[],
  { ahead = 14 } = {},
): Promise<void> => {
  const today = dayOf(clock.now());
  const last = dayOf(later(clock.now(), days(ahead)));
  const coming = Array.from({ length: ahead + 1 }, (_, n) => dayOf(later(clock.now(), days(n))));
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

/** What was cut, and what was in use and has to wait for the next run. */
export interface Cut {
  dropped: string[];
  postponed: string[];
}

/** How far a cut goes: the days before one, and no longer than until a time of the process's own clock. */
export interface Reach {
  before: string;
  until: number;
}

/** Drops a table's days before one, the oldest first, as long as there is time. */
export const dropDays = async (database: Database, table: string, { before, until }: Reach): Promise<Cut> => {
  const cut: Cut = { dropped: [], postponed: [] };
  for (const day of await daysOf(database, table)) {
    if (day >= before || performance.now() > until) break;
    const name = partitionOf(table, day);
    const isGone = await changePartitions(database, async (tx) => {
      await rowsIn(tx, statement(`drop table if exists ${name}`));
    });
    cut[isGone ? 'dropped' : 'postponed'].push(name);
    if (!isGone) break; // whoever uses the table holds up the next partition too
  }
  return cut;
};
