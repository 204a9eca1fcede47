import type { Database } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';

// What a request holds right now is left for the next time: waiting for it while holding others could deadlock with it.
// Windows of more than ten minutes are marked as such (`day …`).
const forget = statement<{ subject: string }, []>(
  `delete from rate_window
    where subject in (
      select subject from rate_window where started_at < clock_timestamp() - case when subject like 'day %' then interval '1 day' else interval '10 minutes' end
         for update skip locked
    )`,
);

/** Deletes the budgets that nobody has touched for a while: the next request starts a new one anyway. */
export const forgetOldBudgets = async (database: Database): Promise<void> => {
  await database.rows(forget);
};
