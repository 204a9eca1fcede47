import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FairSemaphore } from '../../src/core/fair-semaphore.ts';

const timeoutMs = 10_000;
const refusal = () => new Error('refused');

/** A semaphore whose groups share its slots. */
const sharing = (slots: number, more: { timeoutMs?: number; waitingPerGroup?: number } = {}) =>
  new FairSemaphore({ slots, perGroup: 'half', timeoutMs, refusal, ...more });

/** Tasks that run until the test ends them; `begun` has their names in the order of their starts. */
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
    const task = {
      end: async () => {
        end.resolve();
        await done;
      },
      done,
    };
    started.push(task);
    return task;
  };
  const startMany = (group: string, count: number) =>
    Array.from({ length: count }, (_, index) => start(group, `${group}${index + 1}`));
  return { begun, start, startMany };
};

describe('a semaphore whose groups share its slots', () => {
  it('gives one group at most half of the slots, and the next one half of the rest', async () => {
    const { begun, startMany } = aStage(sharing(8));
    for (const group of ['a', 'b', 'c', 'd']) startMany(group, 10);
    await expect.poll(() => begun).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1', 'd1']);
  });

  it('starts each task that may run when one ends, even if that is one of each of two groups', async () => {
    const { begun, start } = aStage(sharing(3));
    const running = start('a', 'a1');
    for (const [group, name] of [
      ['b', 'b1'],
      ['b', 'b2'],
      ['a', 'a2'],
    ] as const)
      start(group, name);
    await expect.poll(() => begun).toEqual(['a1', 'b1']);
    await running.end();
    await expect.poll(() => begun).toEqual(['a1', 'b1', 'b2', 'a2']);
  });

  it('serves waiting groups in turn, however many tasks of one of them wait', async () => {
    const { begun, start, startMany } = aStage(sharing(1));
    const running = start('x');
    const waiting = [...startMany('a', 3), ...startMany('b', 1), ...startMany('c', 2)];
    await running.end();
    for (const { end } of waiting) void end();
    await Promise.all(waiting.map(({ done }) => done));
    expect(begun).toEqual(['x', 'a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  });

  it('continues after a failed task, and refuses tasks that wait too long', async () => {
    const semaphore = sharing(1, { timeoutMs: 20 });
    const running = Promise.withResolvers<void>();
    const first = semaphore.run('a', () => running.promise);
    await expect(semaphore.run('b', async () => 'ran')).rejects.toThrow('refused');
    running.reject(new Error('no'));
    await expect(first).rejects.toThrow('no');
    expect(await semaphore.run('b', async () => 'ran')).toBe('ran');
  });

  it('refuses tasks beyond the queue of a group at once, and none of another group', async () => {
    const semaphore = sharing(1, { waitingPerGroup: 2 });
    const { begun, start, startMany } = aStage(semaphore);
    const running = start('x');
    const waiting = startMany('a', 2);
    const beyond = () => semaphore.run('a', async () => 'ran');
    await expect(beyond()).rejects.toThrow('refused');
    await expect(beyond()).rejects.toThrow('refused');
    const other = start('b');
    await running.end();
    await Promise.all([...waiting, other].map(({ end }) => end()));
    expect(begun).toEqual(['x', 'a1', 'b', 'a2']);
  });
});

/** Acquires a slot and records when it is granted. */
const acquired = (semaphore: FairSemaphore, group: string, caller?: string) => {
  const one: { begun: boolean; end: () => void; failed?: unknown } = { begun: false, end: () => undefined };
  semaphore.acquire(group, caller).then(
    (end) => {
      one.begun = true;
      one.end = end;
    },
    (error: unknown) => {
      one.failed = error;
    },
  );
  return one;
};

/** Waits until everything that can run has run. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a semaphore with a limit of slots per group', () => {
  it('runs up to this number of tasks of a group at once, and the next when one ends', async () => {
    const semaphore = new FairSemaphore({ perGroup: 2, refusal });
    const all = Array.from({ length: 4 }, () => acquired(semaphore, 'a'));
    await settle();
    expect(all.map((one) => one.begun)).toEqual([true, true, false, false]);
    all[0]?.end();
    // Released twice, it still counts as one slot.
    all[0]?.end();
    await settle();
    expect(all.map((one) => one.begun)).toEqual([true, true, true, false]);
    all[1]?.end();
    await settle();
    expect(all.map((one) => one.begun)).toEqual([true, true, true, true]);
  });

  it('delays no other group', async () => {
    const semaphore = new FairSemaphore({ perGroup: 1, refusal });
    acquired(semaphore, 'a');
    acquired(semaphore, 'a');
    const other = acquired(semaphore, 'b');
    await settle();
    expect(other.begun).toBe(true);
  });

  it('refuses a task if too many of its group wait', async () => {
    const semaphore = new FairSemaphore({ perGroup: 1, waitingPerGroup: 1, refusal });
    const all = Array.from({ length: 3 }, () => acquired(semaphore, 'a'));
    await settle();
    expect(all[2]?.failed).toEqual(refusal());
    all[0]?.end();
    await settle();
    const next = acquired(semaphore, 'a');
    await settle();
    expect([all[1]?.begun, next.begun, next.failed]).toEqual([true, false, undefined]);
  });

  it('gives the callers of a group slots in turn, however many tasks one of them has', async () => {
    const semaphore = new FairSemaphore({ perGroup: 1, refusal });
    const first = acquired(semaphore, 'a', 'crowd');
    const crowd = Array.from({ length: 5 }, () => acquired(semaphore, 'a', 'crowd'));
    const single = acquired(semaphore, 'a', 'single');
    await settle();
    first.end();
    await settle();
    crowd[0]?.end();
    await settle();
    expect([crowd[0]?.begun, single.begun, crowd[1]?.begun]).toEqual([true, true, false]);
  });

  it('passes the turns of a caller that gave up to the others', async () => {
    const semaphore = new FairSemaphore({ perGroup: 1, timeoutMs: 50, refusal });
    const first = acquired(semaphore, 'a');
    const late = acquired(semaphore, 'a', 'impatient');
    await expect.poll(() => late.failed).toEqual(refusal());
    const patient = acquired(semaphore, 'a', 'patient');
    first.end();
    await settle();
    expect([late.begun, patient.begun]).toEqual([false, true]);
    patient.end();
    expect(await semaphore.run('a', async () => 'ran')).toBe('ran');
  });
});

describe('a semaphore with both limits', () => {
  it('runs no more tasks than slots, and of a group no more than its limit', async () => {
    const semaphore = new FairSemaphore({ slots: 3, perGroup: 2, refusal });
    const [a1, a2, a3, b1, b2] = ['a', 'a', 'a', 'b', 'b'].map((group) => acquired(semaphore, group));
    const begun = () => [a1, a2, a3, b1, b2].map((one) => one?.begun);
    await settle();
    expect(begun()).toEqual([true, true, false, true, false]);
    b1?.end();
    await settle();
    expect(begun()).toEqual([true, true, false, true, true]);
    a1?.end();
    await settle();
    expect(begun()).toEqual([true, true, true, true, true]);
  });

  it('has at every time started each task that may run, whatever arrives and ends in between', async () => {
    const arrival = fc.record({ group: fc.constantFrom('a', 'b', 'c'), caller: fc.constantFrom('x', 'y') });
    const steps = fc.array(fc.oneof(arrival, fc.nat({ max: 20 })), { maxLength: 60 });
    const limit = fc.constantFrom<'half' | number>('half', 1, 2);
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 6 }), limit, async (steps, slots, perGroup) => {
        const semaphore = new FairSemaphore({ slots, perGroup, refusal });
        const tasks: { group: string; caller: string; task: ReturnType<typeof acquired> }[] = [];
        for (const step of steps) {
          const begun = tasks.filter(({ task }) => task.begun);
          if (typeof step === 'object') tasks.push({ ...step, task: acquired(semaphore, step.group, step.caller) });
          else if (begun.length > 0) {
            const [ended] = begun.splice(step % begun.length, 1);
            if (ended) tasks.splice(tasks.indexOf(ended), 1);
            ended?.task.end();
          }
          await settle();
          const running = tasks.filter(({ task }) => task.begun);
          const waiting = tasks.filter(({ task }) => !task.begun);
          const free = slots - running.length;
          expect(free).toBeGreaterThanOrEqual(0);
          expect(semaphore.waiting).toBe(waiting.length);
          for (const group of new Set(tasks.map((one) => one.group))) {
            const ofGroup = running.filter((one) => one.group === group).length;
            expect(ofGroup).toBeLessThanOrEqual(perGroup === 'half' ? Math.ceil(slots / 2) : perGroup);
            const mayStart = free > 0 && ofGroup < (perGroup === 'half' ? free : perGroup);
            if (mayStart) expect(waiting.map((one) => one.group)).not.toContain(group);
          }
          // The tasks of a caller in a group start in the order of their arrival.
          for (const { group, caller } of tasks) {
            const own = tasks.filter((one) => one.group === group && one.caller === caller);
            expect(own.map(({ task }) => task.begun)).toEqual(
              own
                .map(({ task }) => task.begun)
                .toSorted()
                .toReversed(),
            );
          }
        }
      }),
    );
  });
});

describe('why a task is refused', () => {
  const explaining = (options: { slots?: number; perGroup: number | 'half'; waitingPerGroup?: number }) =>
    new FairSemaphore({
      ...options,
      timeoutMs,
      refusal: (because, group) => Object.assign(new Error('refused'), { because, group }),
    });
  const useFakeTime = () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
  };
  type AcquiredTask = ReturnType<typeof acquired>;
  const because = ({ failed }: AcquiredTask): unknown =>
    failed instanceof Error ? Reflect.get(failed, 'because') : failed;
  /** The settings in which a group may have some of four slots. */
  const sharings = [
    { slots: 4, perGroup: 'half' },
    { slots: 4, perGroup: 2 },
  ] as const;

  it.each(sharings)('its own share, if the group has slots ($perGroup of 4)', async (sharing) => {
    useFakeTime();
    const semaphore = explaining(sharing);
    const [, , waiting] = Array.from({ length: 3 }, () => acquired(semaphore, 'a'));
    if (!waiting) throw new Error('no third task');
    await vi.advanceTimersByTimeAsync(timeoutMs);
    expect(waiting.failed).toMatchObject({ because: 'own share', group: 'a' });
    // Also if others have all the rest.
    for (const other of ['b', 'c', 'd']) acquired(semaphore, other);
    const next = acquired(semaphore, 'a');
    await vi.advanceTimersByTimeAsync(timeoutMs);
    expect(because(next)).toBe('own share');
  });

  it.each(sharings)('the others, if they had all slots the whole time ($perGroup of 4)', async (sharing) => {
    useFakeTime();
    const semaphore = explaining(sharing);
    for (const other of ['a', 'a', 'b', 'c']) acquired(semaphore, other);
    const crowd = Array.from({ length: 10 }, () => acquired(semaphore, 'd'));
    await vi.advanceTimersByTimeAsync(timeoutMs);
    expect(new Set(crowd.map(because))).toEqual(new Set(['others']));
  });

  it('its own share, if the group had a slot for a part of the time', async () => {
    useFakeTime();
    const semaphore = explaining({ slots: 1, perGroup: 'half' });
    const first = acquired(semaphore, 'a');
    await vi.advanceTimersByTimeAsync(0);
    acquired(semaphore, 'b');
    const second = acquired(semaphore, 'a');
    await vi.advanceTimersByTimeAsync(1);
    const third = acquired(semaphore, 'a');
    first.end(); // the slot goes to b
    await vi.advanceTimersByTimeAsync(1);
    const fourth = acquired(semaphore, 'a'); // after the only time in which the group had a slot
    await vi.advanceTimersByTimeAsync(timeoutMs);
    expect([second, third, fourth].map(because)).toEqual(['own share', 'own share', 'others']);
  });

  it.each([
    { what: 'has slots', others: [], verdict: 'own share' },
    { what: 'has none, because others have all', others: ['b', 'c', 'd', 'e'], verdict: 'others' },
  ])('of one beyond the queue: $verdict, if the group $what', async ({ others, verdict }) => {
    useFakeTime();
    const semaphore = explaining({ slots: 4, perGroup: 'half', waitingPerGroup: 1 });
    for (const other of others) acquired(semaphore, other);
    const all = Array.from({ length: 4 }, () => acquired(semaphore, 'a'));
    await vi.advanceTimersByTimeAsync(0);
    const last = all.at(-1);
    expect(last && because(last)).toBe(verdict);
  });

  it('the others, if nothing of the group may wait and it has no slot', async () => {
    const semaphore = new FairSemaphore({
      slots: 2,
      perGroup: 1,
      waitingPerGroup: 0,
      refusal: (cause) => new Error(cause),
    });
    acquired(semaphore, 'a');
    acquired(semaphore, 'b');
    await expect(semaphore.acquire('a')).rejects.toThrow('own share');
    await expect(semaphore.acquire('c')).rejects.toThrow('others');
  });

  it('is told as it was, whatever arrives and ends in between', async () => {
    useFakeTime();
    const arrival = fc.record({ group: fc.constantFrom('a', 'b', 'c', 'd') });
    const pause = fc.record({ ms: fc.integer({ min: 1, max: timeoutMs }) });
    const steps = fc.array(fc.oneof(arrival, arrival, fc.nat({ max: 20 }), pause), { maxLength: 60 });
    const limit = fc.constantFrom<'half' | number>('half', 1, 2);
    const verdicts = new Set<unknown>();
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 5 }), limit, async (sequence, slots, perGroup) => {
        const semaphore = explaining({ slots, perGroup, waitingPerGroup: 3 });
        const tasks: { group: string; at: number; endedAt?: number; isJudged?: true; task: AcquiredTask }[] = [];
        /** When each group last had neither running nor waiting tasks. What it had before does not count. */
        const idleAt = new Map<string, number>();
        const isRunning = ({ task, endedAt }: (typeof tasks)[number]) => task.begun && endedAt === undefined;
        for (const step of sequence) {
          if (typeof step === 'number') {
            const running = tasks.filter(isRunning);
            const one = running[step % running.length];
            if (one) one.endedAt = performance.now();
            one?.task.end();
          } else if ('group' in step) {
            tasks.push({ group: step.group, at: performance.now(), task: acquired(semaphore, step.group) });
          }
          await vi.advanceTimersByTimeAsync(typeof step === 'object' && 'ms' in step ? step.ms : 0);

          for (const refused of tasks.filter(({ task, isJudged }) => task.failed !== undefined && !isJudged)) {
            refused.isJudged = true;
            verdicts.add(because(refused.task));
            // A task that was refused at once is judged like those that wait, which have waited for at most this time.
            const since = refused.at === performance.now() ? refused.at - timeoutMs : refused.at;
            const hadSlots = tasks.some(
              ({ group, task, endedAt = Infinity }) =>
                group === refused.group && task.begun && endedAt >= since && endedAt > (idleAt.get(group) ?? -Infinity),
            );
            expect(because(refused.task)).toBe(hadSlots ? 'own share' : 'others');
            if (!hadSlots) expect(tasks.filter(isRunning)).toHaveLength(slots);
          }
          const isBusy = (one: (typeof tasks)[number]) => isRunning(one) || !(one.task.begun || one.isJudged);
          const busy = new Set(tasks.filter(isBusy).map(({ group }) => group));
          for (const group of ['a', 'b', 'c', 'd']) if (!busy.has(group)) idleAt.set(group, performance.now());
        }
      }),
      // Most sequences refuse nobody because of others: in the example, b waits while a has the only slot.
      { numRuns: 300, examples: [[[{ group: 'a' }, { group: 'b' }, { ms: timeoutMs }], 1, 1]] },
    );
    expect(verdicts).toEqual(new Set(['own share', 'others']));
  });
});

