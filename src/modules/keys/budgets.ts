import type { Database } from '../../db/database.ts';
import { windows } from '../windows/store.ts';
import { keys } from './store.ts';

/** Deletes the budgets that nobody has touched for a while: the next request starts a new one anyway. */
export const forgetOldBudgets = async (database: Database): Promise<void> => {
  await windows.forgetOld(database);
  await keys.forgetBudgets(database);
};
