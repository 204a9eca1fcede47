import { vi } from 'vitest';

/** Waits until an expectation holds. The time-out is generous and is not a requirement on the speed. */
export const eventually = <T>(expectation: () => Promise<T> | T): Promise<T> =>
  vi.waitFor(expectation, { timeout: 60_000, interval: 20 });
