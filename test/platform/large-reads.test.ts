import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AnswerProgress, LargeReads, largeReadLimits } from '../../src/platform/large-reads.ts';

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
    (error: unknown) => (state.result = String(error)),
  );
  const end = async () => {
    resolve('answered');
    await settled();
  };
  return { state, end, fail: () => reject(new Error('broken')), answerProgress };
};
type ARead = ReturnType<typeof aRead>;
const several = (count: number, wanted: Wanted = {}) => Array.from({ length: count }, () => aRead(wanted));
const begun = (all: readonly ARead[]) => all.map(({ state }) => state.begun);
const results = (all: readonly ARead[]) => all.map(({ state }) => state.result);

describe('large reads of a team', () => {
  it('have some slots; a read keeps its own until its answer is sent, and then the next one begins', async () => {
    const all = several(atOnce + 1);
    const other = aRead({ teamId: 'other' });
    await settled();
    expect(begun(all)).toEqual([true, true, true, false]);
    expect(other.state.begun).toBe(true);
    await all[0]?.end();
    expect(results(all)[0]).toBe('answered');
    expect(begun(all)).toEqual([true, true, true, false]);
    all[0]?.answerProgress.done();
    await settled();
    expect(begun(all)).toEqual([true, true, true, true]);
  });

  it('give their slot back if they fail, or if no answer is written', async () => {
    const all = several(atOnce + 1);
    await settled();
    all[1]?.fail();
    await settled();
    expect(results(all)[1]).toBe('Error: broken');
    expect(begun(all).at(-1)).toBe(true);

    reads = new LargeReads();
    const inProcess = { teamId: 'team', name: 'cases', alwaysLarge: true, answerProgress: undefined };
    for (let at = 0; at < 2 * atOnce; at += 1) expect(await reads.read(inProcess, () => Promise.resolve(at))).toBe(at);
  });

  it('are refused if too many wait, or if they wait too long', async () => {
    const all = several(atOnce + waiting + 1);
    await settled();
    expect(results(all).slice(0, -1)).toEqual(Array.from({ length: atOnce + waiting }, () => undefined));
    expect(results(all).at(-1)).toBe('Problem: rate_limited');
    await vi.advanceTimersByTimeAsync(timeoutMs - 1);
    expect(results(all)[atOnce]).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(results(all)[atOnce]).toBe('Problem: rate_limited');
    expect(begun(all).filter(Boolean)).toHaveLength(atOnce);
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
    expect(waits.state).toEqual({ begun: false, result: 'Problem: rate_limited' });
    expect(next.state.begun).toBe(true);

    reads = new LargeReads();
    const leaving = aRead({ isGone: () => leaving.state.begun });
    const others = several(atOnce);
    await settled();
    expect(begun([leaving, ...others])).toEqual([true, true, true, false]);
    await leaving.end();
    expect(leaving.state.result).toBe('Problem: rate_limited');
    expect(begun(others)).toEqual([true, true, true]);
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
    await vi.advanceTimersByTimeAsync(rememberedMs + 1);
    expect(await needsSlot({})).toBe(false);
  });
});
