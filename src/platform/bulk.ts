import { z } from 'zod';
import { limits } from '../core/limits.ts';
import { Problem, problemCodes } from '../core/problem.ts';

// Actions of the app on several things at once. The action runs separately for each thing, in a transaction of its own
// and by the same rules as for a single one, so that one refusal does not stop the others.

/** The ids of the things, each once. */
export const bulkIds = z
  .array(z.string())
  .min(1)
  .max(limits.bulkItems)
  .transform((ids) => [...new Set(ids)])
  .meta({ maxItems: limits.bulkItems });

const BulkItem = z.object({
  id: z.string(),
  code: z.enum(problemCodes).nullable().meta({ description: 'Why it was not done; null if it was.' }),
  retry_after: z.int().optional().meta({ description: 'Seconds; only with `rate_limited`.' }),
});
type BulkItem = z.output<typeof BulkItem>;

export const BulkResults = z.object({ results: z.array(BulkItem) });
export type BulkResults = z.output<typeof BulkResults>;

const outcomeOf = async (id: string, act: (id: string) => Promise<unknown>): Promise<BulkItem> => {
  try {
    await act(id);
    return { id, code: null };
  } catch (error) {
    // If the database can't be reached, the rest would fail too. Actions already done stay done.
    if (!(error instanceof Problem) || error.code === 'unavailable') throw error;
    const { retry_after } = error.members;
    return { id, code: error.code, ...(retry_after !== undefined && { retry_after }) };
  }
};

/** Runs an action for each id, one after the other. */
export const forEachSeparately = async (
  ids: readonly string[],
  act: (id: string) => Promise<unknown>,
): Promise<BulkResults> => {
  const results: BulkItem[] = [];
  for (const id of ids) results.push(await outcomeOf(id, act));
  return { results };
};
