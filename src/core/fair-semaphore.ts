import { FairQueue } from './fair-queue.ts';

interface Waiter {
  readonly start: () => void;
  readonly timer: NodeJS.Timeout | undefined;
}

interface Group {
  readonly name: string;
  running: number;
  /** Made when the first task has to wait: most groups never have one that does. */
  waiting: FairQueue<Waiter> | undefined;
}

interface Options {
  /** How many tasks run at once, of all groups together. Absent: only the limit of each group counts. */
  places?: number;
  /**
   * How many of them one group may have. `half`: it gets another place only while it has fewer than are free. So one group
   * never has more than half of the places, two never more than three quarters, and so on: a group that has none finds one as
   * long as the others leave any.
   */
  perGroup: number | 'half';
  /** Tasks of one group that may wait; one more is refused at once. */
  waitingPerGroup?: number;
  /** Milliseconds that a task waits before it is refused. Absent: as long as it takes. */
  patienceMs?: number;
  /** The error of a task that is refused: too many of its group wait already, or it waited too long. */
  refusal: () => Error;
}

/**
 * Limits how many tasks run at once and shares the places among groups, so that no group can keep the others out.
 *
 *   arrives ──the group may have a place──▶ runs ──▶ ended (the place goes to the next that waits)
 *      │ it may not                           ▲
 *      └──▶ waits ──its group's turn──────────┘
 *             └──too many of the group wait, or it waited too long──▶ refused
 *
 * Groups that wait get free places in turn. Within a group its callers do, where a group has several; tasks of one caller start
 * in the order of their arrival.
 */
export class FairSemaphore {
  readonly #perGroup: number | 'half';
  readonly #waitingPerGroup: number;
  readonly #patienceMs: number | undefined;
  readonly #refusal: () => Error;
  readonly #groups = new Map<string, Group>();
  /** The groups with a task that waits. The first is the next to get a place. */
  readonly #waitingGroups = new Set<Group>();
  #free: number;

  constructor({ places = Infinity, perGroup, waitingPerGroup = Infinity, patienceMs, refusal }: Options) {
    this.#free = places;
    this.#perGroup = perGroup;
    this.#waitingPerGroup = waitingPerGroup;
    this.#patienceMs = patienceMs;
    this.#refusal = refusal;
  }

  /** Runs a task once it has a place. */
  async run<T>(name: string, task: () => Promise<T>): Promise<T> {
    const group = this.#group(name);
    await this.#enter(group, name);
    try {
      return await task();
    } finally {
      this.#leave(group);
    }
  }

  /** Waits for a place and returns what gives it back. `caller`: on whose behalf, where the callers of a group take turns. */
  async acquire(name: string, caller = name): Promise<() => void> {
    const group = this.#group(name);
    await this.#enter(group, caller);
    let isHeld = true;
    return () => {
      if (isHeld) this.#leave(group);
      isHeld = false;
    };
  }

  #group(name: string): Group {
    const known = this.#groups.get(name);
    if (known) return known;
    const group: Group = { name, running: 0, waiting: undefined };
    this.#groups.set(name, group);
    return group;
  }

  #mayStart(group: Group): boolean {
    return this.#free > 0 && group.running < (this.#perGroup === 'half' ? this.#free : this.#perGroup);
  }

  #enter(group: Group, caller: string): Promise<void> | undefined {
    // Nobody is overtaken: whenever a place becomes free, every group that may start a task has done so. Those that wait may not.
    const waiting = group.waiting?.size ?? 0;
    if (waiting === 0 && this.#mayStart(group)) {
      this.#take(group);
      return undefined;
    }
    if (waiting >= this.#waitingPerGroup) {
      this.#forgetIfIdle(group);
      return Promise.reject(this.#refusal());
    }
    return this.#wait(group, caller);
  }

  #wait(group: Group, caller: string): Promise<void> {
    const { promise, resolve: start, reject } = Promise.withResolvers<void>();
    const giveUp = () => {
      group.waiting?.remove(caller, waiter);
      this.#leaveLineIfEmpty(group);
      this.#forgetIfIdle(group);
      reject(this.#refusal());
    };
    const waiter: Waiter = {
      start,
      timer: this.#patienceMs === undefined ? undefined : setTimeout(giveUp, this.#patienceMs),
    };
    group.waiting ??= new FairQueue();
    group.waiting.add(caller, waiter);
    this.#waitingGroups.add(group);
    return promise;
  }

  #take(group: Group): void {
    group.running += 1;
    this.#free -= 1;
  }

  #leave(group: Group): void {
    group.running -= 1;
    this.#free += 1;
    for (let next = this.#nextGroup(group); next; next = this.#nextGroup(group)) this.#startNext(next);
    this.#forgetIfIdle(group);
  }

  /** While a place is free, every group that has none may start a task: few are looked at. */
  #nextGroup(left: Group): Group | undefined {
    // Without a common limit nobody but the group itself waited for its place.
    if (this.#free === Infinity) return this.#waitingGroups.has(left) && this.#mayStart(left) ? left : undefined;
    if (this.#free === 0) return undefined;
    for (const group of this.#waitingGroups) if (this.#mayStart(group)) return group;
    return undefined;
  }

  #startNext(group: Group): void {
    const waiter = group.waiting?.next();
    if (!waiter) return;
    clearTimeout(waiter.timer);
    // To the end of the line, if more of it waits.
    this.#waitingGroups.delete(group);
    this.#waitingGroups.add(group);
    this.#leaveLineIfEmpty(group);
    this.#take(group);
    waiter.start();
  }

  #leaveLineIfEmpty(group: Group): void {
    if (group.waiting?.size === 0) this.#waitingGroups.delete(group);
  }

  #forgetIfIdle(group: Group): void {
    if (group.running === 0 && (group.waiting?.size ?? 0) === 0) this.#groups.delete(group.name);
  }
}
