import { expect, it } from 'vitest';
import { isoTime } from '../../src/db/query.ts';

it.each([
  ['2026-11-20 08:30:00+00', '2026-11-20T08:30:00.000Z'],
  ['2026-11-20 08:30:00.1+00', '2026-11-20T08:30:00.100Z'],
  ['2026-11-20 08:30:00.12+00', '2026-11-20T08:30:00.120Z'],
  ['2026-11-20 08:30:00.123+00', '2026-11-20T08:30:00.123Z'],
  ['2026-11-20 08:30:00.123456+00', '2026-11-20T08:30:00.123Z'],
])('isoTime: %s is %s', (text, iso) => {
  expect(isoTime(text)).toBe(iso);
  expect(new Date(isoTime(text)).toISOString()).toBe(iso);
});
