import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { minutesToMs } from '../../src/core/clock.ts';
import { hideDuration } from '../../src/modules/sign-ins/tries.ts';
import { useTestService } from '../support/service.ts';

const { platform } = await useTestService();
const stepMs = 300;
const inSteps = (refusalMs: number) => ({ ...platform, signIn: { ...platform.signIn, refusalMs } });
const stepped = inSteps(stepMs);
/** Timers may be a millisecond early. */
const early = 5;

const answers = (ms: number) => () => sleep(ms, 'done');
const refuses = (ms: number) => async () => {
  await sleep(ms);
  throw new Error('refused');
};

const timeOf = async (action: Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await action.catch(() => {});
  return performance.now() - startedAt + early;
};

describe('what hides its duration', () => {
  it('refuses after a whole step of time, or after two if it took longer than one', async () => {
    expect(await timeOf(hideDuration(stepped, 'refusals', refuses(0)))).toBeGreaterThanOrEqual(stepMs);
    expect(await timeOf(hideDuration(stepped, 'refusals', refuses(stepMs + 20)))).toBeGreaterThanOrEqual(2 * stepMs);
    await expect(hideDuration(stepped, 'refusals', refuses(0))).rejects.toThrow('refused');
  });

  it('answers at once, unless that has to be hidden, too', async () => {
    const step = minutesToMs(1);
    expect(await timeOf(hideDuration(inSteps(step), 'refusals', answers(0)))).toBeLessThan(step);
    expect(await timeOf(hideDuration(stepped, 'always', answers(0)))).toBeGreaterThanOrEqual(stepMs);
    expect(await hideDuration(stepped, 'always', answers(0))).toBe('done');
  });
});
