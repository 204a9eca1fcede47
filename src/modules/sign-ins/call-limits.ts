import { FairSemaphore } from '../../core/fair-semaphore.ts';
import { hashingAs, hashingGroup, tooManyHashes } from '../../core/password.ts';
import { hashingLimits, signInLimits } from '../../core/limits.ts';
import { TtlMap } from '../../core/ttl-map.ts';
import { networkOf, WindowCounter } from '../../core/window-counter.ts';
import { problemDetails, fail, Problem } from '../../core/problem.ts';
import type { SignedIn } from './schema.ts';
import { spendTry } from './tries.ts';
import type { Visitor } from './visitor.ts';

// The limits of the app's calls: how many a person, a session, a team, a browser and a network may make, and how many run at once.
// A person is signed in, a known browser was signed in before; every other caller is a stranger.

interface Call {
  /** `entrance`: the procedures that need no team. `inside`: all others. */
  where: 'entrance' | 'inside';
  isChange: boolean;
  /** The call ends access that may be stolen: signing out, a new password, the second factor. */
  isSafety: boolean;
}

/** Each process that serves the app has one object of these limits. */
export interface CallLimits {
  /** Counts a call in memory, by its session or, without one, by its address, so that a flood causes no query. Throws 429 beyond the budget. */
  countCallInMemory(visitor: Visitor, call: Call): void;
  /** Waits until this call may run, and returns the function that ends its turn. Throws 429 while too many calls of the person wait. */
  takeTurn(
    visitor: Visitor,
    call: { teamId: string | undefined; isChange: boolean; isSafety: boolean },
  ): Promise<() => void>;
  /** Counts a person's call in the database, for all their browsers, teams and processes together. */
  countCall(visitor: Visitor, signedIn: SignedIn): Promise<void>;
  /** Counts a change that a person makes in a team, for all people of the team together. */
  countChange(visitor: Visitor, tenantId: string): Promise<void>;
  /** Runs a change at the entrance and counts it in the database. What a person's browsers hash waits as one caller. */
  change<T>(visitor: Visitor, change: { safety: boolean }, action: () => Promise<T>): Promise<T>;
  /** Runs the rest of a change of a known caller with the limits of a stranger: the caller tries another person's account. */
  asStranger<T>(visitor: Visitor, action: () => Promise<T>): Promise<T>;
}

const noTurn = (): void => undefined;