it('a task waits exactly as long as the semaphore allows, or without a limit', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const tasks = [{ timeoutMs }, {}].map((more) => {
    const semaphore = new FairSemaphore({ perGroup: 1, refusal, ...more });
    acquired(semaphore, 'a');
    return acquired(semaphore, 'a');
  });
  const failed = () => tasks.map((task) => task.failed);
  await vi.advanceTimersByTimeAsync(timeoutMs - 1);
  expect(failed()).toEqual([undefined, undefined]);
  await vi.advanceTimersByTimeAsync(1);
  expect(failed()).toEqual([refusal(), undefined]);
  await vi.advanceTimersByTimeAsync(100 * timeoutMs);
  expect(failed()).toEqual([refusal(), undefined]);
});

it('a task that gives up takes no other task of its caller along, and one that starts leaves no timer behind', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const semaphore = new FairSemaphore({ perGroup: 1, timeoutMs, refusal });
  const running = acquired(semaphore, 'a');
  const early = acquired(semaphore, 'a', 'caller');
  await vi.advanceTimersByTimeAsync(timeoutMs - 1);
  const late = acquired(semaphore, 'a', 'caller');
  await vi.advanceTimersByTimeAsync(1);
  running.end();
  await settle();
  expect([early.failed, late.begun, vi.getTimerCount()]).toEqual([refusal(), true, 0]);
});
