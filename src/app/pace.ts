import type { Request, RequestHandler } from 'express';
import { FairQueue } from '../core/fair-queue.ts';

// Every request is begun in turn with those of other networks (`fairStart`), but that bounds only what one turn of the event loop
// begins: a thousand anonymous requests would all be under way within thirty turns, each with a body to read, a browser to look up
// and a place in the queue for hashing to ask for. So what anybody may send begins at a bounded rate as well.

/** So many anonymous requests begin at once, and as many again after each pause: 800 a second. */
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

/** Begins the entrance's requests at its pace, in turns among the groups that `groupOf` gives; one whose caller has left is dropped. */
export const paceEntrance = (groupOf: (request: Request) => string): RequestHandler => {
  const pace = makePace(entranceAtOnce);
  return (request, response, next) => {
    pace(groupOf(request), () => {
      if (!response.destroyed) next();
    });
  };
};