export const makeCallLimits = (triesPerMinute: number, sessions: SessionCache): CallLimits => {
  const most = triesPerMinute * signInLimits.anonymousCallsPerTry;
  const calls = new WindowCounter({ seconds: 60 });
  /** Networks that were refused because too many strangers were being served: a flood gives one log line for each network and minute. */
  const refusedNetworks = new WindowCounter({ seconds: 60 });
  const reportBusy = (visitor: Visitor): void =>
    visitor.report('busy', { repeated: refusedNetworks.count(networkOf(visitor.address)).used > 1 });

  const { callsPerPersonPerMinute, callsAtOnce } = signInLimits;
  const { ofOnePerson, waitingOfOnePerson, ofOneTeam, patienceMs } = callsAtOnce;
  const tooManyCalls = () => new Problem('rate_limited', { retry_after: 1 });
  const callsOfPeople = new FairSemaphore({
    perGroup: ofOnePerson,
    waitingPerGroup: waitingOfOnePerson,
    patienceMs,
    refusal: tooManyCalls,
  });
  // A call that waits here holds one of its person's few places already, so this queue needs no limit of its own.
  const callsOfTeams = new FairSemaphore({ perGroup: ofOneTeam, patienceMs, refusal: tooManyCalls });

  // A flood of strangers from many networks waits here, and signed-in people and known browsers pass it by.
  const readsOfStrangers = new FairSemaphore({ places: 8, perGroup: 'half', patienceMs: 1_500, refusal: tooManyCalls });

  // Most changes of strangers hash a password. Those beyond these places are refused at once, before any query.
  const changesOfStrangers = new FairSemaphore({
    places: hashingLimits.places,
    perGroup: 'half',
    waitingPerGroup: 0,
    refusal: tooManyHashes,
  });

  const countCallOfSession = (visitor: Visitor, token: string, { where, isChange, isSafety }: Call): void => {
    const { used, wait } = sessions.countCall(token);
    const owner = sessions.ownerOf(token);
    const isBeyond = used > callsPerPersonPerMinute;
    // Changes at the entrance have a budget of their own, so a thief who spends a person's calls can't keep them from signing out.
    const what = where === 'entrance' && isChange ? 'changes' : 'calls';
    // Calls are counted for the person, changes for the session. A safety call is limited by the calls of its own session only.
    const limited = what === 'changes' ? token : owner?.personId;
    const longer = limited !== undefined && !isSafety ? sessions.waitOf(limited, what) : 0;
    if (!isBeyond && longer === 0) return;
    visitor.report('limited', { personId: owner?.personId, repeated: used !== callsPerPersonPerMinute + 1 });
    fail('rate_limited', { retry_after: Math.max(isBeyond ? wait : 0, longer) });
  };

  const runAsStranger = <T>(visitor: Visitor, action: () => Promise<T>): Promise<T> => {
    const network = networkOf(visitor.address);
    const count = () =>
      spendTry(visitor.platform.database, {
        what: 'sign-in from',
        whom: network,
        most: triesPerMinute,
        seconds: 60,
        onRefused: (first) => visitor.report('limited', { repeated: !first }),
      });
    return hashingAs({ group: 'strangers', key: network, onRefused: () => reportBusy(visitor) }, () =>
      changesOfStrangers.run(network, async () => {
        await count();
        return action();
      }),
    );
  };

  return {
    countCallInMemory(visitor, call) {
      if (visitor.sessionToken !== undefined) {
        countCallOfSession(visitor, visitor.sessionToken, call);
        return;
      }
      const [browser] = visitor.claimedBrowsers;
      const network = networkOf(visitor.address);
      // A known browser is counted as its person, so that others at the same address don't spend its calls.
      const { used, wait } = calls.count(browser ? `person ${browser.personId}` : network);
      if (used > most) {
        visitor.report('limited', { repeated: used > most + 1 });
        fail('rate_limited', { retry_after: wait });
      }
    },

    async takeTurn({ sessionToken: token, claimedBrowsers, address }, { teamId, isChange, isSafety }) {
      if (token === undefined) {
        if (isChange || claimedBrowsers.length > 0) return noTurn;
        const end = await readsOfStrangers.acquire(networkOf(address));
        // In the next turn of the event loop: before that, requests of others are read from their sockets.
        return () => void setImmediate(end);
      }
      if (isSafety) return callsOfPeople.acquire(`safety of session ${token}`);
      const owner = sessions.ownerOf(token);
      const person = owner ? `person ${owner.personId}` : `session ${token}`;
      const endOfPerson = await callsOfPeople.acquire(person, token);
      // A person who is not in the named team must not take the team's places.
      if (teamId === undefined || !owner?.teamIds.has(teamId)) return endOfPerson;
      try {
        const endOfTeam = await callsOfTeams.acquire(teamId, person);
        return () => {
          endOfTeam();
          endOfPerson();
        };
      } catch (error) {
        endOfPerson();
        throw error;
      }
    },

    countCall: (visitor, { personId }) =>
      spendTry(visitor.platform.database, {
        what: 'calls of',
        whom: personId,
        most: callsPerPersonPerMinute,
        seconds: 60,
        onRefused: (first, wait) => {
          sessions.limit(personId, 'calls', wait);
          visitor.report('limited', { personId, repeated: !first });
        },
      }),

    countChange: (visitor, tenantId) =>
      spendTry(visitor.platform.database, {
        what: 'changes in',
        whom: tenantId,
        most: signInLimits.changesPerTeamPerMinute,
        seconds: 60,
        detail: problemDetails.teamChanges,
        onRefused: (first) => visitor.report('limited', { repeated: !first }),
      }),

    async change(visitor, { safety }, action) {
      const signedIn = await visitor.signedIn();
      const [browser] = signedIn ? [] : await visitor.knownBrowsers();
      const personId = signedIn?.personId ?? browser?.personId;
      if (personId === undefined) return runAsStranger(visitor, action);
      // Each browser and each session has its own count, so that a stolen cookie does not spend the others'. Safety calls have a budget of
      // their own, so that other changes of the same session don't spend it.
      const isSafety = safety && signedIn !== undefined;
      const countedAs = signedIn ? `session ${signedIn.sessionId}` : `browser ${browser?.id}`;
      const limited = (first: boolean, wait: number): void => {
        const token = visitor.sessionToken;
        if (signedIn && token !== undefined && !isSafety) sessions.limit(token, 'changes', wait);
        visitor.report('limited', { repeated: !first });
      };
      await spendTry(visitor.platform.database, {
        what: 'changes of',
        whom: isSafety ? `safety of ${countedAs}` : countedAs,
        most: triesPerMinute,
        seconds: 60,
        onRefused: limited,
      });
      return hashingAs({ group: 'known', key: personId, onRefused: () => reportBusy(visitor) }, action);
    },

    // A stranger was counted as one already.
    asStranger: (visitor, action) => (hashingGroup() === 'strangers' ? action() : runAsStranger(visitor, action)),
  };
};

