import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Makes one call for the items of several callers, at most `max`: for those that come within `waitMs`, and for those that come while the
 * former call runs. One call runs at a time. It returns a result for each item, in their order; if it fails, all callers of the batch get
 * its error.
 */
export const inBatches = <Item, Result>(
  call: (items: readonly Item[]) => Promise<readonly Result[]>,
  { max, waitMs }: { max: number; waitMs: number },
): ((item: Item) => Promise<Result>) => {
  type Waiting = PromiseWithResolvers<Result> & { readonly item: Item };
  const waiting: Waiting[] = [];
  let isRunning = false;

  const runBatch = async (batch: readonly Waiting[]) => {
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
      if (waiting.length < max) await sleep(waitMs);
      await runBatch(waiting.splice(0, max));
    }
    isRunning = false;
  };

  return (item) => {
    const added = { item, ...Promise.withResolvers<Result>() };
    waiting.push(added);
    if (!isRunning) void run();
    return added.promise;
  };
};
