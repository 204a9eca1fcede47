import { setTimeout as sleep } from 'node:timers/promises';

interface Options {
  /** The largest batch. */
  max: number;
  /** How long the first item of a batch waits for others. */
  waitMs: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes one call for the items of several callers: for those that come within `waitMs`, and for those that come while the former call runs.
 * One call runs at a time. It returns a result for each item, in their order; if it fails, all callers of the batch get its error.
 */
export const inBatches = <Item, Result>(
  call: (items: readonly Item[]) => Promise<readonly Result[]>,
  { max, waitMs }: Options,
): ((item: Item) => Promise<Result>) => {
  const waiting: Waiting<Item, Result>[] = [];
  let isRunning = false;

  const runBatch = async (batch: readonly Waiting<Item, Result>[]) => {
    try {
      const results = await call(batch.map(({ item }) => item));
      if (results.length !== batch.length) throw new Error('a batch needs a result for each of its items');
      for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  const run = async () => {
    while (waiting.length > 0) {
      if (waiting.length < max) await sleep(waitMs);
      await runBatch(waiting.splice(0, max));
    }
    isRunning = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isRunning) return;
      isRunning = true;
      void run();
    });
};
