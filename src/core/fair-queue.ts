/** Items that wait, by key. The keys take turns; the items of one key come in the order in which they were added. */
export class FairQueue<Item> {
  /** The first key is the next one. No key is here without an item. */
  readonly #byKey = new Map<string, Set<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(key: string, item: Item): void {
    const items = this.#byKey.get(key);
    if (items) items.add(item);
    else this.#byKey.set(key, new Set([item]));
    this.#size += 1;
  }

  /** Takes out the next item. Its key goes to the end of the line. */
  next(): Item | undefined {
    for (const [key, items] of this.#byKey) {
      for (const item of items) {
        this.#byKey.delete(key);
        items.delete(item);
        if (items.size > 0) this.#byKey.set(key, items);
        this.#size -= 1;
        return item;
      }
    }
    return undefined;
  }

  /** Takes out an item that no longer waits. */
  remove(key: string, item: Item): void {
    const items = this.#byKey.get(key);
    if (!items?.delete(item)) return;
    this.#size -= 1;
    if (items.size === 0) this.#byKey.delete(key);
  }
}
