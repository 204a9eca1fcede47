/**
 * Counts per key in fixed windows, in this process's memory. For what must cost less than a write to the database: several
 * processes count apart.
 */
export class WindowCounter {
  readonly #windows = new Map<string, { until: number; used: number }>();
  readonly #milliseconds: number;
  readonly #capacity: number;

  constructor({ seconds, capacity = 10_000 }: { seconds: number; capacity?: number }) {
    this.#milliseconds = seconds * 1000;
    this.#capacity = capacity;
  }

  /** Counts one more for this key: how many there were in its window, and for how many seconds the window lasts. */
  count(key: string, now = Date.now()): { used: number; wait: number } {
    const known = this.#windows.get(key);
    const window = known && known.until > now ? known : this.#open(key, now);
    window.used += 1;
    return { used: window.used, wait: Math.max(1, Math.ceil((window.until - now) / 1000)) };
  }

  /** Whether something was counted for this key in a window that still lasts. */
  has(key: string, now = Date.now()): boolean {
    return (this.#windows.get(key)?.until ?? 0) > now;
  }

  #open(key: string, now: number): { until: number; used: number } {
    this.#windows.delete(key);
    if (this.#windows.size >= this.#capacity) this.#makeRoom(now);
    const window = { until: now + this.#milliseconds, used: 0 };
    this.#windows.set(key, window);
    return window;
  }

  /** Windows stand in the order of their ends: the oldest go first. */
  #makeRoom(now: number): void {
    for (const [key, { until }] of this.#windows) {
      if (until > now && this.#windows.size < this.#capacity) return;
      this.#windows.delete(key);
    }
  }
}
