import type { ZodError } from 'zod';
import { fieldMessages, messageOfIssue } from './messages/fields.ts';
import { Problem, type SpokenFlaw } from './problem.ts';

// The flaws that Zod finds in a value, in the form in which clients get them.

/** A body with many unknown keys must not cause an answer of ten times its size. */
export const flawsShown = 100;

/** The flaws that Zod found in a value, at most a hundred. */
export const flawsOf = (error: ZodError): SpokenFlaw[] => {
  const flaws: SpokenFlaw[] = [];
  for (const issue of error.issues) {
    const left = flawsShown - flaws.length;
    if (left <= 0) break;
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
    // The path of an unknown key ends with the key, like the paths of other flaws.
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys.slice(0, left))
        flaws.push({ path: [...path, key], code: issue.code, message: fieldMessages.unknown });
    } else flaws.push({ path, code: issue.code, message: messageOfIssue(issue) });
  }
  return flaws;
};

/**
 * The refusal of an input that only breaks a rule of the application: an issue of Zod with `params: { field }`. If it
 * is the only flaw, the problem has `field` and no `errors`. Otherwise it is one of the `errors`.
 */
export const refusalOfField = ({ issues }: ZodError): Problem | undefined => {
  const [issue] = issues;
  const field: unknown = issue?.code === 'custom' && issues.length === 1 ? issue.params?.['field'] : undefined;
  if (!issue || typeof field !== 'string') return undefined;
  return new Problem('validation_error', { field, detail: messageOfIssue(issue) });
};
