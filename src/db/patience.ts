/** Thrown where an answer did not come in time; read as "the database is away". */
class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly code = 'ETIMEDOUT';
}

interface Waiting {
  readonly until: number;
  readonly giveUp: (reason: Error) => void;
}

/**
 * Stops waiting for answers that don't come. One timer looks after all of them: one for each query would keep every answer
 * in memory for as long as it was set to, and make the garbage collector copy it.
 */
export class Patience {
  readonly #milliseconds: number;
  readonly #waiting = new Set<Waiting>();
  readonly #watch: NodeJS.Timeout;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
    this.#watch = setInterval(() => this.#look(Date.now()), milliseconds / 10).unref();
  }

  within<T>(answer: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const entry: Waiting = { until: Date.now() + this.#milliseconds, giveUp: reject };
      this.#waiting.add(entry);
      answer.then(
        (value) => {
          this.#waiting.delete(entry);
          resolve(value);
        },
        (reason: unknown) => {
          this.#waiting.delete(entry);
          reject(reason);
        },
      );
    });
  }

  end(): void {
    clearInterval(this.#watch);
  }

  #look(now: number): void {
    for (const entry of this.#waiting) {
      if (entry.until > now) return; // the oldest come first
      this.#waiting.delete(entry);
      entry.giveUp(new NoAnswer('the database did not answer in time'));
    }
  }
}
