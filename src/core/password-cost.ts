/**
 * The cost of a new password hash: OWASP's minimum for argon2id, 19 MiB, two passes and one lane, about 30 ms of a core.
 * A file of its own, so that tests can replace it (vitest.config.ts): thousands of them sign somebody in.
 */
export const passwordCost = { memory: 19_456, passes: 2, parallelism: 1 };
