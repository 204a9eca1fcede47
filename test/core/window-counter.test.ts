import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { remembered, TtlMap, WindowCounter } from '../../src/core/ttl-map.ts';

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

describe('a cache', () => {
  const keys = ['a', 'b', 'c', 'd', 'e'];
  const step = fc.record({
    does: fc.constantFrom('set', 'set', 'get', 'delete'),
    key: fc.constantFrom(...keys),
    after: fc.nat({ max: 6 }),
  });

  it('has the entries that were set last, as many as fit, until they expire', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const cache = new TtlMap<number>({ capacity: 3, ttlMs: 10 });
        let expected: { key: string; value: number; until: number }[] = [];
        let now = 0;
        const valueOf = (key: string) => expected.find((entry) => entry.key === key && now < entry.until)?.value;
        for (const [value, { does, key, after }] of steps.entries()) {
          now += after;
          const others = expected.filter((entry) => entry.key !== key);
          if (does === 'get') expect(cache.get(key, now)).toBe(valueOf(key));
          else if (does === 'delete') cache.delete(key);
          else cache.set(key, value, { now });
          if (does === 'delete') expected = others;
          if (does === 'set') expected = [...others.slice(-2), { key, value, until: now + 10 }];
        }
        expect(keys.map((key) => cache.has(key, now))).toEqual(keys.map((key) => valueOf(key) !== undefined));
        expect(keys.map((key) => cache.get(key, now))).toEqual(keys.map(valueOf));
      }),
    );
  });

  it('keeps an entry for a time of its own, or without one until there is no room', () => {
    const cache = new TtlMap<string>({ capacity: 2 });
    cache.set('short', 'x', { ttlMs: 5, now: 0 });
    cache.set('long', 'y', { now: 0 });
    expect([4, 5].map((now) => cache.get('short', now))).toEqual(['x', undefined]);
    expect(cache.get('long', Number.MAX_SAFE_INTEGER)).toBe('y');
    cache.set('now', 'z', { ttlMs: 60_000 });
    expect([cache.get('now'), cache.has('now'), cache.has('short')]).toEqual(['z', true, false]);
  });

  it('makes a value once, and keeps those that were used last', () => {
    const cache = new TtlMap<string>({ capacity: 2 });
    let made = 0;
    const use = (key: string) => remembered(cache, key, () => `${key}${(made += 1)}`);
    expect(['a', 'b', 'a', 'c', 'a', 'b'].map(use)).toEqual(['a1', 'b2', 'a1', 'c3', 'a1', 'b4']);
  });
});
