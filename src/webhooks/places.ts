/** A lane that wants places: each attempt that is being made takes one. */
export interface Applicant {
  readonly tenantId: string;
  /** Of the endpoint's URL. */
  readonly host: string;
  /** The endpoint fails, or was slow lately. */
  readonly throttled: boolean;
}

export interface PlaceLimits {
  /** Attempts at once in this process. */
  readonly all: number;
  /** Of these, to endpoints that are throttled. */
  readonly throttled: number;
  /** Of these, to one host, whichever teams they are for. */
  readonly perHost: number;
}

interface Waiting {
  readonly applicant: Applicant;
  readonly wanted: number;
  readonly grant: (count: number) => void;
}

/** Counts places that are held of a limited number, by team. */
class Share {
  readonly #limit: number;
  readonly #byTeam = new Map<string, number>();
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get free(): number {
    return this.#limit - this.#held;
  }

  get held(): number {
    return this.#held;
  }

  heldBy(tenantId: string): number {
    return this.#byTeam.get(tenantId) ?? 0;
  }

  /** How many more the team may take: another one only while it holds fewer than are free. So no team ever holds more than half. */
  roomFor(tenantId: string): number {
    return Math.max(0, Math.ceil((this.free - this.heldBy(tenantId)) / 2));
  }

  add(tenantId: string, count: number): void {
    this.#held += count;
    const left = this.heldBy(tenantId) + count;
    if (left > 0) this.#byTeam.set(tenantId, left);
    else this.#byTeam.delete(tenantId);
  }
}

/**
 * The places of a worker process for attempts. Teams come first: a team never holds more than half of all places, of those for throttled
 * endpoints and of those at one host, however many endpoints it has and however slowly they answer, so a team that has nothing under
 * way finds places free. Freed places go to the team that holds the fewest, within a team to the lane that has waited longest.
 */
export class Places {
  readonly #limits: PlaceLimits;
  readonly #all: Share;
  readonly #throttled: Share;
  readonly #hosts = new Map<string, Share>();
  /** By team, the team that has waited longest first. */
  readonly #waiting = new Map<string, Waiting[]>();
  #waitingLanes = 0;
  #matching = false;
  #closed = false;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
    this.#all = new Share(limits.all);
    this.#throttled = new Share(limits.throttled);
  }

  /** Waits for up to `wanted` places and returns how many the lane got: none if there was none within the time. */
  take(applicant: Applicant, wanted: number, patienceMs: number): Promise<number> {
    if (this.#closed) return Promise.resolve(0);
    if (this.#waitingLanes === 0) {
      const count = this.#grant(applicant, wanted);
      if (count > 0) return Promise.resolve(count);
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#leave(waiting), patienceMs);
      const waiting: Waiting = {
        applicant,
        wanted,
        grant: (count) => {
          clearTimeout(timer);
          resolve(count);
        },
      };
      const line = this.#waiting.get(applicant.tenantId);
      if (line) line.push(waiting);
      else this.#waiting.set(applicant.tenantId, [waiting]);
      this.#waitingLanes += 1;
      this.#matchSoon();
    });
  }

  /** Gives places back, as they were taken. */
  give(applicant: Applicant, count: number): void {
    if (count === 0) return;
    this.#count(applicant, -count);
    this.#matchSoon();
  }

  /** No lane gets a place any more. */
  close(): void {
    this.#closed = true;
    for (const line of this.#waiting.values()) for (const { grant } of line) grant(0);
    this.#waiting.clear();
    this.#waitingLanes = 0;
  }

  #hostOf(name: string): Share {
    const known = this.#hosts.get(name);
    if (known) return known;
    const host = new Share(this.#limits.perHost);
    this.#hosts.set(name, host);
    return host;
  }

  #count({ tenantId, host: name, throttled }: Applicant, count: number): void {
    this.#all.add(tenantId, count);
    if (throttled) this.#throttled.add(tenantId, count);
    const host = this.#hostOf(name);
    host.add(tenantId, count);
    if (host.held === 0) this.#hosts.delete(name);
  }

  #grant(applicant: Applicant, wanted: number): number {
    const { tenantId, host, throttled } = applicant;
    const count = Math.min(
      wanted,
      this.#all.roomFor(tenantId),
      throttled ? this.#throttled.roomFor(tenantId) : Infinity,
      this.#hosts.get(host)?.roomFor(tenantId) ?? Math.ceil(this.#limits.perHost / 2),
    );
    if (count > 0) this.#count(applicant, count);
    return count;
  }

  #leave(waiting: Waiting): void {
    const { tenantId } = waiting.applicant;
    const left = this.#waiting.get(tenantId)?.filter((other) => other !== waiting) ?? [];
    this.#keepLine(tenantId, left);
    this.#waitingLanes -= 1;
    waiting.grant(0);
  }

  #keepLine(tenantId: string, line: Waiting[]): void {
    if (line.length > 0) this.#waiting.set(tenantId, line);
    else this.#waiting.delete(tenantId);
  }

  /** Once for all places that are freed in this turn of the event loop. */
  #matchSoon(): void {
    if (this.#matching || this.#waitingLanes === 0) return;
    this.#matching = true;
    setImmediate(() => {
      this.#matching = false;
      this.#match();
    });
  }

  #match(): void {
    const share = Math.max(1, Math.floor(this.#all.free / Math.max(1, this.#waitingLanes)));
    const holding: string[] = [];
    // A copy: a team that is served moves to the end.
    for (const tenantId of Array.from(this.#waiting.keys())) {
      if (this.#all.free === 0) return;
      if (this.#all.heldBy(tenantId) === 0) this.#serve(tenantId, share);
      if (this.#waiting.has(tenantId)) holding.push(tenantId);
    }
    // Round by round, the team that holds the fewest first.
    for (let served = true; served && this.#all.free > 0;) {
      served = false;
      holding.sort((a, b) => this.#all.heldBy(a) - this.#all.heldBy(b));
      for (const tenantId of holding) {
        if (this.#all.free > 0 && this.#serve(tenantId, share)) served = true;
      }
    }
  }

  /** Gives places to the first lane of the team that may have some. */
  #serve(tenantId: string, share: number): boolean {
    const line = this.#waiting.get(tenantId) ?? [];
    for (const [index, { applicant, wanted, grant }] of line.entries()) {
      const count = this.#grant(applicant, Math.min(wanted, share));
      if (count === 0) continue;
      // Behind the other teams that wait.
      this.#waiting.delete(tenantId);
      this.#keepLine(tenantId, line.toSpliced(index, 1));
      this.#waitingLanes -= 1;
      grant(count);
      return true;
    }
    return false;
  }
}
