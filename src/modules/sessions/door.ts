import { FairSemaphore } from '../../core/fair-semaphore.ts';
import { hashing } from '../../core/password.ts';
import type { HashingCaller } from '../../core/password.ts';
import { hashingLimits, signInLimits } from '../../core/limits.ts';
import { networkOf, WindowCounter } from '../../core/window-counter.ts';
import { fail, Problem, problemDetails } from '../../core/problem.ts';
import type { SignedIn } from './schema.ts';
import type { SessionMemory } from './session-memory.ts';
import { needTry } from './tries.ts';
import type { Visitor } from './visitor.ts';

interface Call {
  /** `entrance`: what needs no team. `inside`: everything else. */
  where: 'entrance' | 'inside';
  isChange: boolean;
  /** It takes access away from somebody who has stolen it. */
  isSafety: boolean;
}

/** How many calls the app takes from whom. One for each process that serves the app. */
export interface Door {
  /**
   * Counts a call in memory, by its session or, without one, by its address: a flood costs no look-up and no write. Throws 429
   * beyond the budget, and for a stranger's change that would find no place in the queue for hashing: `change` would refuse it
   * too, but only after its body was read and examined.
   */
  needCall(visitor: Visitor, call: Call): void;
  /**
   * Waits until this call of a signed-in person may be worked on, and returns what must be called once it is answered. Throws
   * 429 while too many calls of this person wait.
   */
  takeTurn(visitor: Visitor, call: { teamId: string | undefined; isSafety: boolean }): Promise<() => void>;
  /** Counts a person's call in the database, for all their browsers, teams and processes together. */
  countCall(visitor: Visitor, signedIn: SignedIn): Promise<void>;
  /** Counts a change that a person makes in a team, for all people of the team together. */
  countChange(visitor: Visitor, tenantId: string): Promise<void>;
  /**
   * Runs a change at the entrance, counted in the database. A change that hashes passwords needs a place in the queue for that,
   * and a stranger's always does. A known person who hashes too often counts and waits like a stranger.
   */
  change<T>(visitor: Visitor, change: { hashes: boolean; safety: boolean }, action: () => Promise<T>): Promise<T>;
  /** Runs the rest of a change in which somebody who is known tries what is not theirs: counted and queued like a stranger's. */
  asStranger<T>(visitor: Visitor, action: () => Promise<T>): Promise<T>;
}

interface Caller {
  /** Many browsers of one person wait as one caller. */
  waitsAs: HashingCaller;
  /** Each browser and each session has changes of its own: a thief of one cookie must not use up the others'. */
  countedAs: string;
}

const asStrangers = ({ address }: Visitor): HashingCaller => ({ lane: 'strangers', key: networkOf(address) });

/** Strangers cost nothing here; a session or a browser that is known is looked up. */
const callerOf = async (visitor: Visitor, signedIn: SignedIn | undefined): Promise<Caller> => {
  const person = (id: string): HashingCaller => ({ lane: 'known', key: `person ${id}` });
  if (signedIn) return { waitsAs: person(signedIn.personId), countedAs: `session ${signedIn.sessionId}` };
  const [browser] = await visitor.knownBrowsers();
  if (browser) return { waitsAs: person(browser.personId), countedAs: `browser ${browser.id}` };
  const waitsAs = asStrangers(visitor);
  return { waitsAs, countedAs: waitsAs.key };
};

const noTurn = (): void => undefined;

