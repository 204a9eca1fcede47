const firstPauseMs = 1_000;
const longestPauseMs = 15_000;

/** A pause of random length, so that not all browsers come back at the same moment. */
const pauseMs = (failures: number): number =>
  Math.min(firstPauseMs * 1.6 ** failures, longestPauseMs) * (0.7 + Math.random() * 0.6);

/**
 * Tries something at once, and again after growing pauses until it succeeds; also as soon as the browser is online again or its window
 * becomes visible. Returns a function that stops it.
 */
export const keepTrying = (attempt: () => Promise<boolean>): (() => void) => {
  let failures = 0;
  let isRunning = false;
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const run = async (): Promise<void> => {
    if (isRunning || isOver || document.visibilityState === 'hidden') return;
    isRunning = true;
    clearTimeout(timer);
    const succeeded = await attempt().catch(() => false);
    isRunning = false;
    if (isOver) return;
    if (succeeded) {
      stop();
      return;
    }
    timer = setTimeout(() => void run(), pauseMs(failures));
    failures += 1;
  };
  const runNow = (): void => void run();
  const stop = (): void => {
    isOver = true;
    clearTimeout(timer);
    removeEventListener('online', runNow);
    document.removeEventListener('visibilitychange', runNow);
  };

  addEventListener('online', runNow);
  document.addEventListener('visibilitychange', runNow);
  void run();
  return stop;
};
