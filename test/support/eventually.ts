import { vi } from 'vitest';

/** Waits until an expectation holds; for how long says nothing of how long it should take. */
export const eventually = <T>(expectation: () => Promise<T> | T): Promise<T> =>
  vi.waitFor(expectation, { timeout: 20_000, interval: 20 });
