import type { ZodError } from 'zod';
import type { Flaw } from './problem.ts';

/** A body of nothing but unknown keys must not come back ten times its size. */
const flawsShown = 100;

/** What is wrong with a value, a flaw for each place, as far as the first hundred. */
export const flawsOf = (error: ZodError): Flaw[] => {
  const flaws: Flaw[] = [];
  for (const issue of error.issues) {
    const left = flawsShown - flaws.length;
    if (left <= 0) break;
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
    // An unknown key is named by the path, as every other flaw is.
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys.slice(0, left))
        flaws.push({ path: [...path, key], code: issue.code, message: 'Unknown key' });
    } else flaws.push({ path, code: issue.code ?? 'custom', message: issue.message });
  }
  return flaws;
};
