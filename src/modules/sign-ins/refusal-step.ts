import { signInLimits } from '../../core/limits.ts';

/**
 * Refused sign-ins are answered at full steps of this time (`hideDuration`). A file of its own, so that tests can replace it
 * (vitest.config.ts): hundreds of them are refused. sign-ins/tries.slow.test.ts checks the real duration.
 */
export const refusalStepMs = signInLimits.refusalMilliseconds;
