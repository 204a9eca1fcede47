/** Waiting callers by key; the keys take turns. */
export class FairQueue {
  readonly #byKey = new Map<string, (() => void)[]>();

  add(key: string, begin: () => void): void {
    const waiting = this.#byKey.get(key);
    if (waiting) waiting.push(begin);
    else this.#byKey.set(key, [begin]);
  }

  next(): (() => void) | undefined {
    const [first] = this.#byKey;
    if (!first) return undefined;
    const [key, waiting] = first;
    const begin = waiting.shift();
    this.#byKey.delete(key);
    if (waiting.length > 0) this.#byKey.set(key, waiting);
    return begin;
  }
}
