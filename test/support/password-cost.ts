/** Replaces src/core/password-cost.ts in tests: the same algorithm in 0.1 ms. core/password.test.ts checks the real cost. */
export const passwordCost = { memory: 64, passes: 1, parallelism: 1 };