/** How long the process remembers that a session has ended. */
const endedSeconds = 60;

/** The most sessions and people in memory; the oldest are dropped first. */
const capacity = 20_000;

/** Calls are limited for each person, changes at the entrance for each session. */
type Limited = 'calls' | 'changes';

interface Owner {
  readonly personId: string;
  readonly teamIds: ReadonlySet<string>;
}

/**
 * A cache of sessions by their tokens, with which a process refuses a call or lets it wait without a query. It decides nothing else:
 * every admitted call reads from the database who is signed in, and in which teams.
 */
export class SessionCache {
  readonly #ended = new WindowCounter({ seconds: endedSeconds });
  readonly #calls = new WindowCounter({ seconds: 60, capacity });
  readonly #owners = new TtlMap<Owner>({ capacity });
  /** Times of `Date.now()`. */
  readonly #limitedUntil = new TtlMap<number>({ capacity });

  hasEnded(token: string): boolean {
    return this.#ended.has(token);
  }

  /** Keeps the result of a look-up: the session's person, or that the session has ended. */
  note(token: string, signedIn: SignedIn | undefined): void {
    if (signedIn) {
      const teamIds = new Set(signedIn.teams.map(({ tenantId }) => tenantId));
      this.#owners.set(token, { personId: signedIn.personId, teamIds });
    } else {
      this.#owners.delete(token);
      this.#ended.count(token);
    }
  }

  /** The session's person at its last look-up. */
  ownerOf(token: string): Owner | undefined {
    return this.#owners.get(token);
  }

  /** Counts a call of this session in this process. */
  countCall(token: string): { used: number; wait: number } {
    return this.#calls.count(token);
  }

  /** Keeps that the database refused a person's calls or a session's changes, so that it is not queried again before they are allowed. */
  limit(whose: string, what: Limited, waitSeconds: number): void {
    this.#limitedUntil.set(`${what} ${whose}`, Date.now() + waitSeconds * 1000, {
      ttlMs: waitSeconds * 1000,
    });
  }

  /** For how many seconds this person or session is refused; 0 if it is not. */
  waitOf(whose: string, what: Limited): number {
    const until = this.#limitedUntil.get(`${what} ${whose}`) ?? 0;
    return Math.max(0, Math.ceil((until - Date.now()) / 1000));
  }
}
