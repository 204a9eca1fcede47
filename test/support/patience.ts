import process from 'node:process';

/**
 * How long a test waits for what must happen, and how often it looks. It is generous and is not a requirement on the
 * speed. Most mutants never let it happen, so their runs shorten it. The configuration gives it to `expect.poll`;
 * Vitest has no such setting for `vi.waitFor`.
 */
export const patience = { timeout: Number(process.env['TEST_PATIENCE_MS'] ?? 120_000), interval: 20 };
