import { expect } from 'vitest';
import type { Answer } from '../support/client.ts';
import type { DescribedOperation } from './described-api.ts';
import { codeOf } from './judge.ts';

/** The answers of an operation, with their counts. */
export interface Coverage {
  readonly statuses: Map<number, number>;
  readonly codes: Set<unknown>;
  /** How often a page led to the next one. */
  followed: number;
}

export const noCoverage = (): Coverage => ({ statuses: new Map(), codes: new Set(), followed: 0 });

export const note = ({ statuses, codes }: Coverage, answer: Answer): void => {
  statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  if (answer.status >= 400) codes.add(codeOf(answer));
};

/** Problems that the worlds and the requests should cause in every operation that can answer with them. */
const provoked: ReadonlySet<string> = new Set([
  'not_found',
  'owner',
  'vorgabe_gesperrt',
  'kombination_ungueltig',
  'idempotency_mismatch',
]);

export interface CoverageWanted {
  readonly requestsEach: number;
  /** Whether there are enough requests to cause each of these problems. */
  readonly expectsEveryProblem: boolean;
}

/** With fewer kinds of answers, the requests would no longer test the operation. */
export const expectCovered = (
  { route, codes, inQuery }: DescribedOperation,
  seen: Coverage,
  { requestsEach: requests, expectsEveryProblem }: CoverageWanted,
): void => {
  const successes = [...seen.statuses].filter(([status]) => status < 300).reduce((sum, [, count]) => sum + count, 0);
  expect(successes, `${route} succeeds`).toBeGreaterThanOrEqual(requests / 50);
  expect(seen.statuses.get(422) ?? 0, `${route} refuses`).toBeGreaterThanOrEqual(requests / 10);
  if (inQuery.some(({ name }) => name === 'cursor')) {
    expect(seen.followed, `${route} has pages`).toBeGreaterThanOrEqual(requests / 50);
  }
  if (!expectsEveryProblem) return;
  for (const code of codes.filter((one) => provoked.has(one))) expect(seen.codes, route).toContain(code);
};

export const summaryOf = ({ statuses, followed }: Coverage): string =>
  [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status}: ${count}`)
    .join('  ')
    .concat(followed > 0 ? `  followed: ${followed}` : '');
