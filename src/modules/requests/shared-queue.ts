/**
 * A queue of bounded size that several owners share. While it is full, an owner that has less than its equal share still gets
 * a place: the newest item of somebody who has more goes. So whoever has little never loses anything to those who flood it.
 */
export class SharedQueue<Item> {
  readonly #byOwner = new Map<string, Item[]>();
  #size = 0;
  /** Had more than its share when it was last looked for; most often it still has. */
  #heaviest = '';

  get size(): number {
    return this.#size;
  }

  /** Adds an item where the queue has room for so many. Returns the one that had to go instead, which may be the item itself. */
  add(owner: string, item: Item, room: number): Item | undefined {
    const own = this.#byOwner.get(owner) ?? [];
    const owners = this.#byOwner.size + (own.length === 0 ? 1 : 0);
    let dropped: Item | undefined;
    if (this.#size >= room) {
      const share = room / owners;
      if (own.length + 1 > share) return item;
      dropped = this.#dropFromHeaviest(share);
    }
    if (own.length === 0) this.#byOwner.set(owner, own);
    own.push(item);
    this.#size += 1;
    return dropped;
  }

  /** Takes up to so many items, the oldest of each owner first, from all owners in turn. */
  take(most: number): Item[] {
    const taken: Item[] = [];
    for (const [owner, items] of this.#byOwner) {
      const left = most - taken.length;
      if (left <= 0) break;
      const share = Math.max(1, Math.floor(left / this.#byOwner.size));
      taken.push(...items.splice(0, Math.min(share, left)));
      // Whoever has more comes again behind the others, in this batch or the next.
      this.#byOwner.delete(owner);
      if (items.length > 0) this.#byOwner.set(owner, items);
    }
    this.#size -= taken.length;
    return taken;
  }

  /** There is one: the queue is full, and the owner of the new item has less than the share. */
  #dropFromHeaviest(share: number): Item | undefined {
    if ((this.#byOwner.get(this.#heaviest)?.length ?? 0) <= share) {
      for (const [owner, items] of this.#byOwner) {
        if (items.length <= share) continue;
        this.#heaviest = owner;
        break;
      }
    }
    const items = this.#byOwner.get(this.#heaviest);
    const dropped = items?.pop();
    if (dropped !== undefined) this.#size -= 1;
    if (items?.length === 0) this.#byOwner.delete(this.#heaviest);
    return dropped;
  }
}
