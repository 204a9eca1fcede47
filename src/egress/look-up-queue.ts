/** A place in the queue, from the moment that it is requested. */
export interface Place {
  /** True when the place is granted: its holder must call the queue’s `leave` at the end. False when all callers have given up waiting. */
  readonly granted: Promise<boolean>;
  /** Another caller waits for the same place, for this many milliseconds. */
  waitFor(ms: number): void;
}

class WaitingPlace implements Place {
  readonly granted: Promise<boolean>;
  readonly group: string | undefined;
  readonly #resolve: (granted: boolean) => void;
  readonly #onTimeout: () => void;
  #until = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(group: string | undefined, ms: number, onTimeout: (place: WaitingPlace) => void) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.granted = promise;
    this.group = group;
    this.#resolve = resolve;
    this.#onTimeout = () => onTimeout(this);
    this.waitFor(ms);
  }

  waitFor(ms: number): void {
    const until = performance.now() + ms;
    if (until <= this.#until) return;
    this.#until = until;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onTimeout, ms);
  }

  end(granted: boolean): void {
    clearTimeout(this.#timer);
    // From now on, callers that join wait for the look-up itself, so no timer is set for them.
    this.#until = Infinity;
    this.#resolve(granted);
  }
}

const grantedAtOnce: Place = { granted: Promise.resolve(true), waitFor: () => {} };

/**
 * A semaphore for look-ups: `capacity` of them run at once, the others wait, each as long as one of its callers waits. A group (a team)
 * gets another place only while it holds fewer than are free. So one team never holds more than half of the places, however many silent
 * names it has. Of the look-ups that may start, the oldest starts first.
 */
export class LookUpQueue {
  readonly #capacity: number;
  readonly #waiting = new Set<WaitingPlace>();
  readonly #heldBy = new Map<string, number>();
  #held = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  enter(ms: number, group?: string): Place {
    if (this.#mayEnter(group)) {
      this.#take(group);
      return grantedAtOnce;
    }
    const place = new WaitingPlace(group, ms, (late) => this.#end(late, false));
    this.#waiting.add(place);
    return place;
  }

  /** Releases a place of this group. */
  leave(group?: string): void {
    this.#held -= 1;
    if (group !== undefined) {
      const left = (this.#heldBy.get(group) ?? 0) - 1;
      if (left > 0) this.#heldBy.set(group, left);
      else this.#heldBy.delete(group);
    }
    for (const place of this.#waiting) {
      if (this.#held >= this.#capacity) return;
      if (!this.#mayEnter(place.group)) continue;
      this.#take(place.group);
      this.#end(place, true);
    }
  }

  /** Ends all waiting. */
  close(): void {
    for (const place of this.#waiting) this.#end(place, false);
  }

  #mayEnter(group: string | undefined): boolean {
    const free = this.#capacity - this.#held;
    return group === undefined ? free > 0 : (this.#heldBy.get(group) ?? 0) < free;
  }

  #take(group: string | undefined): void {
    this.#held += 1;
    if (group !== undefined) this.#heldBy.set(group, (this.#heldBy.get(group) ?? 0) + 1);
  }

  #end(place: WaitingPlace, granted: boolean): void {
    this.#waiting.delete(place);
    place.end(granted);
  }
}
