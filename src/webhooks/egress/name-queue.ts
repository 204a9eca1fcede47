/** A place in the queue, from the moment that it is requested. */
export interface Turn {
  /** True once the place is granted: its holder calls the queue’s `leave` at the end. False when all callers have given up waiting. */
  readonly come: Promise<boolean>;
  /** Another caller waits for it too, for so many milliseconds. */
  waitFor(ms: number): void;
}

class Waiting implements Turn {
  readonly come: Promise<boolean>;
  readonly #tell: (come: boolean) => void;
  readonly #over: () => void;
  #until = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, over: () => void) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.come = promise;
    this.#tell = resolve;
    this.#over = over;
    this.waitFor(ms);
  }

  waitFor(ms: number): void {
    const until = performance.now() + ms;
    if (until <= this.#until) return;
    this.#until = until;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#over(), ms);
  }

  end(come: boolean): void {
    clearTimeout(this.#timer);
    this.#tell(come);
  }
}

const atOnce: Turn = { come: Promise.resolve(true), waitFor: () => {} };

interface InRow {
  readonly waiting: Waiting;
  readonly group: string | undefined;
}

/**
 * Lets so many through at once; the others wait, each for as long as a caller waits for it. A group, which is a team, gets another
 * place only while it holds fewer than are free: so one team never holds more than half of them, however many silent names it has.
 * Of those that may go, the first to come goes first.
 */
export class LookUpQueue {
  readonly #most: number;
  readonly #row = new Set<InRow>();
  readonly #held = new Map<string, number>();
  #inside = 0;

  constructor(most: number) {
    this.#most = most;
  }

  enter(ms: number, group?: string): Turn {
    if (this.#mayEnter(group)) {
      this.#take(group);
      return atOnce;
    }
    const waiting = new Waiting(ms, () => this.#end(place, false));
    const place: InRow = { waiting, group };
    this.#row.add(place);
    return waiting;
  }

  /** Gives back the place of this group. */
  leave(group?: string): void {
    this.#inside -= 1;
    if (group !== undefined) {
      const left = (this.#held.get(group) ?? 0) - 1;
      if (left > 0) this.#held.set(group, left);
      else this.#held.delete(group);
    }
    for (const place of this.#row) {
      if (this.#inside >= this.#most) return;
      if (!this.#mayEnter(place.group)) continue;
      this.#take(place.group);
      this.#end(place, true);
    }
  }

  /** Ends all waiting. */
  close(): void {
    for (const place of this.#row) this.#end(place, false);
  }

  #mayEnter(group: string | undefined): boolean {
    const free = this.#most - this.#inside;
    return group === undefined ? free > 0 : (this.#held.get(group) ?? 0) < free;
  }

  #take(group: string | undefined): void {
    this.#inside += 1;
    if (group !== undefined) this.#held.set(group, (this.#held.get(group) ?? 0) + 1);
  }

  #end(place: InRow, come: boolean): void {
    this.#row.delete(place);
    place.waiting.end(come);
  }
}
