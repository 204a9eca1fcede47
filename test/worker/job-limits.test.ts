import { describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { mailFlags } from '../../src/modules/mail/service.ts';
import { JobLimits, jobsAtOnce, mailsOfTeamsAtOnce } from '../../src/worker/job-limits.ts';

const mail = (tenantId: string | null, recipient: string) => mailFlags({ tenantId, recipient });

/** Holds jobs with these flags until one of the flags is full, and returns how many they were. */
const heldUntilFull = (limits: JobLimits, flagsOf: (at: number) => string[]): number => {
  let held = 0;
  for (; held < 100 && !limits.isFull(flagsOf(held)); held += 1) limits.hold(flagsOf(held));
  return held;
};

describe('the jobs that a worker runs at once', () => {
  it('are at most two mails of one team, whoever gets them', () => {
    const team = makeId();
    expect(heldUntilFull(new JobLimits(), (at) => mail(team, `anna@domain-${at}.example`))).toBe(2);
  });

  it('are at most two mails to one domain in any case, of any teams and of none', () => {
    const limits = new JobLimits();
    const teams = [makeId(), null];
    const domains = ['example.com', 'EXAMPLE.com'];
    expect(heldUntilFull(limits, (at) => mail(teams[at] ?? makeId(), `anna@${domains[at] ?? 'example.com'}`))).toBe(2);
    expect(limits.isFull(mail(makeId(), 'anna@example.org'))).toBe(false);
    // The domain is what follows the last @.
    expect(limits.isFull(mail(null, '"anna@example.org"@example.com'))).toBe(true);
  });

  it('are mails of teams up to a number that leaves slots to mails of no team, which leave one to other jobs', () => {
    const limits = new JobLimits();
    const some = (tenantId: () => string | null) => (at: number) => mail(tenantId(), `anna@domain-${at}.example`);
    expect(heldUntilFull(limits, some(makeId))).toBe(mailsOfTeamsAtOnce);
    const others = heldUntilFull(limits, (at) => mail(null, `anna@other-${at}.example`));
    expect(others).toBe(2);
    expect(mailsOfTeamsAtOnce + others).toBeLessThan(jobsAtOnce - 2);
  });

  it('have room again once one has ended; what is full is named only while it is', () => {
    const limits = new JobLimits();
    expect(limits.full()).toBeNull();
    const [first, second] = [limits.hold(['a', 'b']), limits.hold(['a'])];
    expect(limits.full()).toEqual(['a']);
    second();
    expect([limits.full(), limits.isFull(['a', 'b'])]).toEqual([null, false]);
    limits.hold(['b']);
    expect([limits.full(), limits.isFull(['a']), limits.isFull(['a', 'b'])]).toEqual([['b'], false, true]);
    first();
    expect([limits.full(), limits.isFull(['b'])]).toEqual([null, false]);
  });
});
