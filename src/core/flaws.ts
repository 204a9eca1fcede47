import type { ZodError } from 'zod';
import type { Flaw } from './problem.ts';

/** A body of nothing but unknown keys must not come back ten times its size. */
const flawsShown = 100;

/** What is wrong with a value, a flaw for each place. */
export const flawsOf = (error: ZodError): Flaw[] =>
  error.issues
    .flatMap((issue): Flaw[] => {
      const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
      // An unknown key is named by the path, as every other flaw is.
      if (issue.code === 'unrecognized_keys') {
        return issue.keys.map((key) => ({ path: [...path, key], code: issue.code, message: 'Unknown key' }));
      }
      return [{ path, code: issue.code ?? 'custom', message: issue.message }];
    })
    .slice(0, flawsShown);
