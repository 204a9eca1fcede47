import type { Request, RequestHandler, Response } from 'express';
import { FairQueue } from '../core/fair-semaphore.ts';
import { Problem } from '../core/problem.ts';

// Every request is begun in turn with those of other networks (`fairStart`), but that bounds only what one turn of the event loop
// begins: a thousand anonymous requests would all be under way within thirty turns, each with a body to read, a browser to look up
// and a place in the queue for hashing to ask for. So what anybody may send begins at a bounded rate as well.

/** Who sends a request, as far as memory tells. */
export interface PacedCaller {
  /** Shows a session or a known browser that we signed. */
  readonly isKnown: boolean;
  /** The person, or a stranger's network. Groups take turns. */
  readonly group: string;
}

interface Task {
  readonly begin: () => void;
  /** Called instead where the task has waited too long. */
  readonly refuse: () => void;
  readonly isGone: () => boolean;
}

interface Waiter extends Task {
  readonly until: number;
}

interface PaceOptions {
  /** How many tasks begin at once, and again after each pause. */
  readonly atOnce: number;
  /** How many of these are reserved for strangers while known callers wait. */
  readonly ofStrangers: number;
  /** The most that strangers get, even if no known caller waits: their requests take computing time from all others. */
  readonly mostOfStrangers: number;
  /** How many tasks that have waited too long are refused after each pause. */
  readonly refusedAtOnce: number;
  readonly patienceMs: number;
}

/** Between two turns of the pace. */
export const pauseMs = 10;

/**
 * Lets tasks begin at a bounded rate. Known callers go before strangers, however many networks the strangers come from; within
 * each of these lines the groups take turns. Nobody waits for much longer than the patience.
 */
export const makePace = ({ atOnce, ofStrangers, mostOfStrangers, refusedAtOnce, patienceMs }: PaceOptions) => {
  const known = new FairQueue<Waiter>();
  const strangers = new FairQueue<Waiter>();
  /** All that wait, the oldest first, and how each leaves its line. */
  const waiting = new Map<Waiter, () => void>();
  let left = atOnce;
  let leftForStrangers = mostOfStrangers;
  let pause: NodeJS.Timeout | undefined;

  const beginNow = (task: Task, isKnown: boolean): void => {
    left -= 1;
    if (!isKnown) leftForStrangers -= 1;
    pause ??= setTimeout(goOn, pauseMs);
    task.begin();
  };
  const next = (line: FairQueue<Waiter>): Waiter | undefined => {
    for (let waiter = line.next(); waiter; waiter = line.next()) {
      waiting.delete(waiter);
      if (!waiter.isGone()) return waiter;
    }
    return undefined;
  };
  const refuseOverdue = (): void => {
    const now = performance.now();
    let refused = 0;
    for (const [waiter, leaveLine] of waiting) {
      if (waiter.until > now || refused === refusedAtOnce) return;
      waiting.delete(waiter);
      leaveLine();
      if (waiter.isGone()) continue;
      refused += 1;
      waiter.refuse();
    }
  };
  const beginNext = (line: FairQueue<Waiter>): boolean => {
    const isKnown = line === known;
    if (left === 0 || (!isKnown && leftForStrangers === 0)) return false;
    const waiter = next(line);
    if (waiter) beginNow(waiter, isKnown);
    return waiter !== undefined;
  };
  const goOn = (): void => {
    left = atOnce;
    leftForStrangers = mostOfStrangers;
    pause = undefined;
    for (let begun = 0; begun < ofStrangers && beginNext(strangers); begun += 1);
    while (beginNext(known) || beginNext(strangers));
    refuseOverdue();
  };

  return ({ isKnown, group }: PacedCaller, task: Task): void => {
    if (left > 0 && (isKnown || leftForStrangers > 0)) {
      beginNow(task, isKnown);
      return;
    }
    const line = isKnown ? known : strangers;
    const waiter = { ...task, until: performance.now() + patienceMs };
    line.add(group, waiter);
    waiting.set(waiter, () => line.remove(group, waiter));
    pause ??= setTimeout(goOn, pauseMs);
  };
};

/** The entrance begins 800 requests a second, at most 200 of them from strangers: about 30 passwords a second can be hashed. */
export const entrance: PaceOptions = {
  atOnce: 8,
  ofStrangers: 2,
  mostOfStrangers: 2,
  refusedAtOnce: 8,
  patienceMs: 1_500,
};

/** What a stranger for whom there was no time is told to wait. */
const retryAfterSeconds = 2;

/** Begins the entrance's requests at its pace; one whose caller has left is dropped, and one that has waited too long is refused. */
export const paceEntrance = (
  callerOf: (request: Request, response: Response) => PacedCaller,
  refuse: (request: Request, response: Response, problem: Problem) => void,
): RequestHandler => {
  const pace = makePace(entrance);
  return (request, response, next) =>
    pace(callerOf(request, response), {
      begin: next,
      refuse: () => refuse(request, response, new Problem('rate_limited', { retry_after: retryAfterSeconds })),
      isGone: () => response.destroyed,
    });
};
