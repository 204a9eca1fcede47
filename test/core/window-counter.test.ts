import { describe, expect, it } from 'vitest';
import { WindowCounter } from '../../src/core/ttl-map.ts';

describe('a counter of windows', () => {
  it('counts each key separately, until its window ends', () => {
    const counter = new WindowCounter({ seconds: 60 });
    expect(counter.count('one', 0)).toEqual({ used: 1, wait: 60 });
    expect(counter.count('one', 30_001)).toEqual({ used: 2, wait: 30 });
    expect(counter.count('other', 30_001)).toEqual({ used: 1, wait: 60 });
    expect(counter.count('one', 59_999)).toEqual({ used: 3, wait: 1 });
    expect(counter.count('one', 60_000)).toEqual({ used: 1, wait: 60 });
  });

  it('keeps a limited number of keys; the oldest windows are dropped first', () => {
    const counter = new WindowCounter({ seconds: 60, capacity: 3 });
    for (const [index, key] of ['a', 'b', 'c', 'd'].entries()) counter.count(key, index);
    expect(['b', 'c', 'd', 'a'].map((key) => counter.count(key, 10).used)).toEqual([2, 2, 2, 1]);
  });
});
