import { Problem } from '../core/problem.ts';
import { isUnavailable } from '../db/unavailable.ts';

/** What went wrong, in the catalogue's terms: a problem as it is, the database away, or else a bug of ours. */
export const problemOf = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  return new Problem(isUnavailable(error) ? 'unavailable' : 'internal');
};
