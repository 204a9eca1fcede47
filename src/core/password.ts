import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { FairQueue } from './fair-semaphore.ts';
import { hashingLimits } from './limits.ts';
import { passwordCost } from './password-cost.ts';
import { Problem } from './problem.ts';

// A stored password is the PHC string of argon2id, `$argon2id$v=19$m=19456,t=2,p=1$salt$key`.

const saltBytes = 16;
const keyBytes = 32;

interface Argon {
  nonce: Buffer;
  memory: number;
  passes: number;
  parallelism: number;
}

const bytesOf = (password: string): Buffer => Buffer.from(password.normalize('NFKC'));

const stretch = (password: string, parameters: Argon): Promise<Buffer> =>
  hashing.turn(() => computeHash({ message: bytesOf(password), ...parameters, keyBytes }));

/** PHC strings have base64 without padding. */
const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');

export const hashPassword = async (password: string): Promise<string> => {
  const nonce = randomBytes(saltBytes);
  const key = await stretch(password, { nonce, ...passwordCost });
  const { memory, passes, parallelism } = passwordCost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(nonce)}$${base64(key)}`;
};

const phc = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{43})$/;

export const isPassword = async (password: string, hash: string): Promise<boolean> => {
  const [, memory, passes, parallelism, salt, key] = phc.exec(hash) ?? [];
  if (salt === undefined || key === undefined) return false;
  const expected = Buffer.from(key, 'base64');
  const given = await stretch(password, {
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  });
  return expected.length === keyBytes && timingSafeEqual(expected, given);
};

// Hashing a password takes about 30 ms of a core and 19 MiB, and everybody can cause it by trying to sign in. So all hashes of the
// process go through one queue: at most `atOnce` are computed at the same time, and the callers take turns.
//
// A caller first takes a place (`enter`) and then waits for its turns (`turn`). The number of places is limited: without a free place the
// caller is refused at once, before any database query. Known callers and strangers have separate places. While both wait, known callers
// get two of three hashes and strangers one, so neither group can block the other. Within a lane the keys take turns: a flood from one
// network delays other networks by one hash. A caller that waits too long gets 429.

export interface HashingCaller {
  /** `known`: signed in, or in a browser in which this person has signed in before. `internal`: the process itself. */
  readonly lane: 'known' | 'strangers' | 'internal';
  /** Callers with the same key share turns: a person, a browser, or a network. */
  readonly key: string;
}

type Lane = HashingCaller['lane'];

/** The lane of each next hash while both lanes wait. */
const shares = ['known', 'known', 'strangers'] as const satisfies readonly Lane[];

/** The places of a lane. Once half of them are taken, a key may hold only one. */
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
  /** Places in each of the lanes `known` and `strangers`. */
  places: number;
  /** How long a caller of these lanes waits for one hash. */
  patienceMs?: number;
}

const itself: HashingCaller = { lane: 'internal', key: 'itself' };

interface Present {
  readonly caller: HashingCaller;
  /** Releases the caller's place, if it has one. */
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

  /** Whether `enter` would admit this caller now. */
  hasPlace({ lane, key }: HashingCaller): boolean {
    return this.#places[lane].has(key);
  }

  /** Runs an action that may hash, in a place of this caller; 429 if none is free. */
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

  /** The lane of the current caller. */
  lane(): Lane {
    return (this.#caller.getStore()?.caller ?? itself).lane;
  }

  /** Like `enter`, for a caller that already has a place and changes lanes: its former place is released. */
  move<T>(caller: HashingCaller, action: () => Promise<T>, onRefused?: () => void): Promise<T> {
    this.#caller.getStore()?.leave();
    return this.enter(caller, action, onRefused);
  }

  /** Computes one hash when it is the caller's turn. Outside of `enter` the caller is the process itself. */
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

  /** Passes the turn to the next waiting caller. */
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

/** One core is left for everything else. */
export const hashing = new Hashing({
  atOnce: Math.max(1, availableParallelism() - 1),
  places: hashingLimits.places,
});

// Passwords are hashed in separate threads. In Node's thread pool they would delay DNS look-ups and compression, and would be delayed by
// them; and each of its 64 threads would keep the memory of a hash forever.

/** A hash by argon2id. */
export interface HashJob {
  message: Uint8Array;
  nonce: Uint8Array;
  memory: number;
  passes: number;
  parallelism: number;
  keyBytes: number;
}

const idle = new Set<Worker>();

const open = (): Worker => {
  const thread = new Worker(new URL('./password-thread.ts', import.meta.url));
  // A thread that fails while it is idle needs no handling: the next hash opens a new one.
  thread.on('error', () => idle.delete(thread));
  thread.on('exit', () => idle.delete(thread));
  return thread;
};

const takeIdle = (): Worker | undefined => {
  const [thread] = idle;
  if (thread) idle.delete(thread);
  return thread;
};

/** Starts a thread ahead of the first hash. Starting one under load would delay all requests. */
export const openHashThread = (): void => {
  const thread = open();
  thread.unref();
  idle.add(thread);
};

/** Computes a hash in an idle thread or in a new one. The caller limits how many run at once. */
export const computeHash = (job: HashJob): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const thread = takeIdle() ?? open();
    // The thread keeps the process alive only while it computes.
    thread.ref();
    const stopListening = () => {
      thread.off('message', done);
      thread.off('error', failed);
      thread.off('exit', left);
    };
    const done = (key: Uint8Array) => {
      stopListening();
      thread.unref();
      idle.add(thread);
      resolve(Buffer.from(key));
    };
    const failed = (error: unknown) => {
      stopListening();
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const left = () => failed(new Error('the thread for hashing ended'));
    thread.once('message', done);
    thread.once('error', failed);
    thread.once('exit', left);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    thread.postMessage(job);
  });
