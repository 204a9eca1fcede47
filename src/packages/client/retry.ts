/** The maximum wait for a `Retry-After`. A longer one, for instance of a daily limit, becomes an error at once. */
export const longestWaitMs = 120_000;

const shortestPauseMs = 500;
const longestPauseMs = 8_000;

/** `Retry-After` in milliseconds: seconds, or a date, which is compared with the clock of the answer. */
export const retryAfterMs = (headers: Headers): number | undefined => {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  // `Date.parse` accepts many other texts as a date, for instance `-1`.
  if (!value.endsWith('GMT')) return undefined;
  const answeredAt = Date.parse(headers.get('date') ?? '');
  const wait = Date.parse(value) - (Number.isNaN(answeredAt) ? Date.now() : answeredAt);
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
};

/**
 * The wait before the next attempt. If the service requires a time, this is that time plus a random part, so that
 * clients that were refused together don't return together. Otherwise it is a pause that doubles from half a second to
 * eight.
 */
export const pauseBefore = (attempt: number, asked: number | undefined): number => {
  if (asked !== undefined) return asked + Math.random() * Math.min(1_000, 100 + asked / 10);
  const pause = Math.min(longestPauseMs, shortestPauseMs * 2 ** (attempt - 2));
  return pause / 2 + (Math.random() * pause) / 2;
};

/** Waits until the time is over. Rejects at once if the signal is aborted. */
export const sleep = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
