import { setTimeout as sleep } from 'node:timers/promises';
import { signInLimits } from '../../core/limits.ts';

const step = signInLimits.refusalMilliseconds;

/**
 * Answers in whole steps of time, so that how long the work took does not tell what was found: a person or none, a hash of today or
 * of before.
 */
export const noSooner = async <T>(which: 'always' | 'refusals', action: () => Promise<T>): Promise<T> => {
  const startedAt = performance.now();
  const untilStep = () => sleep(step - ((performance.now() - startedAt) % step));
  try {
    const done = await action();
    if (which === 'always') await untilStep();
    return done;
  } catch (error) {
    await untilStep();
    throw error;
  }
};
