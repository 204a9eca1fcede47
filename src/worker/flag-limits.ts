/**
 * Counts the running jobs of each flag in this process. graphile-worker starts no job with a flag that is full, so that these jobs leave
 * the slots to others.
 */
export class FlagLimits {
  readonly #limitOf: (flag: string) => number;
  readonly #running = new Map<string, number>();

  constructor(limitOf: (flag: string) => number) {
    this.#limitOf = limitOf;
  }

  /** The flags of which no further job may start; null if there are none, because graphile-worker fetches only then several jobs at once. */
  full(): string[] | null {
    const full = [...this.#running.keys()].filter((flag) => this.isFull([flag]));
    return full.length > 0 ? full : null;
  }

  isFull(flags: readonly string[]): boolean {
    return flags.some((flag) => (this.#running.get(flag) ?? 0) >= this.#limitOf(flag));
  }

  /** Counts a job until the returned function is called. */
  hold(flags: readonly string[]): () => void {
    for (const flag of flags) this.#running.set(flag, (this.#running.get(flag) ?? 0) + 1);
    return () => {
      for (const flag of flags) {
        const left = (this.#running.get(flag) ?? 0) - 1;
        if (left > 0) this.#running.set(flag, left);
        else this.#running.delete(flag);
      }
    };
  }
}
