import type { Clock } from '../core/clock.ts';
import type { Database } from './database.ts';
import { float, query } from './query.ts';

const readTime = query({
  name: 'db.time',
  why: 'the time of PostgreSQL, which is in no table',
  sql: 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  parameters: {},
  row: { ms: float.checked },
});

const compareEvery = 30_000;

/**
 * One comparison, in milliseconds: between `asked` and `answered` of the process' own clock, the database's clock
 * showed `read`.
 */
interface Comparison {
  asked: number;
  read: number;
  answered: number;
}

/**
 * The new estimate, after a comparison, of how far the database's clock is ahead. A comparison shows only two bounds,
 * which are as far apart as the round trip took. If the former estimate is within them, it is kept, so that noise does
 * not move the time. Otherwise the nearer bound is the new one. So even a slow comparison never moves the time away
 * from the database's.
 */
export const differenceAfter = (before: number, { asked, read, answered }: Comparison): number =>
  // `Date.now` cuts off the part of a millisecond, so the answer may have come almost a millisecond later.
  Math.min(Math.max(before, read - (answered + 1)), read - asked);

export interface DatabaseClock extends Clock {
  /** Compares the clocks once. Without an answer, the last known difference stays in use. */
  compare(): Promise<void>;
  stop(): void;
}

/**
 * The database's time, which is the same for all processes. So a machine with a wrong clock neither signs with a time
 * that receivers refuse nor claims deliveries that others are still sending. `own` is the time of this machine, in
 * milliseconds.
 */
export const makeDatabaseClock = (
  database: Database,
  { own = Date.now, onFailure = () => {} }: { own?: () => number; onFailure?: (error: unknown) => void } = {},
): DatabaseClock => {
  let ahead = 0;
  const compare = async () => {
    const asked = own();
    const [row] = await database.run(readTime, {}).catch((error: unknown) => {
      onFailure(error);
      return [];
    });
    if (row) ahead = differenceAfter(ahead, { asked, read: row.ms, answered: own() });
  };
  const comparing = setInterval(() => void compare(), compareEvery).unref();
  return { now: () => new Date(own() + ahead), compare, stop: () => clearInterval(comparing) };
};
