interface WaitingTask {
  readonly start: () => void;
  readonly timer: NodeJS.Timeout | undefined;
}

interface TaskGroup {
  readonly name: string;
  running: number;
  /** When a task of the group last released its slot, by `performance.now()`. */
  leftAt: number | undefined;
  /** Undefined until the first task has to wait. In most groups no task ever waits. */
  waiting: FairQueue<WaitingTask> | undefined;
}

/**
 * Why a task is refused. `own share`: its group has slots or had one while the task waited, so the task would run if
 * this group had fewer tasks. `others`: other groups had all slots the whole time.
 */
export type RefusedBecauseOf = 'own share' | 'others';

interface SemaphoreOptions {
  /** How many tasks of all groups run at once. Absent: only each group has a limit. */
  slots?: number;
  /**
   * How many slots one group may have. `half`: a group gets another slot only while it has fewer slots than are free.
   * So one group never has more than half of the slots, and two groups never more than three quarters (each rounded
   * up). A group without a slot gets one while any is free.
   */
  perGroup: number | 'half';
  /** How many tasks of one group may wait. Further tasks are refused at once. */
  waitingPerGroup?: number;
  /** How long a task waits before it is refused. Absent: without a limit. */
  timeoutMs?: number;
  /** Makes the error with which a task of a group is refused. */
  refusal: (because: RefusedBecauseOf, group: string) => Error;
}

/**
 * A semaphore that limits how many tasks run at once and shares the slots among groups, so that no group can block the
 * others. A group has a name that the caller chooses: the id of a team, for instance.
 *
 *   arrives ──the group may have a slot──▶ runs ──▶ ended (its slot goes to the next waiting task)
 *      │ it may not                           ▲
 *      └──▶ waits ──its group's turn──────────┘
 *             └──too many of the group wait, or it waited too long──▶ refused, because of its own share or of others
 *
 * Waiting groups get free slots in turn. Within a group its callers take turns; tasks of one caller start in the order
 * of arrival.
 */
export class FairSemaphore {
  readonly #perGroup: number | 'half';
  readonly #waitingPerGroup: number;
  readonly #timeoutMs: number | undefined;
  readonly #refusal: SemaphoreOptions['refusal'];
  readonly #groups = new Map<string, TaskGroup>();
  /** The groups with waiting tasks. The first one gets the next slot. */
  readonly #waitingGroups = new Set<TaskGroup>();
  #free: number;

  constructor({ slots = Infinity, perGroup, waitingPerGroup = Infinity, timeoutMs, refusal }: SemaphoreOptions) {
    this.#free = slots;
    this.#perGroup = perGroup;
    this.#waitingPerGroup = waitingPerGroup;
    this.#timeoutMs = timeoutMs;
    this.#refusal = refusal;
  }

  /** How many tasks wait. */
  get waiting(): number {
    return [...this.#waitingGroups].reduce((sum, { waiting }) => sum + (waiting?.size ?? 0), 0);
  }

  /** Runs a task once it has a slot. `caller`: within a group, callers get slots in turn. */
  async run<T>(name: string, task: () => Promise<T>, caller = name): Promise<T> {
    const group = this.#group(name);
    await this.#enter(group, caller);
    try {
      return await task();
    } finally {
      this.#leave(group);
    }
  }

  /** Waits for a slot and returns the function that releases it. */
  async acquire(name: string, caller = name): Promise<() => void> {
    const group = this.#group(name);
    await this.#enter(group, caller);
    let isHeld = true;
    return () => {
      if (isHeld) this.#leave(group);
      isHeld = false;
    };
  }

  #group(name: string): TaskGroup {
    const known = this.#groups.get(name);
    if (known) return known;
    const group: TaskGroup = { name, running: 0, leftAt: undefined, waiting: undefined };
    this.#groups.set(name, group);
    return group;
  }

