import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { feedLimits } from '../../src/core/limits.ts';
import { EventWaits, type EventWait, type FeedState } from '../../src/platform/event-waits.ts';

const { lookEveryMs, waiting } = feedLimits;
const hour = 3_600_000;

/** Waits of a process whose looks are answered by the test. */
const aProcess = () => {
  const looks: string[] = [];
  const failures: unknown[] = [];
  let answer: (teamId: string) => Promise<readonly FeedState[]> = () => Promise.resolve([]);
  const waits = new EventWaits({
    look: async (teamId) => {
      looks.push(teamId);
      return (await answer(teamId)).find((state) => state.teamId === teamId);
    },
    onFailure: (error) => failures.push(error),
  });
  /** A request that waits: `ended` is whether there may be an event, as soon as it has ended. */
  const wait = (teamId: string, wanted: Partial<EventWait> = {}) => {
    const waiter: { ended?: boolean } = {};
    const whole = { teamId, position: 5, until: performance.now() + hour, eager: true, isOver: () => false, ...wanted };
    void waits.wait(whole).then((woken) => {
      waiter.ended = woken;
    });
    return waiter;
  };
  return { waits, wait, looks, failures, answers: (next: typeof answer) => (answer = next) };
};
const nextLook = () => vi.advanceTimersByTimeAsync(lookEveryMs);
const settled = () => vi.advanceTimersByTimeAsync(0);

describe('requests of a process that wait for events', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('are limited for each team and in all', () => {
    const { waits, wait } = aProcess();
    for (let at = 0; at < waiting.ofOneTeam; at += 1) {
      expect(waits.room('first')).toBe('free');
      wait('first');
    }
    expect(waits.room('first')).toBe('own share');
    expect(waits.room('second')).toBe('free');
    for (let at = waiting.ofOneTeam; at < waiting.all; at += 1) {
      expect(waits.room(`team ${at}`)).toBe('free');
      wait(`team ${at}`);
    }
    expect(waits.count).toBe(waiting.all);
    expect([waits.room('first'), waits.room('second')]).toEqual(['own share', 'others']);
    waits.raised('first');
    expect(waits.count).toBe(waiting.all - waiting.ofOneTeam);
    expect([waits.room('first'), waits.room('second')]).toEqual(['free', 'free']);
  });

  it('end when this process raises an event of their team, but for those that skip an event of another type', async () => {
    const { waits, wait } = aProcess();
    const [woken, other, patient] = [wait('team'), wait('other'), wait('team', { eager: false })];
    waits.raised('team');
    await settled();
    expect([woken.ended, other.ended, patient.ended]).toEqual([true, undefined, undefined]);
    expect(waits.count).toBe(2);
  });

  it('end after a look that finds a position after theirs, or an event without a position', async () => {
    const { wait, answers, looks } = aProcess();
    const [at5, at6, newer] = [wait('team'), wait('team', { position: 6 }), wait('newer', { position: 9 })];
    const quiet = wait('quiet');
    answers(() =>
      Promise.resolve([
        { teamId: 'team', lastPosition: 6, hasNew: false },
        { teamId: 'newer', lastPosition: 3, hasNew: true },
        { teamId: 'gone', lastPosition: 9, hasNew: true },
      ]),
    );
    await nextLook();
    expect([at5.ended, at6.ended, newer.ended, quiet.ended]).toEqual([true, undefined, true, undefined]);
    expect(looks).toEqual(['team', 'newer', 'quiet']);
    // The other request of `team` still waits. A team without a waiting request is not asked about.
    await nextLook();
    expect(looks.slice(3)).toEqual(['team', 'quiet']);
    answers(() => Promise.resolve([{ teamId: 'team', lastPosition: 7, hasNew: false }]));
    await nextLook();
    expect([at6.ended, quiet.ended]).toEqual([true, undefined]);
  });

  it('end without an event: exactly when their time is up, and at the next look if they must end early', async () => {
    const { waits, wait, looks } = aProcess();
    let hasLeft = false;
    const short = wait('team', { until: performance.now() + 10 });
    const left = wait('team', { isOver: () => hasLeft });
    await vi.advanceTimersByTimeAsync(9);
    expect(short.ended).toBeUndefined();
    await vi.advanceTimersByTimeAsync(2);
    expect([short.ended, left.ended]).toEqual([false, undefined]);
    hasLeft = true;
    await nextLook();
    expect(left.ended).toBe(false);
    // Nobody waits: nobody looks.
    const before = looks.length;
    await vi.advanceTimersByTimeAsync(10 * lookEveryMs);
    expect([waits.count, looks.length, vi.getTimerCount()]).toEqual([0, before, 0]);
  });

  it('are not delayed by the look of another team that does not end', async () => {
    const { wait, answers, looks } = aProcess();
    const [stuck, other] = [wait('stuck'), wait('other')];
    const never = new Promise<never>(() => {});
    answers((teamId) => (teamId === 'stuck' ? never : Promise.resolve([])));
    await nextLook();
    answers(() => Promise.resolve([{ teamId: 'other', lastPosition: 6, hasNew: false }]));
    await nextLook();
    expect([stuck.ended, other.ended, looks]).toEqual([undefined, true, ['stuck', 'other', 'other']]);
  });

  it('go on when a look fails, and no look of a team begins before its last one has ended', async () => {
    const { wait, answers, looks, failures } = aProcess();
    const waiter = wait('team');
    const { promise, reject } = Promise.withResolvers<FeedState[]>();
    answers(() => promise);
    await vi.advanceTimersByTimeAsync(5 * lookEveryMs);
    expect(looks).toHaveLength(1);
    const error = new Error('no database');
    reject(error);
    await settled();
    expect([waiter.ended, failures]).toEqual([undefined, [error]]);
    answers(() => Promise.resolve([{ teamId: 'team', lastPosition: 6, hasNew: false }]));
    await nextLook();
    expect([waiter.ended, looks.length]).toEqual([true, 2]);
  });
});
