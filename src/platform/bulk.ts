import { z } from 'zod';
import { flawsOf } from '../core/flaws.ts';
import { makeId } from '../core/ids.ts';
import type { Language } from '../core/language.ts';
import { limits } from '../core/limits.ts';
import { Problem, problemCodes, type SpokenFlaw } from '../core/problem.ts';
import { flawsOfValue, isStorable } from '../core/storable.ts';
import { problemBody } from './problem-body.ts';
import type { Team } from './team.ts';

/** The new thing, or the problem that prevented it. */
export type ItemOutcome<Made> = { made: Made } | { problem: Problem };

/** The result of an action, or the problem that refused it. */
export const outcomeOf = async <Made>(act: () => Promise<Made>): Promise<ItemOutcome<Made>> => {
  try {
    return { made: await act() };
  } catch (error) {
    // If the database can't be reached, the remaining actions would fail, too, so the whole call fails. Actions that
    // are committed stay done.
    if (!(error instanceof Problem) || error.code === 'unavailable') throw error;
    return { problem: error };
  }
};

// Actions of the app on several things at once. The action runs separately for each thing, in a transaction of its own
// and by the same rules as for a single one, so that one refusal does not stop the others.

/** The ids of the things, without duplicates. */
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

/** The result for one of the things. */
export const resultOf = (id: string, outcome: ItemOutcome<unknown>): BulkItem => {
  if ('made' in outcome) return { id, code: null };
  const { code, members } = outcome.problem;
  const { retry_after } = members;
  return { id, code, ...(retry_after !== undefined && { retry_after }) };
};

/** Runs an action for each id, one after the other. */
export const forEachSeparately = async (
  ids: readonly string[],
  act: (id: string) => Promise<unknown>,
): Promise<BulkResults> => {
  const results: BulkItem[] = [];
  for (const id of ids) results.push(resultOf(id, await outcomeOf(() => act(id))));
  return { results };
};

// Operations of the API that create several things. Each item is the body of a request for one thing, and is read,
// checked and created as if it had come alone. All are created in one transaction, because a repeated request must find
// all or none of them, and because a commit for each item would take most of the time.

/**
 * The items of a request that creates several things. `body`: the OpenAPI schema of one item. It only describes: if it
 * refused an item, it would refuse all of them.
 */
export const itemsLike = (body: string) =>
  z
    .array(z.unknown().meta({ $ref: `#/components/schemas/${body}` }))
    .min(1)
    .max(limits.itemsInRequest);

/** The number of requests that the items count as, in addition to the request itself. */
export const furtherRequests = (items: number): number => Math.ceil(items / limits.itemsCountedAsRequest) - 1;

/** How many flaws of an item are shown. Without a limit, an answer could be many times larger than its request. */
const flawsOfItem = 10;

/** An item, or the problem that it would get as the body of a request. `path`: where the item is. */
export const readItem = <Schema extends z.ZodObject>(
  schema: Schema,
  item: unknown,
  path: SpokenFlaw['path'],
): z.output<Schema> | Problem => {
  const flaws = flawsOfValue(item, path);
  const read = schema.safeParse(item);
  if (read.success && flaws.length === 0) return read.data;
  // The schema finds some of these flaws again. Its message about a key that can't be stored would repeat the key, so
  // ours is used.
  const isSaid = (flaw: SpokenFlaw) =>
    flaws.some((said) => said.path.length > path.length && said.path.every((key, at) => flaw.path[at] === key)) ||
    flaw.path.some((key) => typeof key === 'string' && !isStorable(key));
  const bySchema = read.success ? [] : flawsOf(read.error).map((flaw) => ({ ...flaw, path: [...path, ...flaw.path] }));
  const errors = [...flaws, ...bySchema.filter((flaw) => !isSaid(flaw))].slice(0, flawsOfItem);
  return new Problem('validation_error', { errors: errors.map((flaw) => ({ in: 'body', ...flaw })) });
};

/** Runs the actions of the items one after the other, in the transaction of the request. */
export const outcomesOf = async <Made>(acts: readonly (() => Promise<Made>)[]): Promise<ItemOutcome<Made>[]> => {
  const outcomes: ItemOutcome<Made>[] = [];
  for (const act of acts) outcomes.push(await outcomeOf(act));
  return outcomes;
};

/** A problem as the result of an item, with the status that it would have as an answer. */
export const problemResult = ({ requestId, platform }: Team, language: Language, problem: Problem) => ({
  status: problem.status,
  // Only a call outside of a request has no id.
  problem: problemBody(problem, language, requestId ?? makeId(), platform.publicUrl),
});
