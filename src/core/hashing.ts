import { AsyncLocalStorage } from 'node:async_hooks';
import { availableParallelism } from 'node:os';
import { FairQueue } from './fair-queue.ts';
import { hashingLimits } from './limits.ts';
import { Problem } from './problem.ts';

// Hashing a password takes a core for some 30 ms and 19 MiB, and anybody can ask for it by trying to sign in. So one queue in the
// process holds every hash: at most `atOnce` are computed at the same time, and the callers take turns.
//
// A caller first takes a place (`enter`) and then waits for turns (`turn`). Places are bounded: a caller who finds none is refused
// at once, before the database is asked anything. Known callers and strangers have places of their own. While both wait, known
// callers get two hashes of three and strangers one, so neither can keep the other waiting for ever. Within a lane the keys take
// turns: a flood from one network costs other networks one hash of waiting each. A caller who has waited too long gets 429.

export interface HashingCaller {
  /** `known`: signed in, or a browser in which its person has signed in before. `internal`: the process itself. */
  readonly lane: 'known' | 'strangers' | 'internal';
  /** Callers with the same key share their turns: a person, a browser, or a network. */
  readonly key: string;
}

type Lane = HashingCaller['lane'];

/** Which lane gets the next hash while both wait: each position is one hash. */
const shares = ['known', 'known', 'strangers'] as const satisfies readonly Lane[];

/** The places of a lane. Once half of them are taken, a caller may hold one only. */
class Places {
  readonly #held = new Map<string, number>();
  readonly #most: number;
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  has(key: string): boolean {
    return this.#taken < this.#most && (this.#taken * 2 < this.#most || !this.#held.has(key));
  }

  take(key: string): boolean {
    if (!this.has(key)) return false;
    this.#taken += 1;
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    return true;
  }

  release(key: string): void {
    const left = (this.#held.get(key) ?? 0) - 1;
    this.#taken -= 1;
    if (left > 0) this.#held.set(key, left);
    else this.#held.delete(key);
  }
}

interface Options {
  /** Hashes that are computed at the same time. */
  atOnce: number;
  /** Places in each of the two lanes for callers from outside. */
  places: number;
  /** How long a caller from outside waits for one hash. */
  patienceMs?: number;
}

const itself: HashingCaller = { lane: 'internal', key: 'itself' };

interface Present {
  readonly caller: HashingCaller;
  /** Gives the caller's place back, if it has one. */
  readonly leave: () => void;
  /** Runs when the caller is refused. */
  readonly onRefused?: (() => void) | undefined;
}

const noPlace = (): void => undefined;

const tooBusy = (onRefused: (() => void) | undefined): Problem => {
  onRefused?.();
  return new Problem('rate_limited', { retry_after: hashingLimits.retryAfterSeconds });
};

export class Hashing {
  readonly #caller = new AsyncLocalStorage<Present>();
  readonly #waiting = {
    internal: new FairQueue<() => void>(),
    known: new FairQueue<() => void>(),
    strangers: new FairQueue<() => void>(),
  };
  readonly #places: Record<Lane, Places>;
  readonly #patienceMs: number;
  #free: number;
  /** The position in `shares` of the next hash. */
  #position = 0;

  constructor({ atOnce, places, patienceMs = hashingLimits.patienceMs }: Options) {
    this.#free = atOnce;
    this.#patienceMs = patienceMs;
    this.#places = {
      internal: new Places(Number.POSITIVE_INFINITY),
      known: new Places(places),
      strangers: new Places(places),
    };
  }

  /** Whether `enter` would let this caller in right now. */
  hasPlace({ lane, key }: HashingCaller): boolean {
    return this.#places[lane].has(key);
  }

  /** Runs an action that may hash, in a place of this caller's; 429 while none is free. */
  async enter<T>(caller: HashingCaller, action: () => Promise<T>, onRefused?: () => void): Promise<T> {
    const places = this.#places[caller.lane];
    if (!places.take(caller.key)) throw tooBusy(onRefused);
    let isHeld = true;
    const leave = (): void => {
      if (isHeld) places.release(caller.key);
      isHeld = false;
    };
    try {
      return await this.#caller.run({ caller, leave, onRefused }, action);
    } finally {
      leave();
    }
  }

  /** Runs an action whose hashes wait in this caller's lane, without a place of its own. */
  as<T>(caller: HashingCaller, action: () => Promise<T>): Promise<T> {
    return this.#caller.run({ caller, leave: noPlace }, action);
  }

  /** The lane that the present caller waits in. */
  lane(): Lane {
    return (this.#caller.getStore()?.caller ?? itself).lane;
  }

  /** `enter` for the rest of what a caller does, who leaves the place that it has: it must not wait in one lane and fill another. */
  move<T>(caller: HashingCaller, action: () => Promise<T>, onRefused?: () => void): Promise<T> {
    this.#caller.getStore()?.leave();
    return this.enter(caller, action, onRefused);
  }

  /** Computes one hash when it is the caller's turn. Outside of `enter` the process itself is the caller. */
  async turn<T>(compute: () => Promise<T>): Promise<T> {
    await this.#begin();
    try {
      return await compute();
    } finally {
      this.#end();
    }
  }

  #begin(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    const { caller, onRefused } = this.#caller.getStore() ?? { caller: itself };
    const { lane, key } = caller;
    const queue = this.#waiting[lane];
    if (lane === 'internal') return new Promise((begin) => queue.add(key, begin));
    return new Promise((begin, refuse) => {
      let hasLeft = false;
      const patience = setTimeout(() => {
        hasLeft = true;
        refuse(tooBusy(onRefused));
      }, this.#patienceMs);
      queue.add(key, () => {
        clearTimeout(patience);
        if (hasLeft) this.#end();
        else begin();
      });
    });
  }

  /** The turn goes on to the next caller that waits. */
  #end(): void {
    const begin = this.#waiting.internal.next() ?? this.#nextByShares();
    if (begin) begin();
    else this.#free += 1;
  }

  #nextByShares(): (() => void) | undefined {
    for (let tried = 0; tried < shares.length; tried += 1) {
      const lane = shares[this.#position] ?? 'known';
      this.#position = (this.#position + 1) % shares.length;
      const begin = this.#waiting[lane].next();
      if (begin) return begin;
    }
    return undefined;
  }
}

/** A core is left to everything else. */
export const hashing = new Hashing({
  atOnce: Math.max(1, availableParallelism() - 1),
  places: hashingLimits.places,
});
