/** A place in a lane, from the moment it is asked for. */
export interface Turn {
  /** True once it is there: who had it calls the lane’s `leave` at the end. False where nobody waits for it any more. */
  readonly come: Promise<boolean>;
  /** Somebody else waits for it too, for so many milliseconds. */
  waitFor(ms: number): void;
}

class Waiting implements Turn {
  readonly come: Promise<boolean>;
  readonly #tell: (come: boolean) => void;
  readonly #over: (waiting: Waiting) => void;
  #until = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, over: (waiting: Waiting) => void) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.come = promise;
    this.#tell = resolve;
    this.#over = over;
    this.waitFor(ms);
  }

  waitFor(ms: number): void {
    const until = performance.now() + ms;
    if (until <= this.#until) return;
    this.#until = until;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#over(this), ms);
  }

  end(come: boolean): void {
    clearTimeout(this.#timer);
    this.#tell(come);
  }
}

const atOnce: Turn = { come: Promise.resolve(true), waitFor: () => {} };

/** Lets so many through at once; the others wait, first come, first served, each for as long as somebody waits for it. */
export class Lane {
  readonly #most: number;
  readonly #row = new Set<Waiting>();
  #inside = 0;

  constructor(most: number) {
    this.#most = most;
  }

  enter(ms: number): Turn {
    if (this.#inside < this.#most) {
      this.#inside += 1;
      return atOnce;
    }
    const turn = new Waiting(ms, (waiting) => this.#end(waiting, false));
    this.#row.add(turn);
    return turn;
  }

  leave(): void {
    const [next] = this.#row;
    if (next === undefined) this.#inside -= 1;
    else this.#end(next, true);
  }

  /** Nobody waits any more. */
  close(): void {
    for (const waiting of this.#row) this.#end(waiting, false);
  }

  #end(waiting: Waiting, come: boolean): void {
    this.#row.delete(waiting);
    waiting.end(come);
  }
}
