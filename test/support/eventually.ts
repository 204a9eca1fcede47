import process from 'node:process';
import { vi } from 'vitest';

/**
 * How long a test waits for what must happen. It is generous and is not a requirement on the speed. Most mutants never
 * let it happen, so their runs shorten it.
 */
export const patienceMs = Number(process.env['TEST_PATIENCE_MS'] ?? 60_000);

/** Waits until an expectation holds. */
export const eventually = <T>(expectation: () => Promise<T> | T): Promise<T> =>
  vi.waitFor(expectation, { timeout: patienceMs, interval: 20 });
