import type { Database } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';

// What a request holds right now is left for the next time: waiting for it while holding others could deadlock with it.
const forgetIn = (table: 'rate_window' | 'request_budget') =>
  statement<{ subject: string }, []>(
    `delete from ${table}
      where subject in (
        select subject from ${table} where started_at < clock_timestamp() - interval '10 minutes' for update skip locked
      )`,
  );
const tables = [forgetIn('rate_window'), forgetIn('request_budget')];

/** Deletes the budgets that nobody has touched for a while: the next request starts a new one anyway. */
export const forgetOldBudgets = async (database: Database): Promise<void> => {
  for (const forget of tables) await database.rows(forget);
};
