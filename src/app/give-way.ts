import type { Request, RequestHandler } from 'express';
import { FairQueue } from '../core/fair-queue.ts';

/** So many requests begin at once, and as many again after each pause: 800 a second. */
const entranceAtOnce = 8;
const pauseMs = 10;

/** Lets so many tasks begin at once, and as many again after each pause. Those that wait are grouped, and the groups take turns. */
export const makePace = (atOnce: number): ((group: string, begin: () => void) => void) => {
  const waiting = new FairQueue<() => void>();
  let left = atOnce;
  let pause: NodeJS.Timeout | undefined;

  const goOn = (): void => {
    left = atOnce;
    pause = undefined;
    for (let begun = 0; begun < atOnce; begun += 1) {
      const begin = waiting.next();
      if (!begin) return;
      beginNow(begin);
    }
  };
  const beginNow = (begin: () => void): void => {
    left -= 1;
    pause ??= setTimeout(goOn, pauseMs);
    begin();
  };

  return (group, begin) => {
    if (left > 0) beginNow(begin);
    else waiting.add(group, begin);
  };
};

/**
 * Lets requests that anybody may send begin at a bounded pace. When a thousand of them arrive together, all connections are
 * taken and everybody else's requests are answered in between, instead of behind them. Those that wait are grouped by
 * `groupOf`, and the groups take turns.
 */
export const giveWay = (groupOf: (request: Request) => string): RequestHandler => {
  const pace = makePace(entranceAtOnce);
  return (request, response, next) => {
    pace(groupOf(request), () => {
      if (!response.destroyed) next();
    });
  };
};
