import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerEvents } from 'graphile-worker';

const checkEveryMs = 1_000;
/** On a busy machine a fetch may take this long after its time. */
const timeoutMs = 5_000;

interface WatchedQueue {
  events: WorkerEvents;
  /** How many jobs the queue runs at once. */
  concurrency: number;
  /** The milliseconds between two fetches of a queue that finds no jobs. */
  pollInterval: number;
}

export interface FetchWatch {
  /** Whether the queue has fetched lately, or has no free slot for a job. */
  isFetching(): boolean;
  /** Resolves when the queue does not fetch, although the database answers at each check. Throws if `signal` comes first. */
  untilStuck(acceptsWrites: () => Promise<boolean>, signal: AbortSignal): Promise<void>;
}

/**
 * Watches whether a queue of graphile-worker fetches jobs. graphile-worker 0.18 keeps the failure of a queue's first statement: if its
 * connection is lost at that moment, each later fetch fails with the same error until the queue is started anew. Successful fetches are
 * watched, because a queue that fetches in batches has no event for failed ones.
 */
export const watchFetches = ({ events, concurrency, pollInterval }: WatchedQueue): FetchWatch => {
  const allowedMs = pollInterval + timeoutMs;
  let running = 0;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  const fetched = () => (fetchedAt = performance.now());
  events.on('localQueue:getJobs:complete', fetched);
  events.on('worker:getJob:empty', fetched);
  events.on('job:start', () => {
    running += 1;
    fetched();
  });
  events.on('job:complete', () => {
    running -= 1;
    // From now on there is a free slot, for which the queue has to fetch.
    fetched();
  });

  const isFetching = () => running >= concurrency || performance.now() - fetchedAt < allowedMs;
  return {
    isFetching,
    async untilStuck(acceptsWrites, signal) {
      // Checks are counted instead of time, so that a pause of the whole process does not make a queue seem stuck.
      let failedChecks = 0;
      while (failedChecks * checkEveryMs < allowedMs) {
        await sleep(checkEveryMs, undefined, { signal });
        failedChecks = !isFetching() && (await acceptsWrites()) ? failedChecks + 1 : 0;
      }
    },
  };
};
