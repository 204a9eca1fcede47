import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

/** In milliseconds: how often the event loop is looked at, and how long until a delay has been seen. */
const everyMs = 1;
const settledMs = 3;

/** The milliseconds that this thread has computed: other processes of a busy machine add nothing to them. */
export const computedMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Measures for how long this thread, the service of the tests included, computes without a pause. */
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
  let longest = 0;
  let before = computedMs();
  const look = () => {
    const now = computedMs();
    longest = Math.max(longest, now - before);
    before = now;
  };
  const timer = setInterval(look, everyMs);
  return {
    async start() {
      await sleep(settledMs);
      look();
      longest = 0;
    },
    longest: () => longest,
    async settled() {
      await sleep(settledMs);
      look();
      return longest;
    },
    stop: () => clearInterval(timer),
  };
};
