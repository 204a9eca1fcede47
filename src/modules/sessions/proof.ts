import { signInLimits } from '../../core/limits.ts';
import { needTry } from './tries.ts';
import type { SignedIn } from './schema.ts';
import type { Visitor } from './visitor.ts';

/**
 * Somebody who found an open session may not try out its person's password there. Each session has tries of its own, so that a thief
 * can't use up those of the owner; it takes the password to get another session.
 */
export const needProofTry = (visitor: Visitor, { personId, sessionId }: SignedIn): Promise<void> =>
  needTry(visitor.platform.database, {
    what: 'proof of',
    whom: sessionId,
    ...signInLimits.triesPerAccountFromOnePlace,
    onRefused: (first) => visitor.report('limited', { personId, again: !first }),
  });
