import { hashing } from '../../core/hashing.ts';
import type { HashingCaller } from '../../core/hashing.ts';
import { hashingLimits, signInLimits } from '../../core/limits.ts';
import { networkOf } from '../../core/network-of.ts';
import { fail } from '../../core/problem.ts';
import { WindowCounter } from '../../core/window-counter.ts';
import { needTry } from './tries.ts';
import type { Visitor } from './visitor.ts';

/** What an anonymous caller may do at the app's entrance. One for each process that serves the app. */
export interface Door {
  /**
   * Counts a call by somebody without a session, in memory: a flood costs no write. Throws 429 beyond the budget, and for a
   * stranger's change that would find no place in the queue for hashing: `change` would refuse it too, but only after its
   * body was read and examined.
   */
  needCall(visitor: Visitor, call: { isChange: boolean }): void;
  /** Runs a change at the entrance: with a place in the queue for hashing, and counted in the database. */
  change<T>(visitor: Visitor, action: () => Promise<T>): Promise<T>;
}

/** As whom somebody waits. Strangers cost nothing here; a session or a browser that is known is looked up. */
const callerOf = async (visitor: Visitor): Promise<HashingCaller> => {
  const signedIn = await visitor.signedIn();
  if (signedIn) return { lane: 'known', key: `person ${signedIn.personId}` };
  const [browser] = await visitor.knownBrowsers();
  if (browser) return { lane: 'known', key: `browser ${browser.id}` };
  return { lane: 'strangers', key: networkOf(visitor.address) };
};

export const makeDoor = (triesPerMinute: number): Door => {
  const most = triesPerMinute * signInLimits.anonymousCallsPerTry;
  const calls = new WindowCounter({ seconds: 60 });
  /** Who was refused for want of a place: a flood gives one line in the log for each network and minute. */
  const refused = new WindowCounter({ seconds: 60 });
  const reportBusy = (visitor: Visitor): void =>
    visitor.report('busy', { again: refused.count(networkOf(visitor.address)).used > 1 });
  return {
    needCall(visitor, { isChange }) {
      if (visitor.claimsSession) return;
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

    async change(visitor, action) {
      const caller = await callerOf(visitor);
      const counted = caller.lane === 'strangers' ? 'sign-in from' : 'changes of';
      const budget = { what: counted, whom: caller.key, most: triesPerMinute, seconds: 60 } as const;
      const limited = (first: boolean) => visitor.report('limited', { again: !first });
      return hashing.enter(
        caller,
        async () => {
          await needTry(visitor.platform.database, { ...budget, onRefused: limited });
          return action();
        },
        () => reportBusy(visitor),
      );
    },
  };
};
