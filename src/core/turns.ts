import { FairQueue } from './fair-queue.ts';
import { fail } from './problem.ts';

interface Group {
  atWork: number;
  waiting: number;
  readonly queue: FairQueue;
}

interface Options {
  /** Tasks of one group that run at the same time. */
  atOnce: number;
  /** Tasks of one group that wait; one more is refused. */
  waiting: number;
}

/** Bounds how many tasks of a group run at the same time. Within a group the callers take turns. */
export class Turns {
  readonly #groups = new Map<string, Group>();
  readonly #atOnce: number;
  readonly #waiting: number;

  constructor({ atOnce, waiting }: Options) {
    this.#atOnce = atOnce;
    this.#waiting = waiting;
  }

  /** Waits for a turn and returns what ends it; 429 where too many of the group wait already. */
  async take(key: string, caller = key): Promise<() => void> {
    const group = this.#groups.get(key) ?? { atWork: 0, waiting: 0, queue: new FairQueue() };
    this.#groups.set(key, group);
    if (group.atWork < this.#atOnce) group.atWork += 1;
    else {
      if (group.waiting >= this.#waiting) fail('rate_limited', { retry_after: 1 });
      group.waiting += 1;
      await new Promise<void>((begin) => group.queue.add(caller, begin));
    }
    let ended = false;
    return () => {
      if (!ended) this.#end(key, group);
      ended = true;
    };
  }

  /** The turn goes on to the next caller that waits. */
  #end(key: string, group: Group): void {
    const begin = group.queue.next();
    if (begin) {
      group.waiting -= 1;
      begin();
      return;
    }
    group.atWork -= 1;
    if (group.atWork === 0) this.#groups.delete(key);
  }
}
