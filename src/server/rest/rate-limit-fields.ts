import type { NamedBudget } from '../../modules/keys/admission.ts';

// The fields of draft-ietf-httpapi-ratelimit-headers, with every budget that a request counts in. Every answer of the API has them, so they
// are built without a library for structured fields: names and numbers need no escaping.

const windowSeconds = 60;

/** `"key";r=98;t=31, "team";r=412;t=31`: the rest of each budget, and the seconds until it starts again. */
export const rateLimitOf = (budgets: readonly NamedBudget[]): string => {
  let text = '';
  for (const { name, left, resetSeconds } of budgets)
    text += `${text === '' ? '' : ', '}"${name}";r=${left};t=${resetSeconds}`;
  return text;
};

/** `"key";q=120;w=60, "team";q=600;w=60`: the size of each budget, and of its window in seconds. */
export const rateLimitPolicyOf = (budgets: readonly NamedBudget[]): string => {
  let text = '';
  for (const { name, limit } of budgets) text += `${text === '' ? '' : ', '}"${name}";q=${limit};w=${windowSeconds}`;
  return text;
};
