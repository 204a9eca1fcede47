import type { Database } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';

// What a request holds right now is left for the next time: waiting for it while holding others could deadlock with it.
// In `rate_window`, windows of more than ten minutes are marked as such (`day …`).
const forgetIn = (table: 'rate_window' | 'request_budget', longest: string) =>
  statement<{ subject: string }, []>(
    `delete from ${table}
      where subject in (
        select subject from ${table} where started_at < clock_timestamp() - ${longest} for update skip locked
      )`,
  );
const tables = [
  forgetIn('rate_window', `case when subject like 'day %' then interval '1 day' else interval '10 minutes' end`),
  forgetIn('request_budget', `interval '10 minutes'`),
];

/** Deletes the budgets that nobody has touched for a while: the next request starts a new one anyway. */
export const forgetOldBudgets = async (database: Database): Promise<void> => {
  for (const forget of tables) await database.rows(forget);
};
