import { sha256 } from '../../core/crypto.ts';
import { fail } from '../../core/problem.ts';
import type { Database } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';

const countTry = statement<{ used: number; wait: number }, [subject: string, seconds: number]>(
  `insert into rate_window as known (subject, started_at, used) values ($1, clock_timestamp(), 1)
   on conflict (subject) do update
      set used = case when known.started_at + make_interval(secs => $2) <= clock_timestamp() then 1 else known.used + 1 end,
          started_at = case when known.started_at + make_interval(secs => $2) <= clock_timestamp() then clock_timestamp() else known.started_at end
   returning used, greatest(1, ceil(extract(epoch from started_at + make_interval(secs => $2) - clock_timestamp())))::int as wait`,
);

interface Counted {
  /** What is tried, and who or what it is counted for; kept as a hash. */
  what: 'sign-in from' | 'sign-in as' | 'calls of' | 'reset for' | 'proof of' | 'code of';
  whom: string;
  seconds: number;
}

const count = async (database: Database, { what, whom, seconds }: Counted) => {
  const subject = `${what} ${sha256(whom).toString('base64url').slice(0, 22)}`;
  const [row = { used: 1, wait: 1 }] = await database.rows(countTry, subject, seconds);
  return row;
};

/** Counts a try, and refuses it once there were too many: in all processes together, whether or not it would have succeeded. */
export const needTry = async (database: Database, { most, ...counted }: Counted & { most: number }): Promise<void> => {
  const { used, wait } = await count(database, counted);
  if (used > most) fail('rate_limited', { retry_after: wait });
};

/** For as long as an app's code may be taken for the present one. */
const codeSeconds = 90;

/** Whether somebody shows an app's code for the first time. */
export const isFirstUse = async (database: Database, personId: string, code: string): Promise<boolean> =>
  (await count(database, { what: 'code of', whom: `${personId} ${code}`, seconds: codeSeconds })).used === 1;
