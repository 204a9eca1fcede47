import { problemOf } from './problem.ts';

// Rules for repeating calls. A query is repeated at most twice: if the server did not answer, or if it refused the
// query as `rate_limited` for a few seconds. After any other refusal a query is not repeated, because it would be
// refused again.

const most = 2;
/**
 * The longest wait after which a query is tried again. A longer wait means that a budget is used up; the page says so.
 */
const soonSeconds = 5;

const roomInMs = (error: unknown): number | undefined => {
  const { code, retry_after } = problemOf(error) ?? {};
  return code === 'rate_limited' && retry_after !== undefined && retry_after <= soonSeconds
    ? retry_after * 1_000
    : undefined;
};

/** Whether a query is tried again after a failure. `failures` is the number of failures before this one. */
export const isTriedAgain = (failures: number, error: unknown): boolean =>
  failures < most && (problemOf(error) === undefined || roomInMs(error) !== undefined);

/** How long to wait before the next try. */
export const retryDelay = (failures: number, error: unknown): number => roomInMs(error) ?? 2 ** failures * 1_000;

/** Waits until a time has passed, or the work that waits is aborted. */
export const pauseFor = (ms: number, signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
    signal.addEventListener('abort', resolve);
  });

/** If the server refuses a call as `rate_limited`, calls again after the time that the server names. */
export const patiently = async <T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const { code, retry_after: seconds } = problemOf(error) ?? {};
      if (code !== 'rate_limited' || seconds === undefined || signal.aborted) throw error;
      await pauseFor(seconds * 1_000, signal);
    }
  }
};

const minMsBetweenReloads = 20_000;

/**
 * Whether enough time has passed to reload the document automatically. During a deployment, servers of two versions
 * answer, and one may be asked for the files of the other, so several reloads could fail.
 */
export const isReloadDue = (lastAt: number, now: number): boolean => now - lastAt >= minMsBetweenReloads;
