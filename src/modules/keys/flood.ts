const capacity = 10_000;

/**
 * Remembers who is over a limit until when, so that a flood is looked at but no longer counted, which would write. It only
 * ever spares work: forgetting somebody costs one counted request.
 */
export class Flood {
  readonly #until = new Map<string, number>();

  has(caller: string, now: number): boolean {
    const until = this.#until.get(caller);
    if (until === undefined) return false;
    if (until > now) return true;
    this.#until.delete(caller);
    return false;
  }

  add(caller: string, until: number): void {
    if (this.#until.size >= capacity) this.#makeRoom(Date.now());
    this.#until.set(caller, until);
  }

  #makeRoom(now: number): void {
    for (const [caller, until] of this.#until) if (until <= now) this.#until.delete(caller);
    if (this.#until.size >= capacity) this.#until.clear();
  }
}
