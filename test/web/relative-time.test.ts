import { describe, expect, it } from 'vitest';
import { relativeTime } from '../../src/web/kit/text/relative-time.ts';

const now = new Date(2026, 10, 26, 16, 20);

describe('a relative time', () => {
  it.each([
    [new Date(2026, 10, 26, 16, 19, 59, 500), 'now'],
    [new Date(2026, 10, 26, 16, 19, 50), '10 seconds ago'],
    [new Date(2026, 10, 26, 15, 20), '1 hour ago'],
    [new Date(2026, 10, 25, 16, 20), 'yesterday'],
    [new Date(2026, 10, 26, 15, 21), '59 minutes ago'],
    [new Date(2026, 10, 26, 14, 21), '1 hour ago'],
    [new Date(2026, 10, 25, 16, 21), '23 hours ago'],
    [new Date(2026, 10, 25, 2, 5), 'yesterday'],
    [new Date(2026, 10, 24, 23, 59), '2 days ago'],
    [new Date(2026, 10, 21, 3, 6), '5 days ago'],
    [new Date(2026, 10, 19, 17, 0), '1 week ago'],
    [new Date(2026, 9, 20, 12, 0), '1 month ago'],
    [new Date(2025, 10, 26, 12, 0), '1 year ago'],
    [new Date(2026, 10, 26, 18, 19, 58), 'in 2 hours'],
    [new Date(2026, 10, 27, 16, 20), 'tomorrow'],
    [new Date(2026, 10, 29, 12, 0), 'in 3 days'],
  ])('%s is %s', (at, text) => {
    expect(relativeTime(at, 'en', now)).toBe(text);
  });

  it('has the words of the language', () => {
    expect(relativeTime(new Date(2026, 10, 24, 12, 0), 'de', now)).toBe('vorgestern');
  });
});
