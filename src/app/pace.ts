import type { Request, RequestHandler, Response } from 'express';
import { FairQueue } from '../core/fair-semaphore.ts';
import { Problem } from '../core/problem.ts';

// `fairStart` limits how many requests start in one turn of the event loop. That is not enough for requests that anybody may send: a
// thousand of them would all start within about thirty turns. Each reads its body, looks up its browser in the database and joins the
// queue for hashing a password. So these requests also start at a limited rate.

/** The sender of a request, as far as the request and this process's memory show it, without a query. */
export interface PacedCaller {
  /** The request has a cookie of a session or a known browser, signed by us. */
  readonly isKnown: boolean;
  /** The person, or a stranger's network. Groups take turns. */
  readonly group: string;
}

interface Task {
  readonly begin: () => void;
  /** Called instead of `begin` if the task has waited too long. */
  readonly refuse: () => void;
  readonly isGone: () => boolean;
}

interface Waiter extends Task {
  readonly until: number;
}

interface PaceOptions {
  /** How many tasks begin between two pauses. */
  readonly atOnce: number;
  /** How many of these are reserved for strangers while known callers wait. */
  readonly reservedForStrangers: number;
  /** The most that strangers get, even if no known caller waits: their requests take CPU time from all others. */
  readonly mostStrangers: number;
  /** How many tasks that have waited too long are refused after each pause. */
  readonly refusedAtOnce: number;
  readonly patienceMs: number;
}

export const pauseMs = 10;

/**
 * Starts tasks at a limited rate. After each pause, strangers get their reserved share first; then known callers go first, even if strangers
 * wait from many networks. Within each of these two queues the groups take turns. No task waits much longer than `patienceMs`.
 */
export const makePace = ({ atOnce, reservedForStrangers, mostStrangers, refusedAtOnce, patienceMs }: PaceOptions) => {
  const known = new FairQueue<Waiter>();
  const strangers = new FairQueue<Waiter>();
  /** All waiting tasks, the oldest first, each with the function that removes it from its queue. */
  const waiting = new Map<Waiter, () => void>();
  let left = atOnce;
  let leftForStrangers = mostStrangers;
  let pause: NodeJS.Timeout | undefined;

  const beginNow = (task: Task, isKnown: boolean): void => {
    left -= 1;
    if (!isKnown) leftForStrangers -= 1;
    pause ??= setTimeout(goOn, pauseMs);
    task.begin();
  };
  const next = (queue: FairQueue<Waiter>): Waiter | undefined => {
    for (let waiter = queue.next(); waiter; waiter = queue.next()) {
      waiting.delete(waiter);
      if (!waiter.isGone()) return waiter;
    }
    return undefined;
  };
  const refuseOverdue = (): void => {
    const now = performance.now();
    let refused = 0;
    for (const [waiter, leaveQueue] of waiting) {
      if (waiter.until > now || refused === refusedAtOnce) return;
      waiting.delete(waiter);
      leaveQueue();
      if (waiter.isGone()) continue;
      refused += 1;
      waiter.refuse();
    }
  };
  const beginNext = (queue: FairQueue<Waiter>): boolean => {
    const isKnown = queue === known;
    if (left === 0 || (!isKnown && leftForStrangers === 0)) return false;
    const waiter = next(queue);
    if (waiter) beginNow(waiter, isKnown);
    return waiter !== undefined;
  };
  const goOn = (): void => {
    left = atOnce;
    leftForStrangers = mostStrangers;
    pause = undefined;
    for (let begun = 0; begun < reservedForStrangers && beginNext(strangers); begun += 1);
    while (beginNext(known) || beginNext(strangers));
    refuseOverdue();
  };

  return ({ isKnown, group }: PacedCaller, task: Task): void => {
    if (left > 0 && (isKnown || leftForStrangers > 0)) {
      beginNow(task, isKnown);
      return;
    }
    const queue = isKnown ? known : strangers;
    const waiter = { ...task, until: performance.now() + patienceMs };
    queue.add(group, waiter);
    waiting.set(waiter, () => queue.remove(group, waiter));
    pause ??= setTimeout(goOn, pauseMs);
  };
};

/**
 * The entrance starts at most 800 requests a second, 200 of them from strangers. This does not slow down signing in: a process can hash only
 * about 30 passwords a second anyway.
 */
export const entrance: PaceOptions = {
  atOnce: 8,
  reservedForStrangers: 2,
  mostStrangers: 2,
  refusedAtOnce: 8,
  patienceMs: 1_500,
};

/** The `Retry-After` of a request that has waited too long. */
const retryAfterSeconds = 2;

/** Starts the entrance's requests at its pace. A request whose caller has left is dropped; one that has waited too long is refused. */
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
