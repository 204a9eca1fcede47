import { FairSemaphore } from '../../core/fair-semaphore.ts';
import { signInLimits } from '../../core/limits.ts';
import { ownShareInUse } from '../../core/own-share.ts';
import { fail, Problem } from '../../core/problem.ts';
import { networkOf } from '../../core/address.ts';
import { WindowCounter } from '../../core/ttl-map.ts';
import type { Platform } from '../../platform/team.ts';
import type { Visitor } from './visitor.ts';

/** The `Retry-After` while too many calls run at once. */
const retrySeconds = 1;

/**
 * The limits of the app's calls in one process: how many a caller makes in a minute, and how many run at once. They are
 * checked without a query.
 */
export class CallLimits {
  readonly #anonymousPerMinute: number;
  readonly #perSessionPerMinute: number;
  readonly #calls = new WindowCounter({ seconds: 60, capacity: 20_000 });
  readonly #ofSessions: FairSemaphore;
  /** A call that waits here already holds one of its session's few slots, so this queue needs no limit of its own. */
  readonly #ofTeams: FairSemaphore;

  constructor({ triesPerMinute, callsPerSessionPerMinute }: Platform['signIn']) {
    this.#anonymousPerMinute = triesPerMinute * signInLimits.anonymousCallsPerTry;
    this.#perSessionPerMinute = callsPerSessionPerMinute;
    const { ofOneSession, waitingOfOneSession, ofOneTeam, timeoutMs } = signInLimits.callsAtOnce;
    this.#ofSessions = new FairSemaphore({
      perGroup: ofOneSession,
      waitingPerGroup: waitingOfOneSession,
      timeoutMs,
      refusal: () => new Problem('rate_limited', { retry_after: retrySeconds }),
    });
    this.#ofTeams = new FairSemaphore({
      perGroup: ofOneTeam,
      timeoutMs,
      refusal: () => ownShareInUse(retrySeconds),
    });
  }

  /**
   * Counts a call for its session. Without a session it counts for the person of a known browser, or else for the
   * network of the address: so other callers at the same address don't use up the person's calls. Throws 429 beyond the
   * limit.
   */
  count(visitor: Visitor): void {
    const { sessionToken, claimedBrowsers, address } = visitor;
    const [browser] = claimedBrowsers;
    const max = sessionToken === undefined ? this.#anonymousPerMinute : this.#perSessionPerMinute;
    const { used, wait } = this.#calls.count(sessionToken ?? browser?.personId ?? networkOf(address));
    if (used <= max) return;
    visitor.report('limited', { repeated: used > max + 1 });
    fail('rate_limited', { retry_after: wait });
  }

  /**
   * Waits until a call of the session may run, and returns the function that releases its slot. Throws 429 if too many
   * calls of the session wait, or if this one waits too long.
   */
  async turnOfSession({ sessionToken }: Visitor): Promise<() => void> {
    return sessionToken === undefined ? () => undefined : this.#ofSessions.acquire(sessionToken);
  }

  /** Like `turnOfSession`, for the calls of all people in a team, whose sessions take turns. */
  turnOfTeam(tenantId: string, { sessionToken = '' }: Pick<Visitor, 'sessionToken'>): Promise<() => void> {
    return this.#ofTeams.acquire(tenantId, sessionToken);
  }
}
