import { FairQueue } from '../core/fair-queue.ts';

/** Requests that begin before the process looks again at what else has arrived. */
const perTurn = 32;

/**
 * Begins requests in turns among their groups, which are the networks of their senders. While few arrive each begins at once. A
 * crowd of thousands that arrives together is begun a few at a time, with a look at the sockets in between, so that a request of
 * somebody else waits for a few of each group and not for all of the crowd.
 */
export const fairStart = (): ((group: string, begin: () => void) => void) => {
  const waiting = new FairQueue<() => void>();
  let begun = 0;
  let isScheduled = false;

  const nextTurn = (): void => {
    isScheduled = false;
    begun = 0;
    for (let count = 0; count < perTurn; count += 1) {
      const begin = waiting.next();
      if (!begin) return;
      run(begin);
    }
  };
  const run = (begin: () => void): void => {
    begun += 1;
    if (!isScheduled) {
      isScheduled = true;
      setImmediate(nextTurn);
    }
    begin();
  };

  return (group, begin) => {
    if (begun < perTurn) run(begin);
    else waiting.add(group, begin);
  };
};
