import { accessMessages } from './messages/people.ts';
import { Problem } from './problem.ts';

/**
 * The refusal of a request that did not get a slot because its own team used its share of the process; other teams may
 * still get theirs. A request is `unavailable` if every team would be refused.
 */
export const ownShareInUse = (retryAfterSeconds: number): Problem =>
  new Problem('rate_limited', { retry_after: retryAfterSeconds, detail: accessMessages.ownShareInUse });

/** Whether a problem is this refusal. `rate_limited` also means a used-up budget. */
export const isOwnShareInUse = ({ spoken }: Problem): boolean => spoken.detail === accessMessages.ownShareInUse;
