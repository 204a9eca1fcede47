import { FairQueue } from '../../core/fair-queue.ts';

/** Requests of one caller that wait for one call: the gate can't tell them apart. */
interface Group<Caller, Verdict> {
  readonly caller: Caller;
  readonly requests: { resolve: (verdict: Verdict) => void; reject: (error: unknown) => void }[];
}

export interface Asked<Caller> {
  readonly caller: Caller;
  readonly requests: number;
}

/** Asks the database about several callers. Gives the verdicts on each caller's requests, in the same order. */
export type Judge<Caller, Verdict> = (asked: readonly Asked<Caller>[]) => Promise<Verdict[][]>;

/** Callers in one call: more would hold locks for longer than a few milliseconds. */
const callersAtOnce = 64;

/**
 * Collects requests into calls of the database. Requests that arrive in the same turn of the event loop share a call, and so do
 * those that arrive while a call is on its way: there is one at a time, unless it is late. So an idle process judges a
 * request at once, and a busy one spends one round trip on many requests.
 *
 *   request ─▶ waiting ──the turn ends, and no call is on its way──▶ in a call ─▶ judged, or failed with the call's error
 *                 │                                                      ▲
 *                 └────the call before was answered, or is late──────────┘
 */
export class GateCalls<Caller, Verdict> {
  readonly #judge: Judge<Caller, Verdict>;
  readonly #lateAfterMs: number | undefined;
  readonly #waiting = new Map<string, Group<Caller, Verdict>>();
  /** The identities that wait, by network. */
  readonly #line = new FairQueue<string>();
  /** Calls on their way that are not late. */
  #underway = 0;
  #isScheduled = false;

  /** A call that was not answered within `lateAfterMs` no longer holds back the next one. */
  constructor(judge: Judge<Caller, Verdict>, { lateAfterMs }: { lateAfterMs?: number } = {}) {
    this.#judge = judge;
    this.#lateAfterMs = lateAfterMs;
  }

  /** Callers with the same identity are one caller. Networks take turns: one that tries many keys at once delays itself. */
  ask(identity: string, network: string, caller: Caller): Promise<Verdict> {
    return new Promise((resolve, reject) => {
      const group = this.#waiting.get(identity);
      if (group) group.requests.push({ resolve, reject });
      else {
        this.#waiting.set(identity, { caller, requests: [{ resolve, reject }] });
        this.#line.add(network, identity);
      }
      this.#schedule();
    });
  }

  /** Whether nothing waits and nothing is on its way. A late call counts as forgotten. */
  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.#underway === 0;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#underway > 0 || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#send(this.#take());
    });
  }

  async #send(groups: readonly Group<Caller, Verdict>[]): Promise<void> {
    this.#underway += 1;
    let isUnderway = true;
    const letNextGo = () => {
      if (!isUnderway) return;
      isUnderway = false;
      this.#underway -= 1;
      this.#schedule();
    };
    const late = this.#lateAfterMs === undefined ? undefined : setTimeout(letNextGo, this.#lateAfterMs);
    try {
      const verdicts = await this.#judge(groups.map(({ caller, requests }) => ({ caller, requests: requests.length })));
      groups.forEach(({ requests }, index) => {
        const own = verdicts[index] ?? [];
        requests.forEach(({ resolve, reject }, at) => {
          const verdict = own[at];
          if (verdict === undefined) reject(new Error('the gate gave no answer'));
          else resolve(verdict);
        });
      });
    } catch (error) {
      for (const { requests } of groups) for (const { reject } of requests) reject(error);
    } finally {
      clearTimeout(late);
      letNextGo();
    }
  }

  #take(): Group<Caller, Verdict>[] {
    const taken: Group<Caller, Verdict>[] = [];
    while (taken.length < callersAtOnce) {
      const identity = this.#line.next();
      const group = identity === undefined ? undefined : this.#waiting.get(identity);
      if (identity === undefined || group === undefined) break;
      this.#waiting.delete(identity);
      taken.push(group);
    }
    return taken;
  }
}
