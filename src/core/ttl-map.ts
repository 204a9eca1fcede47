interface TtlMapOptions {
  /** The maximum number of entries. Beyond it, the entry that was set longest ago is removed. */
  capacity: number;
  /**
   * Milliseconds until an entry expires, unless `set` gets another time. Absent: entries never expire, and are only
   * removed to make room.
   */
  ttlMs?: number;
}

/**
 * A cache in memory, bounded in number and time. No rule may depend on an entry, because it may be gone at any time.
 * Times are those of `performance.now()`, or of any other clock that the caller passes to every call.
 */
export class TtlMap<Value> {
  readonly #capacity: number;
  readonly #ttlMs: number;
  /** The last entry is the one that was set last. */
  readonly #entries = new Map<string, { value: Value; until: number }>();

  constructor({ capacity, ttlMs = Infinity }: TtlMapOptions) {
    this.#capacity = capacity;
    this.#ttlMs = ttlMs;
  }

  get(key: string, now = performance.now()): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (now < entry.until) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  has(key: string, now = performance.now()): boolean {
    return this.get(key, now) !== undefined;
  }

  set(key: string, value: Value, { ttlMs = this.#ttlMs, now = performance.now() } = {}): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.#capacity) this.#makeRoom(now);
    this.#entries.set(key, { value, until: now + ttlMs });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Removes the expired entries at the front, and at least one entry. */
  #makeRoom(now: number): void {
    for (const [key, { until }] of this.#entries) {
      if (until > now && this.#entries.size < this.#capacity) return;
      this.#entries.delete(key);
    }
  }
}

/** The value of a key; created if it is missing. Recently used values stay longest. */
export const remembered = <Value>(map: TtlMap<Value>, key: string, make: () => Value): Value => {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
};

/**
 * Counts for each key how often something happened in a fixed window of time. The counts are in this process's memory,
 * which costs less than a write to the database; several processes count separately.
 */
export class WindowCounter {
  readonly #windows: TtlMap<{ readonly until: number; used: number }>;
  readonly #windowMs: number;

  constructor({ seconds, capacity = 10_000 }: { seconds: number; capacity?: number }) {
    this.#windowMs = seconds * 1000;
    this.#windows = new TtlMap({ capacity, ttlMs: this.#windowMs });
  }

  /**
   * Counts one more event of this key. Returns the count in the current window and the seconds until the window ends.
   */
  count(key: string, now = Date.now()): { used: number; wait: number } {
    const window = this.#windows.get(key, now) ?? this.#open(key, now);
    window.used += 1;
    return { used: window.used, wait: Math.max(1, Math.ceil((window.until - now) / 1000)) };
  }

  #open(key: string, now: number): { readonly until: number; used: number } {
    const window = { until: now + this.#windowMs, used: 0 };
    this.#windows.set(key, window, { now });
    return window;
  }
}
