import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { inBatches, inHalves } from '../../src/core/batch.ts';

/** A call whose answers the test holds back, and the batches that it got. */
const aHeldCall = () => {
  const batches: (readonly number[])[] = [];
  const holds: PromiseWithResolvers<void>[] = [];
  const call = async (items: readonly number[]) => {
    batches.push(items);
    const hold = Promise.withResolvers<void>();
    holds.push(hold);
    await hold.promise;
    return items.map((item) => item * 2);
  };
  return { batches, holds, call };
};

/** Waits for some turns of the event loop. */
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

const called = (batches: readonly unknown[], count: number) => expect.poll(() => batches.length).toBe(count);

it('items that come at the same time share a call, and each caller gets its own result', async () => {
  const { batches, holds, call } = aHeldCall();
  const double = inBatches(call, { max: 10, waitMs: 1 });
  const results = Promise.all([1, 2, 3].map(double));
  await called(batches, 1);
  holds[0]?.resolve();
  expect(await results).toEqual([2, 4, 6]);
  expect(batches).toEqual([[1, 2, 3]]);
});

it('items that come while a call runs share the next ones, which are not larger than the limit', async () => {
  const { batches, holds, call } = aHeldCall();
  const double = inBatches(call, { max: 2, waitMs: 1 });
  const first = double(1);
  await called(batches, 1);
  const others = Promise.all([2, 3, 4].map(double));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(batches).toEqual([[1]]);
  holds[0]?.resolve();
  expect(await first).toBe(2);
  await called(batches, 2);
  holds[1]?.resolve();
  await called(batches, 3);
  holds[2]?.resolve();
  expect(await others).toEqual([4, 6, 8]);
  expect(batches).toEqual([[1], [2, 3], [4]]);
});

it('a call that fails fails for the callers of its batch, and for no others', async () => {
  let calls = 0;
  const fail = inBatches(
    (items: readonly number[]) => {
      calls += 1;
      return calls === 1 ? Promise.reject(new Error('refused')) : Promise.resolve(items);
    },
    { max: 2, waitMs: 1 },
  );
  const results = await Promise.allSettled([1, 2, 3].map(fail));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});

it('a call that gives too few results fails', async () => {
  const lose = inBatches((items: readonly number[]) => Promise.resolve(items.slice(1)), { max: 2, waitMs: 1 });
  await expect(lose(1)).rejects.toThrow('a result for each of its items');
});

it('items that come within the wait share a call, and a full call does not wait', async () => {
  const { batches, holds, call } = aHeldCall();
  const double = inBatches(call, { max: 2, waitMs: 50 });
  const first = double(1);
  await turns(3);
  expect(batches).toEqual([]);
  const second = double(2);
  await called(batches, 1);
  expect(batches).toEqual([[1, 2]]);
  holds[0]?.resolve();
  expect(await Promise.all([first, second])).toEqual([2, 4]);

  const atOnce = inBatches(call, { max: 1, waitMs: 60_000 });
  const full = atOnce(3);
  expect(batches).toEqual([[1, 2], [3]]);
  holds[1]?.resolve();
  expect(await full).toBe(6);
});

it('an item that comes after all calls have ended gets a new one, and there is no call without items', async () => {
  const { batches, holds, call } = aHeldCall();
  const double = inBatches(call, { max: 10 });
  for (const item of [1, 2]) {
    const result = double(item);
    await called(batches, item);
    holds[item - 1]?.resolve();
    expect(await result).toBe(2 * item);
    await turns(3);
  }
  expect(batches).toEqual([[1], [2]]);
});

it('a call that is not late leaves no timer behind', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const double = inBatches(async ([item = 0]: readonly number[]) => [2 * item], { max: 1, nextAfterMs: 60_000 });
  expect(await double(1)).toBe(2);
  await turns(2);
  expect(vi.getTimerCount()).toBe(0);
});

it('calls that don’t wait for each other run at once', async () => {
  const { batches, holds, call } = aHeldCall();
  const double = inBatches(call, { max: 1, nextAfterMs: 0 });
  const results = Promise.all([1, 2, 3].map(double));
  expect(batches).toEqual([[1], [2], [3]]);
  for (const { resolve } of holds) resolve();
  expect(await results).toEqual([2, 4, 6]);
});

it('a call that is late does not delay the next one', async () => {
  const { batches, holds, call } = aHeldCall();
  const double = inBatches(call, { max: 3, nextAfterMs: 5 });
  const late = double(1);
  await called(batches, 1);
  const next = double(2);
  await called(batches, 2);
  holds[1]?.resolve();
  expect(await next).toBe(4);
  holds[0]?.resolve();
  expect(await late).toBe(2);
});

describe('a batch that fails', () => {
  const withOneBad = (mayHalve: boolean) => {
    const sizes: number[] = [];
    const items = Array.from({ length: 200 }, (_, index) => index);
    const act = async (some: readonly number[]) => {
      sizes.push(some.length);
      if (some.includes(77)) throw new Error('bad');
      return some.map((item) => item * 2);
    };
    const actAlone = async ([item = 0]: readonly number[]) => [-item];
    return { sizes, items, settled: inHalves(items, { act, actAlone, mayHalve: () => mayHalve }) };
  };

  it('is done in halves, so that one bad item is found in few calls, and done otherwise', async () => {
    const { sizes, items, settled } = withOneBad(true);
    const values = (await settled).map((one) => (one.status === 'fulfilled' ? one.value : undefined));
    expect(values).toEqual(items.map((item) => (item === 77 ? -77 : item * 2)));
    expect(sizes.length).toBeLessThan(20);
  });

  it('fails as a whole if fewer items would not help', async () => {
    const { sizes, settled } = withOneBad(false);
    expect(new Set((await settled).map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(sizes).toEqual([200]);
  });

  it('refuses only the item that fails alone too', async () => {
    const act = (items: readonly number[]) =>
      items.includes(2) ? Promise.reject(new Error('bad')) : Promise.resolve(items);
    const settled = inHalves([1, 2, 3], { act, actAlone: act, mayHalve: () => true });
    expect(await settled).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: new Error('bad') },
      { status: 'fulfilled', value: 3 },
    ]);
  });
});
