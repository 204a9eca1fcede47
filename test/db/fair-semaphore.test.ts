import { describe, expect, it } from 'vitest';
import { Turns } from '../../src/db/turns.ts';
import { isUnavailable } from '../../src/db/unavailable.ts';

describe('turns', () => {
  it('let so many run at once, and the others in the order in which they came', async () => {
    const turns = new Turns(2, 10_000);
    const begun: number[] = [];
    const ends = [1, 2, 3, 4].map(() => Promise.withResolvers<void>());
    const all = ends.map(({ promise }, index) =>
      turns.take(async () => {
        begun.push(index);
        await promise;
      }),
    );
    await expect.poll(() => begun).toEqual([0, 1]);
    ends[1]?.resolve();
    await expect.poll(() => begun).toEqual([0, 1, 2]);
    for (const { resolve } of ends) resolve();
    await Promise.all(all);
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  it('go on after one that failed, and are given up by who waits too long', async () => {
    const turns = new Turns(1, 20);
    const running = Promise.withResolvers<void>();
    const first = turns.take(() => running.promise);
    const late = await turns.take(async () => 'ran').catch((error: unknown) => error);
    expect(isUnavailable(late)).toBe(true);
    running.reject(new Error('no'));
    await expect(first).rejects.toThrow('no');
    expect(await turns.take(async () => 'ran')).toBe('ran');
  });
});