  #mayStart(group: TaskGroup): boolean {
    return this.#free > 0 && group.running < (this.#perGroup === 'half' ? this.#free : this.#perGroup);
  }

  #enter(group: TaskGroup, caller: string): Promise<void> | undefined {
    // No waiting task loses its turn to this one: tasks wait only while their group may not start another.
    const waiting = group.waiting?.size ?? 0;
    if (waiting === 0 && this.#mayStart(group)) {
      this.#take(group);
      return undefined;
    }
    if (waiting >= this.#waitingPerGroup) {
      // The waiting tasks began to wait at most `timeoutMs` ago.
      const refusal = this.#refusalOf(group, performance.now() - (this.#timeoutMs ?? Infinity));
      this.#forgetIfIdle(group);
      return Promise.reject(refusal);
    }
    return this.#wait(group, caller);
  }

  #wait(group: TaskGroup, caller: string): Promise<void> {
    const { promise, resolve: start, reject } = Promise.withResolvers<void>();
    const since = performance.now();
    const giveUp = () => {
      group.waiting?.remove(caller, waiter);
      this.#leaveQueueIfEmpty(group);
      const refusal = this.#refusalOf(group, since);
      this.#forgetIfIdle(group);
      reject(refusal);
    };
    const waiter: WaitingTask = {
      start,
      timer: this.#timeoutMs === undefined ? undefined : setTimeout(giveUp, this.#timeoutMs),
    };
    group.waiting ??= new FairQueue();
    group.waiting.add(caller, waiter);
    this.#waitingGroups.add(group);
    return promise;
  }

  /** The refusal of a task of the group that has waited since `since`. */
  #refusalOf({ name, running, leftAt }: TaskGroup, since: number): Error {
    const hadSlots = running > 0 || (leftAt !== undefined && leftAt >= since);
    return this.#refusal(hadSlots ? 'own share' : 'others', name);
  }

  #take(group: TaskGroup): void {
    group.running += 1;
    this.#free -= 1;
  }

  #leave(group: TaskGroup): void {
    group.running -= 1;
    group.leftAt = performance.now();
    this.#free += 1;
    for (let next = this.#nextGroup(group); next; next = this.#nextGroup(group)) this.#startNext(next);
    this.#forgetIfIdle(group);
  }

  /**
   * The next waiting group that may start a task, after a task of the group `left` has ended. The loop is short,
   * because it skips only groups that already have slots: any other group may start a task while a slot is free.
   */
  #nextGroup(left: TaskGroup): TaskGroup | undefined {
    // Without a common limit only the same group can have waited for this slot.
    if (this.#free === Infinity) return this.#waitingGroups.has(left) && this.#mayStart(left) ? left : undefined;
    if (this.#free === 0) return undefined;
    for (const group of this.#waitingGroups) if (this.#mayStart(group)) return group;
    return undefined;
  }

  #startNext(group: TaskGroup): void {
    const waiter = group.waiting?.next();
    if (!waiter) return;
    clearTimeout(waiter.timer);
    // The group goes to the end of the queue if more of its tasks wait.
    this.#waitingGroups.delete(group);
    this.#waitingGroups.add(group);
    this.#leaveQueueIfEmpty(group);
    this.#take(group);
    waiter.start();
  }

  #leaveQueueIfEmpty(group: TaskGroup): void {
    if (group.waiting?.size === 0) this.#waitingGroups.delete(group);
  }

  #forgetIfIdle(group: TaskGroup): void {
    if (group.running === 0 && (group.waiting?.size ?? 0) === 0) this.#groups.delete(group.name);
  }
}

/** A queue of items with keys. The keys take turns; items with the same key keep their order. */
export class FairQueue<Item> {
  /** The first key is the next one. Every key here has an item. */
  readonly #byKey = new Map<string, Set<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(key: string, item: Item): void {
    const items = this.#byKey.get(key);
    if (items) items.add(item);
    else this.#byKey.set(key, new Set([item]));
    this.#size += 1;
  }

  /** Removes and returns the next item. Its key goes to the end of the queue. */
  next(): Item | undefined {
    for (const [key, items] of this.#byKey) {
      for (const item of items) {
        this.#byKey.delete(key);
        items.delete(item);
        if (items.size > 0) this.#byKey.set(key, items);
        this.#size -= 1;
        return item;
      }
    }
    return undefined;
  }

  /** Removes an item that no longer waits. */
  remove(key: string, item: Item): void {
    const items = this.#byKey.get(key);
    if (!items?.delete(item)) return;
    this.#size -= 1;
    if (items.size === 0) this.#byKey.delete(key);
  }
}
