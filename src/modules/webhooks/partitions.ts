import { tryLock } from '../../db/advisory-lock.ts';
import { days, later } from '../../core/clock.ts';
import { rowsIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Statement } from '../../db/statement.ts';
import type { Platform } from '../../platform/platform.ts';

/**
 * Events, deliveries and attempts lie in a partition for each day (UTC) of their ids, so that a day that is too old goes in
 * one step. What has no partition of its own day lies in the rest.
 *
 *   (no partition) ──keepPartitions──▶ day, empty or with what the rest had of it ──cutOld──▶ gone
 */
export const partitioned = ['webhook_event', 'webhook_delivery', 'webhook_attempt'] as const;
type Partitioned = (typeof partitioned)[number];

/** A day (UTC) as PostgreSQL reads it: `2026-11-20`. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);
const dayAfter = (day: string): string => dayOf(later(new Date(day), days(1)));

export const partitionOf = (parent: Partitioned, day: string): string => `${parent}_${day.replaceAll('-', '')}`;
export const restOf = (parent: Partitioned): string => `${parent}_rest`;

/** Rows of deliveries change until they are done: room for that beside each spares their indexes. */
const storage: Partial<Record<Partitioned, string>> = { webhook_delivery: 'with (fillfactor = 70)' };

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
export const changePartitions = async (database: Database, change: (tx: Tx) => Promise<void>): Promise<boolean> => {
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

const children = statement<{ name: string }, [parent: string]>(
  `select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid where inhparent = $1::regclass`,
);

/** The days that a table has a partition for, oldest first. */
export const daysOf = async (database: Database, parent: Partitioned): Promise<string[]> => {
  const names = (await database.rows(children, parent)).map(({ name }) => name);
  return names
    .flatMap((name) => {
      const [, year, month, day] = /_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
      return day === undefined ? [] : [`${year}-${month}-${day}`];
    })
    .toSorted();
};

/** An id begins with its time in milliseconds. */
const crowdsIn = (parent: Partitioned): Statement<{ day: string; count: number }, []> =>
  statement(
    `select to_char(to_timestamp(('x' || lpad(left(replace(id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000.0)
                    at time zone 'UTC', 'YYYY-MM-DD') as day,
            count(*)::int as count
       from ${restOf(parent)} group by 1`,
  );

/**
 * Makes the partition beside the table and then attaches it, which locks the table against nobody. A day that has begun may
 * have rows in the rest, and get more at this moment: everybody waits until they are moved, so that nobody looks for a row
 * where it no longer is.
 */
const makePartition = (database: Database, parent: Partitioned, day: string, hasBegun: boolean): Promise<boolean> => {
  const name = partitionOf(parent, day);
  const [from, to] = [`first_id_of('${day}')`, `first_id_of('${dayAfter(day)}')`];
  return changePartitions(database, async (tx) => {
    const [known] = await rowsIn(
      tx,
      statement<{ there: boolean }, [string]>(`select to_regclass($1) is not null as there`),
      name,
    );
    if (known?.there) return;
    const run = (text: string) => rowsIn(tx, statement(text));
    await run(`create table ${name} (like ${parent} including all) ${storage[parent] ?? ''}`);
    if (hasBegun) {
      await run(`lock table only ${parent} in access exclusive mode`);
      await run(
        `with moved as (delete from ${restOf(parent)} where id >= ${from} and id < ${to} returning *)
         insert into ${name} select * from moved`,
      );
    }
    const [ids] = await rowsIn(tx, statement<{ from: string; to: string }, []>(`select ${from} as from, ${to} as to`));
    await run(`alter table ${parent} attach partition ${name} for values from ('${ids?.from}') to ('${ids?.to}')`);
  });
};

/** Makes the partitions of the days to come, and of those of which rows fell to the rest. Any number of processes may. */
export const keepPartitions = async ({ database, clock }: Platform, { ahead = 14 } = {}): Promise<void> => {
  const today = dayOf(clock.now());
  const last = dayOf(later(clock.now(), days(ahead)));
  const coming = Array.from({ length: ahead + 1 }, (_, n) => dayOf(later(clock.now(), days(n))));
  for (const parent of partitioned) {
    const there = new Set(await daysOf(database, parent));
    const crowds = new Map((await database.rows(crowdsIn(parent))).map(({ day, count }) => [day, count]));
    const wanted = new Set([...coming, ...crowds.keys()]);
    for (const day of [...wanted].toSorted()) {
      if (there.has(day) || day > last || (crowds.get(day) ?? 0) > mostMoved) continue;
      await makePartition(database, parent, day, day <= today || crowds.has(day));
    }
  }
};
