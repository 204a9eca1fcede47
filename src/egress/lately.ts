/** Of which names something was true so lately. Where there are too many, the one noted longest ago is forgotten first. */
export class Lately {
  readonly #ms: number;
  readonly #most: number;
  /** Until when each counts, the one noted last at the end. */
  readonly #until = new Map<string, number>();

  constructor(ms: number, most: number) {
    this.#ms = ms;
    this.#most = most;
  }

  note(name: string): void {
    this.#until.delete(name);
    this.#until.set(name, performance.now() + this.#ms);
    const [oldest] = this.#until.keys();
    if (this.#until.size > this.#most && oldest !== undefined) this.#until.delete(oldest);
  }

  has(name: string): boolean {
    const until = this.#until.get(name);
    if (until === undefined) return false;
    if (performance.now() < until) return true;
    this.#until.delete(name);
    return false;
  }

  forget(name: string): void {
    this.#until.delete(name);
  }
}
