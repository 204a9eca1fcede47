interface Waiting {
  begin: () => void;
  timer: NodeJS.Timeout;
}

const tooLong = () =>
  Object.assign(new Error('no transaction could begin in time: too many are running'), { code: 'P2028' });

/** Lets only so many run at once; the others wait for their turn, first come, first served, and only so long. */
export class Turns {
  readonly #waiting = new Set<Waiting>();
  readonly #patience: number;
  #free: number;

  constructor(atOnce: number, patience: number) {
    this.#free = atOnce;
    this.#patience = patience;
  }

  async take<T>(action: () => Promise<T>): Promise<T> {
    await this.#begin();
    try {
      return await action();
    } finally {
      this.#end();
    }
  }

  #begin(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((begin, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(tooLong());
      }, this.#patience);
      const waiting: Waiting = { begin, timer };
      this.#waiting.add(waiting);
    });
  }

  /** The turn goes on to whoever waits longest. */
  #end(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    clearTimeout(next.timer);
    next.begin();
  }
}
