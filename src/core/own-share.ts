import { accessMessages } from './messages/people.ts';
import { Problem } from './problem.ts';

/**
 * The refusal of a request that waited in vain for its own team's share of the process, while other teams may have
 * theirs. Whatever every team would be refused for is `unavailable`.
 */
export const ownShareInUse = (retryAfterSeconds: number): Problem =>
  new Problem('rate_limited', { retry_after: retryAfterSeconds, detail: accessMessages.ownShareInUse });

/** Whether a problem is that refusal, and not a used-up budget. */
export const isOwnShareInUse = ({ spoken }: Problem): boolean => spoken.detail === accessMessages.ownShareInUse;
