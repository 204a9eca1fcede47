import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isOwnShareInUse } from '../../src/core/own-share.ts';
import { Problem } from '../../src/core/problem.ts';
import { largeReadLimits } from '../../src/core/limits.ts';
import { AnswerProgress, LargeReads } from '../../src/platform/large-reads.ts';

const { atOnce, fromBytes, rememberedMs, timeoutMs, waiting } = largeReadLimits;
const settled = () => vi.advanceTimersByTimeAsync(0);

let reads = new LargeReads();
beforeEach(() => {
  vi.useFakeTimers();
  reads = new LargeReads();
});
afterEach(() => void vi.useRealTimers());

interface Wanted {
  teamId?: string;
  name?: string;
  alwaysLarge?: boolean;
  isGone?: () => boolean;
}

/** A read that begins, ends when the test says so, and writes its answer. */
const aRead = ({ teamId = 'team', name = 'cases', alwaysLarge = true, isGone }: Wanted = {}) => {
  const answerProgress = new AnswerProgress(isGone);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const state: { begun: boolean; result?: string } = { begun: false };
  const read = () => {
    state.begun = true;
    return promise;
  };
  void reads.read({ teamId, name, alwaysLarge, answerProgress }, read).then(
    (answer) => (state.result = answer),
    (error: unknown) => {
      if (!(error instanceof Problem)) state.result = String(error);
      else
        state.result = `${error.code}${isOwnShareInUse(error) ? ' of the share' : ''}, ${error.members.retry_after} s`;
    },
  );
  const end = async () => {
    resolve('answered');
    await settled();
  };
  return { state, end, fail: () => reject(new Error('broken')), answerProgress };
};
type ARead = ReturnType<typeof aRead>;
const several = (count: number, wanted: Wanted = {}) => Array.from({ length: count }, () => aRead(wanted));
const begun = (all: readonly ARead[]) => all.filter(({ state }) => state.begun).length;
const results = (all: readonly ARead[]) => all.map(({ state }) => state.result);

describe('large reads of a team', () => {
  it('have some slots; a read keeps its own until its answer is sent, and then the next one begins', async () => {
    const all = several(atOnce + 2);
    const other = aRead({ teamId: 'other' });
    await settled();
    expect([begun(all), begun([other])]).toEqual([atOnce, 1]);
    await all[0]?.end();
    expect(results(all)[0]).toBe('answered');
    expect(begun(all)).toBe(atOnce);
    all[0]?.answerProgress.done();
    all[0]?.answerProgress.done(); // the second call has no effect
    await settled();
    expect(begun(all)).toBe(atOnce + 1);
  });

  it('give their slot back if they fail, or if no answer is written', async () => {
    const all = several(3 * atOnce);
    for (const each of all) {
      await settled();
      expect(each.state.begun).toBe(true);
      each.fail();
      await settled();
      expect(each.state.result).toBe('Error: broken');
    }

    reads = new LargeReads();
    const inProcess = { teamId: 'team', name: 'cases', alwaysLarge: true, answerProgress: undefined };
    for (let at = 0; at < 2 * atOnce; at += 1) expect(await reads.read(inProcess, () => Promise.resolve(at))).toBe(at);
  });

  it('are refused if too many wait, or if they wait too long', async () => {
    const refusal = `rate_limited of the share, ${timeoutMs / 1_000} s`;
    const all = several(atOnce + waiting + 1);
    await settled();
    expect(results(all).slice(0, -1)).toEqual(Array.from({ length: atOnce + waiting }, () => undefined));
    expect(results(all).at(-1)).toBe(refusal);
    await vi.advanceTimersByTimeAsync(timeoutMs - 1);
    expect(results(all)[atOnce]).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(results(all)[atOnce]).toBe(refusal);
    expect(begun(all)).toBe(atOnce);
  });

  it('whose client left while they waited are not made; one whose client left meanwhile writes no answer', async () => {
    let hasLeft = false;
    const [first] = several(atOnce);
    const waits = aRead({ isGone: () => hasLeft });
    const next = aRead();
    await settled();
    hasLeft = true;
    await first?.end();
    first?.answerProgress.done();
    await settled();
    expect(waits.state).toEqual({ begun: false, result: 'rate_limited, 1 s' });
    expect(next.state.begun).toBe(true);

    // Each leaves while it is read, and gives its slot back.
    reads = new LargeReads();
    const leaving = Array.from({ length: 3 * atOnce }, () => {
      const read = aRead({ isGone: () => read.state.begun });
      return read;
    });
    for (const each of leaving) {
      await settled();
      await each.end();
      expect(each.state).toEqual({ begun: true, result: 'rate_limited, 1 s' });
    }
  });
});

describe('a read that is not always large', () => {
  /** Whether it waits while the team has no free slot. */
  const needsSlot = async (wanted: Wanted): Promise<boolean> => {
    const holding = several(atOnce, { teamId: wanted.teamId ?? 'team' });
    const one = aRead({ alwaysLarge: false, ...wanted });
    await settled();
    const didWait = !one.state.begun;
    for (const each of [...holding, one]) {
      await each.end();
      each.answerProgress.done();
    }
    return didWait;
  };

  it('needs a slot for a minute after a large answer of the same name and team', async () => {
    const small = aRead({ alwaysLarge: false });
    await small.end();
    expect(await needsSlot({})).toBe(false);
    small.answerProgress.written(fromBytes - 1);
    expect(await needsSlot({})).toBe(false);
    small.answerProgress.written(fromBytes);
    expect(await needsSlot({})).toBe(true);
    expect(await needsSlot({ name: 'trainings' })).toBe(false);
    expect(await needsSlot({ teamId: 'other' })).toBe(false);
    await vi.advanceTimersByTimeAsync(rememberedMs - 1);
    expect(await needsSlot({})).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(await needsSlot({})).toBe(false);
  });
});
