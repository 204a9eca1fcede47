import { later, systemClock } from '../core/clock.ts';
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
/** Less is the round trip's own noise, and following it would make the time step back and forth. */
const worthCorrecting = 100;
/** Whoever waited longer for the answer can't say what time it is by it. */
const promptly = 1_000;

export interface DatabaseClock extends Clock {
  /** Compares once; where the database does not answer, the difference known before stays. */
  compare(): Promise<void>;
  stop(): void;
}

/**
 * The database's time: one for all processes, so that a machine whose clock is wrong neither signs with a time that receivers
 * refuse nor takes what others are still sending.
 */
export const databaseClock = (database: Database, own: Clock = systemClock): DatabaseClock => {
  let ahead = 0;
  const compare = async () => {
    const asked = own.now().getTime();
    const [row] = await database.run(readTime, {}).catch(() => []);
    const took = own.now().getTime() - asked;
    if (!row || took > promptly) return;
    const difference = Math.round(row.ms - (asked + took / 2));
    if (Math.abs(difference - ahead) > worthCorrecting) ahead = Math.abs(difference) > worthCorrecting ? difference : 0;
  };
  const comparing = setInterval(() => void compare(), compareEvery).unref();
  return { now: () => later(own.now(), ahead), compare, stop: () => clearInterval(comparing) };
};
