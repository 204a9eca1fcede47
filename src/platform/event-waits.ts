import type { RefusedBecauseOf } from '../core/fair-semaphore.ts';
import { feedLimits } from '../core/limits.ts';

/** The state of a team's feed in the database. */
export interface FeedState {
  readonly teamId: string;
  /** The highest position so far. */
  readonly lastPosition: number;
  /** Whether there are events without a position. */
  readonly hasNew: boolean;
}

/** A request that waits for the next event of its team. */
export interface EventWait {
  readonly teamId: string;
  /** The position up to which the request has read. */
  readonly position: number;
  /** When the request stops waiting, by `performance.now()`. */
  readonly until: number;
  /** False if the last event that woke the request did not match its filter. Then only the next poll wakes it. */
  readonly eager: boolean;
  /** Whether the wait must end early: the client has left, the process stops, or maintenance is on. */
  readonly isOver: () => boolean;
}

interface OpenWait extends EventWait {
  readonly end: (woken: boolean) => void;
}

const { lookEveryMs, waiting: max } = feedLimits;

interface FeedReader {
  /** The state of a team's feed, if it has one. Calls for several teams may share a statement. */
  look(this: void, teamId: string): Promise<FeedState | undefined>;
  onFailure(this: void, error: unknown): void;
}

/**
 * The requests of this process that wait for events. A waiting request uses no database connection and no transaction.
 *
 *   waits ──this process commits an event of the team──▶ woken
 *     ├──a look finds an event of another process──────▶ woken
 *     └──its time is up, or it must end early──────────▶ ended without an event
 *
 * A look (a poll of the database) runs several times a second for each team with a waiting request. Looks for several
 * teams may share a statement.
 */
export class EventWaits {
  readonly #look: FeedReader['look'];
  readonly #onFailure: FeedReader['onFailure'];
  readonly #byTeam = new Map<string, Set<OpenWait>>();
  #count = 0;
  /** The teams whose look has not ended. */
  readonly #looking = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ look, onFailure }: FeedReader) {
    this.#look = look;
    this.#onFailure = onFailure;
  }

  /**
   * Whether one more request of the team may wait. `own share`: the team already has the maximum number of waiting
   * requests.
   */
  room(teamId: string): 'free' | RefusedBecauseOf {
    if ((this.#byTeam.get(teamId)?.size ?? 0) >= max.ofOneTeam) return 'own share';
    return this.#count < max.all ? 'free' : 'others';
  }

  /** The number of requests that wait. */
  get count(): number {
    return this.#count;
  }

  /** Waits for an event. Returns whether there may be one. */
  wait(wanted: EventWait): Promise<boolean> {
    return new Promise((resolve) => {
      const ofTeam = this.#byTeam.get(wanted.teamId) ?? new Set();
      this.#byTeam.set(wanted.teamId, ofTeam);
      const waiting: OpenWait = {
        ...wanted,
        end: (woken) => {
          if (!ofTeam.delete(waiting)) return;
          this.#count -= 1;
          if (ofTeam.size === 0) this.#byTeam.delete(wanted.teamId);
          resolve(woken);
        },
      };
      ofTeam.add(waiting);
      this.#count += 1;
      this.#schedule();
    });
  }

  /** Called when this process has committed an event of the team. */
  raised(teamId: string): void {
    const ofTeam = this.#byTeam.get(teamId);
    if (!ofTeam) return;
    for (const { eager, end } of ofTeam) if (eager) end(true);
  }

  #schedule(): void {
    if (this.#timer || this.#count === 0) return;
    const now = performance.now();
    const next = Math.min(lookEveryMs, ...this.#all().map(({ until }) => Math.max(0, until - now)));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#tick();
      this.#schedule();
    }, next);
  }

  #all(): OpenWait[] {
    return [...this.#byTeam.values()].flatMap((ofTeam) => [...ofTeam]);
  }

  #tick(): void {
    const now = performance.now();
    for (const { until, isOver, end } of this.#all()) if (now >= until || isOver()) end(false);
    for (const teamId of this.#byTeam.keys()) if (!this.#looking.has(teamId)) this.#lookAt(teamId);
  }

  #lookAt(teamId: string): void {
    this.#looking.add(teamId);
    this.#look(teamId)
      .then((state) => {
        for (const { position, end } of this.#byTeam.get(teamId) ?? [])
          if (state && (state.hasNew || state.lastPosition > position)) end(true);
      })
      // If the poll fails, the requests continue to wait. At the end of their wait they read a page, which reports a
      // database that is still unavailable.
      .catch(this.#onFailure)
      .finally(() => this.#looking.delete(teamId));
  }
}