export const makeDoor = (triesPerMinute: number, sessions: SessionMemory): Door => {
  const most = triesPerMinute * signInLimits.anonymousCallsPerTry;
  const calls = new WindowCounter({ seconds: 60 });
  /** Who was refused for want of a place: a flood gives one line in the log for each network and minute. */
  const refused = new WindowCounter({ seconds: 60 });
  const reportBusy = (visitor: Visitor): void =>
    visitor.report('busy', { again: refused.count(networkOf(visitor.address)).used > 1 });

  const { callsPerPersonPerMinute, callsAtOnce } = signInLimits;
  const { ofKnownPersonPerMinute } = hashingLimits;
  const { ofOnePerson, waitingOfOnePerson, ofOneTeam, patienceMs } = callsAtOnce;
  /** Hashes of known people; counted in each process, as each has a queue of its own. */
  const hashesOfPeople = new WindowCounter({ seconds: 60 });
  const tooManyCalls = () => new Problem('rate_limited', { retry_after: 1 });
  const callsOfPeople = new FairSemaphore({
    perGroup: ofOnePerson,
    waitingPerGroup: waitingOfOnePerson,
    patienceMs,
    refusal: tooManyCalls,
  });
  // A call that waits here has one of its person's few places already, so the line needs no limit of its own.
  const callsOfTeams = new FairSemaphore({ perGroup: ofOneTeam, patienceMs, refusal: tooManyCalls });

  const needCallOfSession = (visitor: Visitor, token: string, { where, isChange, isSafety }: Call): void => {
    const { used, wait } = sessions.countCall(token);
    const owner = sessions.ownerOf(token);
    const isBeyond = used > callsPerPersonPerMinute;
    // Changes at the entrance have a budget of their own: whoever spends somebody's calls can't keep them from signing out.
    const what = where === 'entrance' && isChange ? 'changes' : 'calls';
    // Calls are counted for the person and changes for the session. Only this session's own calls count against those that end what
    // somebody else does in the person's name.
    const limited = what === 'changes' ? token : owner?.personId;
    const longer = limited !== undefined && !isSafety ? sessions.waitOf(limited, what) : 0;
    if (!isBeyond && longer === 0) return;
    visitor.report('limited', { personId: owner?.personId, again: used !== callsPerPersonPerMinute + 1 });
    fail('rate_limited', { retry_after: Math.max(isBeyond ? wait : 0, longer) });
  };

  /** Counts for the network and waits in the lane of strangers; a place in another lane is given back. */
  const runAsStranger = <T>(visitor: Visitor, action: () => Promise<T>): Promise<T> => {
    const waitsAs = asStrangers(visitor);
    const budget = { what: 'sign-in from', whom: waitsAs.key, most: triesPerMinute, seconds: 60 } as const;
    const limited = (first: boolean): void => visitor.report('limited', { again: !first });
    return hashing.move(
      waitsAs,
      async () => {
        await needTry(visitor.platform.database, { ...budget, onRefused: limited });
        return action();
      },
      () => reportBusy(visitor),
    );
  };

  return {
    needCall(visitor, call) {
      const { isChange } = call;
      if (visitor.sessionToken !== undefined) {
        needCallOfSession(visitor, visitor.sessionToken, call);
        return;
      }
      const [browser] = visitor.claimedBrowsers;
      const network = networkOf(visitor.address);
      // A browser in which somebody has signed in is not held up by others at the same address.
      const { used, wait } = calls.count(browser ? `person ${browser.personId}` : network);
      if (used > most) {
        visitor.report('limited', { again: used > most + 1 });
        fail('rate_limited', { retry_after: wait });
      }
      if (isChange && !browser && !hashing.hasPlace({ lane: 'strangers', key: network })) {
        reportBusy(visitor);
        fail('rate_limited', { retry_after: hashingLimits.retryAfterSeconds });
      }
    },

    async takeTurn({ sessionToken: token }, { teamId, isSafety }) {
      if (token === undefined) return noTurn;
      if (isSafety) return callsOfPeople.acquire(`safety of session ${token}`);
      const owner = sessions.ownerOf(token);
      const person = owner ? `person ${owner.personId}` : `session ${token}`;
      const endOfPerson = await callsOfPeople.acquire(person, token);
      // A team that is only named in the request is not made to wait for somebody who is not in it.
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
      needTry(visitor.platform.database, {
        what: 'calls of',
        whom: personId,
        most: callsPerPersonPerMinute,
        seconds: 60,
        onRefused: (first, wait) => {
          sessions.limit(personId, 'calls', wait);
          visitor.report('limited', { personId, again: !first });
        },
      }),

    countChange: (visitor, tenantId) =>
      needTry(visitor.platform.database, {
        what: 'changes in',
        whom: tenantId,
        most: signInLimits.changesPerTeamPerMinute,
        seconds: 60,
        detail: problemDetails.teamChanges,
        onRefused: (first) => visitor.report('limited', { again: !first }),
      }),

    async change(visitor, { hashes, safety }, action) {
      const signedIn = await visitor.signedIn();
      const { waitsAs, countedAs } = await callerOf(visitor, signedIn);
      const what = waitsAs.lane === 'strangers' ? 'sign-in from' : 'changes of';
      // Steps that end a stolen session have a budget of their own, which other changes of the same session don't spend.
      const ofSession = safety && signedIn ? `safety of session ${signedIn.sessionId}` : undefined;
      const budget = { what, whom: ofSession ?? countedAs, most: triesPerMinute, seconds: 60 } as const;
      const limited = (first: boolean, wait: number): void => {
        const token = visitor.sessionToken;
        if (signedIn && token !== undefined && ofSession === undefined) sessions.limit(token, 'changes', wait);
        visitor.report('limited', { again: !first });
      };
      const run = async () => {
        await needTry(visitor.platform.database, { ...budget, onRefused: limited });
        return action();
      };
      if (waitsAs.lane === 'known' && !hashes) return hashing.as(waitsAs, run);
      const isBeyond = waitsAs.lane === 'known' && hashesOfPeople.count(waitsAs.key).used > ofKnownPersonPerMinute;
      return isBeyond ? runAsStranger(visitor, run) : hashing.enter(waitsAs, run, () => reportBusy(visitor));
    },

    asStranger(visitor, action) {
      // A stranger has been counted, and has such a place.
      return hashing.lane() === 'strangers' ? action() : runAsStranger(visitor, action);
    },
  };
};
