import { expect, it } from 'vitest';
import { readSpan } from '../../src/packages/sandbox/span.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

it.each([
  ['+1s', 1_000],
  ['+90s', 90_000],
  ['+2m', 2 * minute],
  ['+3h', 3 * hour],
  ['+4d', 4 * day],
  ['+5w', 35 * day],
  ['+1d12h', 36 * hour],
  ['+1w1d1h1m1s', 8 * day + hour + minute + 1_000],
  ['+400d', 400 * day],
])('the clock of a sandbox is moved by %s, which are %i ms', (text, ms) => {
  expect(readSpan(text)).toBe(ms);
});

it.each([
  '',
  '+',
  '1d',
  '-1d',
  '+1',
  '+d',
  '+1y',
  '+1.5d',
  '+1D',
  ' +1d',
  '+1d ',
  '+0s',
  '+400d1s',
  '+1234567890s',
  '+99999w',
])('the clock is not moved by %j', (text) => {
  expect(readSpan(text)).toBeUndefined();
});
