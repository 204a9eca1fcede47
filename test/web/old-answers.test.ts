import { TRPCClientError } from '@trpc/client';
import { beforeEach, describe, expect, it } from 'vitest';
import { setCurrentLanguage } from '../../src/web/language/texts.ts';
import { ageText, oldestOf } from '../../src/web/layout/old-answers.ts';

beforeEach(() => setCurrentLanguage('de'));

const refused = (status: number) =>
  Object.assign(new TRPCClientError('refused'), { data: { problem: { code: 'any', request_id: 'r', status } } });
const lost = new TRPCClientError('fetch failed');

describe('the oldest answer on a page', () => {
  const answer = (at: number, error?: unknown) => ({
    status: error === undefined ? 'success' : 'error',
    data: {},
    error: error ?? null,
    dataUpdatedAt: at,
  });

  it.each([
    ['the server was not reached', lost, true],
    ['the server failed', refused(500), true],
    ['the server had no room', refused(503), true],
    ['there were too many calls', refused(429), true],
    // Then the data itself has changed.
    ['the caller may not see it any more', refused(403), false],
    ['it is gone', refused(404), false],
    ['it was refused just below', refused(499), false],
  ])('is one that could not be loaded again because %s, %s: %s', (_why, error, isOld) => {
    expect(oldestOf([answer(7, error)], false)).toBe(isOld ? 7 : undefined);
  });

  it('is the oldest of those, and of all while the server is lost', () => {
    const never = { status: 'error', data: undefined, error: lost, dataUpdatedAt: 0 };
    const answers = [answer(3), answer(9, lost), answer(5, lost), never];
    expect(oldestOf(answers, false)).toBe(5);
    expect(oldestOf(answers, true)).toBe(3);
    expect(oldestOf([never], true)).toBeUndefined();
    expect(oldestOf([], true)).toBeUndefined();
  });
});

it.each([
  [0, ''],
  [29_999, ''],
  [30_000, ' (vor 1 Minute)'],
  [89_999, ' (vor 1 Minute)'],
  [3_600_000, ' (vor 60 Minuten)'],
])('the time of an answer that is %i ms old has its age, in whole minutes: %j', (ms, age) => {
  const at = new Date(2026, 10, 20, 9, 5).getTime();
  expect(ageText(at, at + ms)).toBe(`09:05${age}`);
});
