import { describe, expect, it } from 'vitest';
import { Hashing } from '../../src/core/password.ts';
import type { HashingCaller } from '../../src/core/password.ts';
import { hashingLimits } from '../../src/core/limits.ts';

const stranger = (key: string): HashingCaller => ({ lane: 'strangers', key });
const known = (key: string): HashingCaller => ({ lane: 'known', key });

/** Work that runs until the test ends it, and a list of what is running. */
const aBench = (hashing: Hashing) => {
  const order: string[] = [];
  const running: (() => void)[] = [];
  let most = 0;
  const compute = (name: string) => () =>
    new Promise<void>((resolve) => {
      order.push(name);
      running.push(resolve);
      most = Math.max(most, running.length);
    });
  return {
    order,
    mostAtOnce: () => most,
    submit: (caller: HashingCaller, name = caller.key) => hashing.enter(caller, () => hashing.turn(compute(name))),
    /** Ends the running work until none is left. */
    async finish() {
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        const end = running.shift();
        if (!end) return;
        end();
      }
    },
  };
};

describe('the queue for hashing', () => {
  it('computes at most the configured number of hashes at once', async () => {
    const bench = aBench(new Hashing({ atOnce: 3, places: 50 }));
    const all = Array.from({ length: 40 }, (_, index) => bench.submit(stranger(`network ${index}`)));
    await bench.finish();
    await Promise.all(all);
    expect(bench.mostAtOnce()).toBe(3);
    expect(bench.order).toHaveLength(40);
  });

  it('serves networks in turn, however many hashes one of them waits for', async () => {
    const bench = aBench(new Hashing({ atOnce: 1, places: 50 }));
    const all = [
      ...Array.from({ length: 5 }, () => bench.submit(stranger('flood'))),
      bench.submit(stranger('somebody')),
      bench.submit(stranger('somebody else')),
    ];
    await bench.finish();
    await Promise.all(all);
    expect(bench.order).toEqual(['flood', 'flood', 'somebody', 'somebody else', 'flood', 'flood', 'flood']);
  });

  it('serves known browsers before strangers', async () => {
    const bench = aBench(new Hashing({ atOnce: 1, places: 50 }));
    const all = [
      ...Array.from({ length: 10 }, (_, index) => bench.submit(stranger(`network ${index}`))),
      bench.submit(known('browser')),
    ];
    await bench.finish();
    await Promise.all(all);
    expect(bench.order.indexOf('browser')).toBe(1);
  });

  it('gives strangers every third hash while known callers wait, however many they are', async () => {
    const bench = aBench(new Hashing({ atOnce: 1, places: 50 }));
    const all = [
      ...Array.from({ length: 40 }, (_, index) => bench.submit(known(`person ${index}`))),
      ...Array.from({ length: 5 }, (_, index) => bench.submit(stranger(`network ${index}`))),
    ];
    await bench.finish();
    await Promise.all(all);
    const places = bench.order.flatMap((name, index) => (name.startsWith('network') ? [index] : []));
    expect(places).toEqual([3, 6, 9, 12, 15]);
  });

  it('refuses a caller who has waited too long, whose turn then goes to the next', async () => {
    const refused: string[] = [];
    const hashing = new Hashing({ atOnce: 1, places: 10, patienceMs: 20 });
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const first = hashing.enter(known('slow'), () => hashing.turn(() => over));
    const impatient = [known('somebody'), stranger('a network')].map((caller) =>
      hashing.enter(
        caller,
        () => hashing.turn(async () => 'done'),
        () => refused.push(caller.key),
      ),
    );
    const itself = hashing.turn(async () => 'the process itself');
    for (const one of impatient) {
      await expect(one).rejects.toMatchObject({
        code: 'rate_limited',
        members: { retry_after: hashingLimits.retryAfterSeconds },
      });
    }
    expect(refused).toEqual(['somebody', 'a network']);
    end();
    await first;
    expect(await itself).toBe('the process itself');
    expect(await hashing.enter(known('later'), () => hashing.turn(async () => 'done'))).toBe('done');
  });

  it('refuses strangers without a free place at once, with Retry-After; known browsers have other places', async () => {
    const bench = aBench(new Hashing({ atOnce: 1, places: 10 }));
    const all = Array.from({ length: 10 }, (_, index) => bench.submit(stranger(`network ${index}`)));
    await expect(bench.submit(stranger('one more'))).rejects.toMatchObject({
      code: 'rate_limited',
      members: { retry_after: hashingLimits.retryAfterSeconds },
    });
    all.push(bench.submit(known('browser')));
    await bench.finish();
    await Promise.all(all);
    const later = bench.submit(stranger('one more'));
    await bench.finish();
    await later;
    expect(bench.order.at(-1)).toBe('one more');
  });

  it('gives a network at most half of the places, and only one while others need them', async () => {
    const bench = aBench(new Hashing({ atOnce: 1, places: 10 }));
    const answers = Array.from({ length: 30 }, () =>
      bench.submit(stranger('flood')).then(
        () => 'done',
        () => 'refused',
      ),
    );
    const others = Array.from({ length: 5 }, (_, index) => bench.submit(stranger(`network ${index}`)));
    await bench.finish();
    await Promise.all(others);
    const outcomes = await Promise.all(answers);
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(5);
  });

  it('releases a place when the action fails', async () => {
    const hashing = new Hashing({ atOnce: 1, places: 1 });
    const failing = () => hashing.enter(stranger('x'), () => hashing.turn(() => Promise.reject(new Error('no'))));
    for (let time = 0; time < 3; time += 1) await expect(failing()).rejects.toThrow('no');
    expect(await hashing.turn(async () => 'free')).toBe('free');
  });

  it('never refuses the process itself', async () => {
    const hashing = new Hashing({ atOnce: 1, places: 1 });
    const all = Array.from({ length: 20 }, (_, index) => hashing.turn(async () => index));
    expect(await Promise.all(all)).toHaveLength(20);
  });

  it('moves a caller who changes lanes at once: releases one place and takes another', async () => {
    const hashing = new Hashing({ atOnce: 1, places: 1 });
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const moved = hashing.enter(known('person'), () => hashing.move(stranger('network'), () => over));
    expect(hashing.hasPlace(known('somebody else'))).toBe(true);
    expect(hashing.hasPlace(stranger('another network'))).toBe(false);
    // The released place is given to only one caller.
    const other = hashing.enter(known('somebody else'), () => over);
    end();
    await Promise.all([moved, other]);
    expect([hashing.hasPlace(known('a')), hashing.hasPlace(stranger('b'))]).toEqual([true, true]);
    const both = [hashing.enter(known('a'), () => new Promise(setImmediate))];
    expect(hashing.hasPlace(known('b'))).toBe(false);
    await Promise.all(both);
  });
});
