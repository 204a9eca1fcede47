import { describe, expect, it } from 'vitest';
import { Turns } from '../../src/core/turns.ts';

/** Takes a turn and notes when it begins. */
const begun = (turns: Turns, key: string, caller?: string) => {
  const one: { begun: boolean; end: () => void; failed?: unknown } = { begun: false, end: () => undefined };
  const taken = turns.take(key, caller).then(
    (end) => {
      one.begun = true;
      one.end = end;
    },
    (error: unknown) => {
      one.failed = error;
    },
  );
  return { one, taken };
};

/** Lets everything that can go on go on. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('turns', () => {
  it('lets so many tasks of a group run at once, and the next when one ends', async () => {
    const turns = new Turns({ atOnce: 2, waiting: 10 });
    const all = Array.from({ length: 4 }, () => begun(turns, 'a').one);
    await settle();
    expect(all.map((one) => one.begun)).toEqual([true, true, false, false]);
    all[0]?.end();
    // Ended twice, it gives no second turn away.
    all[0]?.end();
    await settle();
    expect(all.map((one) => one.begun)).toEqual([true, true, true, false]);
    all[1]?.end();
    await settle();
    expect(all.map((one) => one.begun)).toEqual([true, true, true, true]);
  });

  it('holds no group up for another', async () => {
    const turns = new Turns({ atOnce: 1, waiting: 10 });
    begun(turns, 'a');
    begun(turns, 'a');
    const other = begun(turns, 'b').one;
    await settle();
    expect(other.begun).toBe(true);
  });

  it('refuses whoever finds too many of the group waiting', async () => {
    const turns = new Turns({ atOnce: 1, waiting: 1 });
    const all = Array.from({ length: 3 }, () => begun(turns, 'a').one);
    await settle();
    expect(all[2]?.failed).toMatchObject({ code: 'rate_limited' });
    all[0]?.end();
    await settle();
    const next = begun(turns, 'a').one;
    await settle();
    expect([all[1]?.begun, next.begun, next.failed]).toEqual([true, false, undefined]);
  });

  it('gives the callers of a group turns one after the other, however many tasks one of them has', async () => {
    const turns = new Turns({ atOnce: 1, waiting: 10 });
    const first = begun(turns, 'a', 'crowd').one;
    const crowd = Array.from({ length: 5 }, () => begun(turns, 'a', 'crowd').one);
    const single = begun(turns, 'a', 'single').one;
    await settle();
    first.end();
    await settle();
    crowd[0]?.end();
    await settle();
    expect([crowd[0]?.begun, single.begun, crowd[1]?.begun]).toEqual([true, true, false]);
  });
});
