import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as endOfTurn, setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs a call for several callers outside of their asynchronous contexts. So no row level security applies to its
 * statements, even if all callers are requests of one team (db/row-security.ts).
 */
const inNoContext = AsyncLocalStorage.snapshot();

export interface BatchOptions {
  /** How many items a call has at most. */
  max: number;
  /** How long the first item of a call waits for others. Absent: until the end of this turn of the event loop. */
  waitMs?: number;
  /** A call that has run for this long no longer delays the next one; 0: calls don't wait for each other. */
  nextAfterMs?: number;
}

/**
 * Makes one call for the items of several callers: those that come at the same time, and those that come while the
 * former call runs. So an idle process calls at once (or after `waitMs`), and a busy process makes one call for many
 * items.
 *
 *   item ──▶ waits ──the turn or `waitMs` ends, and no call delays it──▶ in a call ──▶ result, or the call's error
 *
 * The call returns a result for each item, in their order; if it fails, all callers of the batch get its error.
 */
export const inBatches = <Item, Result>(
  call: (items: readonly Item[]) => Promise<readonly Result[]>,
  { max, waitMs, nextAfterMs = Infinity }: BatchOptions,
): ((item: Item) => Promise<Result>) => {
  type WaitingItem = PromiseWithResolvers<Result> & { readonly item: Item };
  const waiting: WaitingItem[] = [];
  let isRunning = false;

  const runBatch = async (batch: readonly WaitingItem[]) => {
    try {
      const results = await call(batch.map(({ item }) => item));
      if (results.length !== batch.length) throw new Error('a batch needs a result for each of its items');
      for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  const run = async () => {
    isRunning = true;
    while (waiting.length > 0) {
      if (waiting.length < max) await (waitMs === undefined ? endOfTurn() : sleep(waitMs));
      const ended = runBatch(waiting.splice(0, max));
      if (nextAfterMs > 0) await endedOrLate(ended, nextAfterMs);
    }
    isRunning = false;
  };

  return (item) => {
    const added = { item, ...Promise.withResolvers<Result>() };
    waiting.push(added);
    if (!isRunning) void inNoContext(run);
    return added.promise;
  };
};

const endedOrLate = async (ended: Promise<void>, lateAfterMs: number): Promise<void> => {
  if (lateAfterMs === Infinity) return ended;
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, lateAfterMs);
  await Promise.race([ended, late]);
  clearTimeout(timer);
};

interface HalvingActions<Item, Result> {
  act: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Called with a single item for which `act` failed. */
  actAlone: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Whether a call with fewer items may succeed after a call with all of them has failed. */
  mayHalve: (error: unknown) => boolean;
}

/**
 * Calls `act` with all items. If that fails, calls it with each half, one after the other. So an item that fails is
 * found in few calls, and items that are too many for one call are split.
 */
export const inHalves = async <Item, Result>(
  items: readonly Item[],
  halving: HalvingActions<Item, Result>,
): Promise<PromiseSettledResult<Result>[]> => {
  const { act, actAlone, mayHalve } = halving;
  const fulfilled = (values: readonly Result[]): PromiseSettledResult<Result>[] =>
    values.map((value) => ({ status: 'fulfilled', value }));
  const rejected = (reason: unknown): PromiseSettledResult<Result>[] =>
    items.map(() => ({ status: 'rejected', reason }));

  try {
    return fulfilled(await act(items));
  } catch (error) {
    if (!mayHalve(error)) return rejected(error);
    if (items.length <= 1) return actAlone(items).then(fulfilled, rejected);
    const middle = Math.ceil(items.length / 2);
    const first = await inHalves(items.slice(0, middle), halving);
    return [...first, ...(await inHalves(items.slice(middle), halving))];
  }
};
