import { signInLimits } from '../../core/limits.ts';
import { needTry } from './tries.ts';
import type { SignedIn } from './schema.ts';
import type { Visitor } from './visitor.ts';

/** Whoever found an open session may not try out its person's password either. */
export const needProofTry = (visitor: Visitor, { personId }: SignedIn): Promise<void> =>
  needTry(visitor.platform.database, {
    what: 'proof of',
    whom: personId,
    ...signInLimits.triesPerAccountFromOnePlace,
    onRefused: (first) => visitor.report('limited', { personId, again: !first }),
  });
