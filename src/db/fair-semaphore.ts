interface Waiter {
  start: () => void;
  timer: NodeJS.Timeout;
}

interface Group {
  running: number;
  /** In the order of arrival. */
  readonly waiting: Set<Waiter>;
}

interface Options {
  /** How many actions run at once. */
  slots: number;
  /** Milliseconds that an action waits for a slot before it is refused. */
  patienceMs: number;
  /** Actions of one group that wait at most; one more is refused at once. */
  maxWaitingPerGroup?: number;
}

const refused = (reason: string) => Object.assign(new Error(reason), { code: 'P2028' });

/**
 * Limits how many actions run at once and shares the slots among groups, so that no group can keep the others out.
 *
 * A group gets another slot only while it holds fewer than are free. So one group never holds more than half of the slots,
 * two never more than three quarters, and so on: there is a free slot for the next group as long as there are more slots than
 * the busy groups leave. Groups that wait get free slots in turn; within a group the first to arrive is the first to start.
 */
export class FairSemaphore {
  readonly #patienceMs: number;
  readonly #maxWaitingPerGroup: number;
  readonly #groups = new Map<string, Group>();
  /** The groups with a waiter. The first is the next to get a slot. */
  readonly #waitingGroups = new Set<Group>();
  #free: number;

  constructor({ slots, patienceMs, maxWaitingPerGroup = Infinity }: Options) {
    this.#free = slots;
    this.#patienceMs = patienceMs;
    this.#maxWaitingPerGroup = maxWaitingPerGroup;
  }

  async run<T>(name: string, action: () => Promise<T>): Promise<T> {
    const group = this.#group(name);
    await this.#acquire(name, group);
    try {
      return await action();
    } finally {
      group.running -= 1;
      this.#free += 1;
      this.#startWaiting();
      this.#forgetIfIdle(name, group);
    }
  }

  #group(name: string): Group {
    const known = this.#groups.get(name);
    if (known) return known;
    const group: Group = { running: 0, waiting: new Set() };
    this.#groups.set(name, group);
    return group;
  }

  #acquire(name: string, group: Group): Promise<void> | undefined {
    // Nobody is overtaken: after each release every group that may start has started, so those that wait may not.
    if (group.waiting.size === 0 && group.running < this.#free) {
      this.#take(group);
      return undefined;
    }
    if (group.waiting.size >= this.#maxWaitingPerGroup) {
      return Promise.reject(refused('too many actions of this group wait already'));
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#removeWaiter(group, waiter);
        this.#forgetIfIdle(name, group);
        reject(refused('the action could not begin in time: too many are running'));
      }, this.#patienceMs);
      const waiter: Waiter = { start: resolve, timer };
      group.waiting.add(waiter);
      this.#waitingGroups.add(group);
    });
  }

  #take(group: Group): void {
    group.running += 1;
    this.#free -= 1;
  }

  #removeWaiter(group: Group, waiter: Waiter): void {
    group.waiting.delete(waiter);
    if (group.waiting.size === 0) this.#waitingGroups.delete(group);
  }

  #startWaiting(): void {
    for (let group = this.#nextGroup(); group; group = this.#nextGroup()) {
      const [waiter] = group.waiting;
      if (!waiter) return;
      clearTimeout(waiter.timer);
      this.#removeWaiter(group, waiter);
      // To the end of the line, if it has more that waits.
      if (this.#waitingGroups.delete(group)) this.#waitingGroups.add(group);
      this.#take(group);
      waiter.start();
    }
  }

  /** While a slot is free, every group that holds none may start: few are looked at. */
  #nextGroup(): Group | undefined {
    if (this.#free === 0) return undefined;
    for (const group of this.#waitingGroups) if (group.running < this.#free) return group;
    return undefined;
  }

  #forgetIfIdle(name: string, group: Group): void {
    if (group.running === 0 && group.waiting.size === 0) this.#groups.delete(name);
  }
}
