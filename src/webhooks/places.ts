/** A lane that wants places. Each running attempt takes one. */
export interface Applicant {
  readonly tenantId: string;
  /** The host of the endpoint's URL. */
  readonly host: string;
  /** Whether the endpoint fails or was slow recently. */
  readonly throttled: boolean;
}

export interface PlaceLimits {
  /** The maximum number of attempts at once in this process. */
  readonly all: number;
  /** The maximum for all throttled endpoints. */
  readonly throttled: number;
  /** The maximum for one host, for all teams together. */
  readonly perHost: number;
}

interface Waiting {
  readonly applicant: Applicant;
  readonly wanted: number;
  readonly grant: (count: number) => void;
}

/** Counts the taken places of a limited number, by team. */
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

  /** How many more places the team may take: another one only while it holds fewer than are free. So no team ever holds more than half. */
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
 * The places of a worker process for attempts. Places are shared by team: a team never holds more than half of all places, of those for
 * throttled endpoints, and of those at one host, however many endpoints it has and however slowly they answer. So a team without running
 * attempts always finds a free place. Released places go to the team that holds the fewest, and within a team to the lane that has waited
 * longest.
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

  /** Waits for up to `wanted` places and returns how many the lane got: 0 if none became free in time. */
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

  /** Releases places that were taken with `take`. */
  give(applicant: Applicant, count: number): void {
    if (count === 0) return;
    this.#count(applicant, -count);
    this.#matchSoon();
  }

  /** After this, no lane gets a place. */
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

  /** Runs once for all places that are released in this turn of the event loop. */
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
    // A copy, because a team that gets places moves to the end.
    for (const tenantId of Array.from(this.#waiting.keys())) {
      if (this.#all.free === 0) return;
      if (this.#all.heldBy(tenantId) === 0) this.#serve(tenantId, share);
      if (this.#waiting.has(tenantId)) holding.push(tenantId);
    }
    // In rounds, starting each time with the team that holds the fewest.
    for (let served = true; served && this.#all.free > 0;) {
      served = false;
      holding.sort((a, b) => this.#all.heldBy(a) - this.#all.heldBy(b));
      for (const tenantId of holding) {
        if (this.#all.free > 0 && this.#serve(tenantId, share)) served = true;
      }
    }
  }

  /** Gives places to the first of the team's lanes that may have some. */
  #serve(tenantId: string, share: number): boolean {
    const line = this.#waiting.get(tenantId) ?? [];
    for (const [index, { applicant, wanted, grant }] of line.entries()) {
      const count = this.#grant(applicant, Math.min(wanted, share));
      if (count === 0) continue;
      // The team moves to the end of the waiting teams.
      this.#waiting.delete(tenantId);
      this.#keepLine(tenantId, line.toSpliced(index, 1));
      this.#waitingLanes -= 1;
      grant(count);
      return true;
    }
    return false;
  }
}
