import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FairSemaphore } from '../../src/db/fair-semaphore.ts';
import { isUnavailable } from '../../src/db/unavailable.ts';

const patienceMs = 10_000;

/** Actions that run until they are told to end; `begun` has their names in the order in which they began. */
const aStage = (semaphore: FairSemaphore) => {
  const begun: string[] = [];
  const started: { end: () => Promise<void> }[] = [];
  onTestFinished(async () => {
    await Promise.all(started.map(({ end }) => end()));
  });
  const start = (group: string, name = group) => {
    const end = Promise.withResolvers<void>();
    const done = semaphore.run(group, async () => {
      begun.push(name);
      await end.promise;
    });
    const action = {
      end: async () => {
        end.resolve();
        await done;
      },
      done,
    };
    started.push(action);
    return action;
  };
  const startMany = (group: string, count: number) =>
    Array.from({ length: count }, (_, index) => start(group, `${group}${index + 1}`));
  return { begun, start, startMany };
};

describe('a fair semaphore', () => {
  it('starts the actions of a group in the order in which they came', async () => {
    const { begun, startMany } = aStage(new FairSemaphore({ slots: 4, patienceMs }));
    const [first, second, ...others] = startMany('a', 4);
    await expect.poll(() => begun).toEqual(['a1', 'a2']);
    await second?.end();
    await expect.poll(() => begun).toEqual(['a1', 'a2', 'a3']);
    await first?.end();
    await Promise.all(others.map(({ end }) => end()));
    expect(begun).toEqual(['a1', 'a2', 'a3', 'a4']);
  });

  it('gives one group at most half of the slots, and the next half of what is left', async () => {
    const { begun, startMany } = aStage(new FairSemaphore({ slots: 8, patienceMs }));
    for (const group of ['a', 'b', 'c', 'd']) startMany(group, 10);
    await expect.poll(() => begun).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1', 'd1']);
  });

  it('serves groups that wait in turn, however many actions of one of them wait', async () => {
    const { begun, start, startMany } = aStage(new FairSemaphore({ slots: 1, patienceMs }));
    const running = start('x');
    const waiting = [...startMany('a', 3), ...startMany('b', 1), ...startMany('c', 2)];
    await running.end();
    for (const { end } of waiting) void end();
    await Promise.all(waiting.map(({ done }) => done));
    expect(begun).toEqual(['x', 'a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  });

  it('has a slot for a small group at once, while a large one waits for its own', async () => {
    const semaphore = new FairSemaphore({ slots: 8, patienceMs });
    aStage(semaphore).startMany('large', 40);
    expect(await semaphore.run('small', async () => 'ran')).toBe('ran');
  });

  it('goes on after an action that failed, and refuses what waits too long', async () => {
    const semaphore = new FairSemaphore({ slots: 1, patienceMs: 20 });
    const running = Promise.withResolvers<void>();
    const first = semaphore.run('a', () => running.promise);
    const late = await semaphore.run('b', async () => 'ran').catch((error: unknown) => error);
    expect(isUnavailable(late)).toBe(true);
    running.reject(new Error('no'));
    await expect(first).rejects.toThrow('no');
    expect(await semaphore.run('b', async () => 'ran')).toBe('ran');
  });

  it('refuses at once what is too much for the line of a group, and nothing of another group', async () => {
    const semaphore = new FairSemaphore({ slots: 1, patienceMs, maxWaitingPerGroup: 2 });
    const { begun, start, startMany } = aStage(semaphore);
    const running = start('x');
    const waiting = startMany('a', 2);
    expect(isUnavailable(await semaphore.run('a', async () => 'ran').catch((error: unknown) => error))).toBe(true);
    const other = start('b');
    await running.end();
    await Promise.all([...waiting, other].map(({ end }) => end()));
    expect(begun).toEqual(['x', 'a1', 'b', 'a2']);
  });

  it('never runs more than there are slots, never starves anybody, and is empty in the end', async () => {
    const groups = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(groups, fc.integer({ min: 1, max: 9 }), async (names, slots) => {
        const semaphore = new FairSemaphore({ slots, patienceMs });
        let running = 0;
        const ofGroup = new Map<string, number>();
        const count = (group: string, by: number) => {
          running += by;
          ofGroup.set(group, (ofGroup.get(group) ?? 0) + by);
        };
        const action = (group: string) => async () => {
          count(group, 1);
          expect(running).toBeLessThanOrEqual(slots);
          expect(ofGroup.get(group)).toBeLessThanOrEqual(Math.ceil(slots / 2));
          await Promise.resolve();
          count(group, -1);
        };
        await Promise.all(names.map((group) => semaphore.run(group, action(group))));
        expect(running).toBe(0);
      }),
    );
  });
});
