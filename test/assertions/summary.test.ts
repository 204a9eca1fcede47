import { expect, it } from 'vitest';
import { summaryOf } from '../support/summary-reporter.ts';

const passed = { file: 'a.test.ts', state: 'passed' } as const;
const skipped = { file: 'b.test.ts', state: 'skipped' } as const;

it('the summary of a run names what was skipped, and why', () => {
  const tests = [passed, skipped, { ...skipped, note: 'promtool is missing' }, { ...skipped, file: 'c.test.ts' }];
  expect(summaryOf(tests)).toBe(
    `NOT TESTED: 2 of b.test.ts; promtool is missing
NOT TESTED: 1 of c.test.ts
1 passed, 0 failed, 3 skipped`,
  );
  expect(summaryOf(tests, { isChosen: true })).toBe('1 passed, 0 failed, 3 skipped');
});

it('counts a file that could not be loaded as failed', () => {
  expect(summaryOf([passed], { failed: 1 })).toBe('1 passed, 1 failed, 0 skipped');
});
