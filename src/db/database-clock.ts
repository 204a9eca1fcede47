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
/** Smaller differences are noise of the round trip. Following them would make the time jump back and forth. */
const worthCorrecting = 100;
/** A slower answer is too inexact to set the clock. */
const promptly = 1_000;

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
export const databaseClock = (
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
    const took = own() - asked;
    if (!row || took > promptly) return;
    const difference = Math.round(row.ms - (asked + took / 2));
    if (Math.abs(difference - ahead) > worthCorrecting) ahead = Math.abs(difference) > worthCorrecting ? difference : 0;
  };
  const comparing = setInterval(() => void compare(), compareEvery).unref();
  return { now: () => new Date(own() + ahead), compare, stop: () => clearInterval(comparing) };
};
