import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** In milliseconds: how often the event loop is looked at, and how long until a delay has been seen. */
const everyMs = 1;
const settledMs = 3;

/** Measures for how long this process, the service of the tests included, does nothing else. */
export interface EventLoopWatch {
  /** Begins anew. What starts after that is measured. */
  start(): Promise<void>;
  /** The longest time in milliseconds since then. */
  longest(): number;
  /** The same, when the last delay must have been seen. */
  settled(): Promise<number>;
  stop(): void;
}

export const watchEventLoop = (): EventLoopWatch => {
  const delays = monitorEventLoopDelay({ resolution: everyMs });
  delays.enable();
  const longest = () => delays.max / 1_000_000;
  return {
    async start() {
      await sleep(settledMs);
      delays.reset();
      // The first look after that begins the measurement.
      await sleep(settledMs);
    },
    longest,
    async settled() {
      await sleep(settledMs);
      return longest();
    },
    stop: () => void delays.disable(),
  };
};
