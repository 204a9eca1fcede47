import ipaddr from 'ipaddr.js';
import { TtlMap } from './ttl-map.ts';

/**
 * Counts for each key how often something happened in a fixed window of time. The counts are in this process's memory, which costs less than
 * a write to the database; several processes count separately.
 */
export class WindowCounter {
  readonly #windows: TtlMap<{ readonly until: number; used: number }>;
  readonly #windowMs: number;

  constructor({ seconds, capacity = 10_000 }: { seconds: number; capacity?: number }) {
    this.#windowMs = seconds * 1000;
    this.#windows = new TtlMap({ capacity, ttlMs: this.#windowMs });
  }

  /** Counts one more event of this key. Returns the count in the current window and the seconds until the window ends. */
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

/** The key for counting by address: the address itself, or the /64 of an IPv6 address, because one customer has all of it. */
export const networkOf = (address: string): string =>
  address.includes(':') ? ipaddr.parse(address).toByteArray().slice(0, 8).join('.') : address;
