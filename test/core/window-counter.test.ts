import { describe, expect, it } from 'vitest';
import { WindowCounter } from '../../src/core/window-counter.ts';

describe('a counter of windows', () => {
  it('counts each key separately, until its window ends', () => {
    const counter = new WindowCounter({ seconds: 60 });
    expect(counter.count('one', 0)).toEqual({ used: 1, wait: 60 });
    expect(counter.count('one', 30_001)).toEqual({ used: 2, wait: 30 });
    expect(counter.count('other', 30_001)).toEqual({ used: 1, wait: 60 });
    expect(counter.count('one', 59_999)).toEqual({ used: 3, wait: 1 });
    expect(counter.has('one', 59_999)).toBe(true);
    expect(counter.has('one', 60_000)).toBe(false);
    expect(counter.count('one', 60_000)).toEqual({ used: 1, wait: 60 });
  });

  it('keeps a limited number of keys; the oldest windows are dropped first', () => {
    const counter = new WindowCounter({ seconds: 60, capacity: 3 });
    for (const [index, key] of ['a', 'b', 'c', 'd'].entries()) counter.count(key, index);
    expect(['a', 'b', 'c', 'd'].map((key) => counter.has(key, 10))).toEqual([false, true, true, true]);
    // All expired windows are removed at once, not only the oldest.
    counter.count('e', 60_003);
    expect(['b', 'c', 'd', 'e'].map((key) => counter.has(key, 60_003))).toEqual([false, false, false, true]);
  });
});
