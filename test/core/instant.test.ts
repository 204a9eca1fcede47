import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { daysToMs, later, readInstant, secondsUntil, utcDay } from '../../src/core/clock.ts';
import { anyCharacter } from '../support/any-character.ts';

const read = (text: string) => readInstant(text)?.toISOString();

/** Every time that can be stored, to the millisecond. */
const time = fc.date({
  min: new Date('0001-01-01T00:00:00.000Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

const offset = fc.record({ sign: fc.constantFrom(1, -1), hours: fc.nat(23), minutes: fc.nat(59) });
const two = (number: number) => String(number).padStart(2, '0');

describe('readInstant', () => {
  it.each([
    ['2026-11-20T08:30:00Z', '2026-11-20T08:30:00.000Z'],
    ['2026-11-20T08:30:00.000Z', '2026-11-20T08:30:00.000Z'],
    // lower case
    ['2026-11-20t08:30:00z', '2026-11-20T08:30:00.000Z'],
    ['2026-11-20t08:30:00.5+00:00', '2026-11-20T08:30:00.500Z'],
    // offsets
    ['2026-11-20T09:30:00+01:00', '2026-11-20T08:30:00.000Z'],
    ['2026-11-20T00:30:00+14:00', '2026-11-19T10:30:00.000Z'],
    ['2026-11-19T19:45:00-12:45', '2026-11-20T08:30:00.000Z'],
    ['2026-11-20T08:30:00-00:00', '2026-11-20T08:30:00.000Z'],
    ['2026-11-20T23:59:59+23:59', '2026-11-20T00:00:59.000Z'],
    // the leap second is the one after it
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2016-12-31T18:59:60.5-05:00', '2017-01-01T00:00:00.500Z'],
    // finer than milliseconds: up, so that a lower bound lets in what it should and no more
    ['2026-11-20T08:30:00.1Z', '2026-11-20T08:30:00.100Z'],
    ['2026-11-20T08:30:00.001000Z', '2026-11-20T08:30:00.001Z'],
    ['2026-11-20T08:30:00.0001Z', '2026-11-20T08:30:00.001Z'],
    ['2026-11-20T08:30:00.123456789Z', '2026-11-20T08:30:00.124Z'],
    ['2026-11-20T08:30:00.1239999Z', '2026-11-20T08:30:00.124Z'],
    ['2026-11-20T08:30:59.9991Z', '2026-11-20T08:31:00.000Z'],
    ['2026-12-31T23:59:59.99900001Z', '2027-01-01T00:00:00.000Z'],
    [`2026-11-20T08:30:00.${'0'.repeat(978)}1Z`, '2026-11-20T08:30:00.001Z'],
    // leap years
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    // the ends of the calendar, and beyond them the nearest time that can be kept
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0004-02-29T00:00:00Z', '0004-02-29T00:00:00.000Z'],
    ['0099-06-01T00:00:00Z', '0099-06-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['0000-12-31T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00+23:59', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.9999Z', '9999-12-31T23:59:59.999Z'],
    ['9999-12-31T23:59:59-23:59', '9999-12-31T23:59:59.999Z'],
  ])('%s is %s', (text, expected) => expect(read(text)).toBe(expected));

  it.each([
    ['a date alone', '2026-11-20'],
    ['a time alone', '08:30:00Z'],
    ['no offset', '2026-11-20T08:30:00'],
    ['an offset whose + became a space', '2026-11-20T08:30:00 01:00'],
    ['a space between date and time', '2026-11-20 08:30:00Z'],
    ['no seconds', '2026-11-20T08:30Z'],
    ['a fraction of nothing', '2026-11-20T08:30:00.Z'],
    ['a comma', '2026-11-20T08:30:00,5Z'],
    ['an offset without minutes', '2026-11-20T08:30:00+01'],
    ['an offset without a colon', '2026-11-20T08:30:00+0100'],
    ['an offset of a day', '2026-11-20T08:30:00+24:00'],
    ['an offset of sixty minutes', '2026-11-20T08:30:00+01:60'],
    ['month 0', '2026-00-20T08:30:00Z'],
    ['month 13', '2026-13-20T08:30:00Z'],
    ['day 0', '2026-11-00T08:30:00Z'],
    ['November 31', '2026-11-31T08:30:00Z'],
    ['February 29 of no leap year', '2026-02-29T08:30:00Z'],
    ['February 29 of a century', '1900-02-29T08:30:00Z'],
    ['February 30', '2024-02-30T08:30:00Z'],
    ['hour 24', '2026-11-20T24:00:00Z'],
    ['minute 60', '2026-11-20T08:60:00Z'],
    ['second 61', '2026-11-20T08:30:61Z'],
    ['a year of five digits', '10000-01-01T00:00:00Z'],
    ['a signed year', '+002026-11-20T08:30:00Z'],
    ['a negative year', '-0001-11-20T08:30:00Z'],
    ['seconds since 1970', '1795163400'],
    ['other digits', '２０２６-11-20T08:30:00Z'],
    ['a line feed behind it', '2026-11-20T08:30:00Z\n'],
    ['a space before it', ' 2026-11-20T08:30:00Z'],
    ['a word', 'yesterday'],
    ['nothing', ''],
    ['a text of more than a thousand characters', `2026-11-20T08:30:00.${'1'.repeat(980)}Z`],
  ])('%s is refused', (_what, text) => expect(readInstant(text)).toBeUndefined());

  it('reads what every answer writes', () => {
    fc.assert(
      fc.property(time, (at) => {
        expect(readInstant(at.toISOString())).toEqual(at);
      }),
    );
  });

  it('accepts offsets: the same time with another offset is equal', () => {
    fc.assert(
      fc.property(time, offset, (at, { sign, hours, minutes }) => {
        const local = new Date(at.getTime() + sign * (hours * 60 + minutes) * 60_000);
        fc.pre(local.getUTCFullYear() >= 1 && local.getUTCFullYear() <= 9999);
        const text = `${local.toISOString().slice(0, -1)}${sign === 1 ? '+' : '-'}${two(hours)}:${two(minutes)}`;
        expect(readInstant(text)).toEqual(at);
      }),
    );
  });

  it('rounds a finer time up, so that as a lower bound it excludes nothing after it', () => {
    const digits = fc.array(fc.nat(9), { minLength: 1, maxLength: 12 }).map((all) => all.join(''));
    fc.assert(
      fc.property(time, digits, (at, fraction) => {
        const whole = Math.floor(at.getTime() / 1000) * 1000;
        fc.pre(whole < Date.parse('9999-12-31T23:59:59Z'));
        const bound = readInstant(`${new Date(whole).toISOString().slice(0, 19)}.${fraction}Z`);
        // Computed exactly, in picoseconds.
        const wanted = BigInt(fraction.padEnd(12, '0'));
        const got = BigInt((bound?.getTime() ?? 0) - whole) * 1_000_000_000n;
        expect(got).toBeGreaterThanOrEqual(wanted);
        expect(got - wanted).toBeLessThan(1_000_000_000n);
      }),
    );
  });

  it('returns a time that can be stored or undefined, for any text', () => {
    const part = fc.nat(99).map(two);
    const nearly = fc
      .tuple(fc.nat(9999), part, part, part, part, part, fc.constantFrom('', '.5', '.9999'), offset)
      .map(
        ([year, month, day, hour, minute, second, fraction, { sign, hours, minutes }]) =>
          `${String(year).padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}${fraction}${sign === 1 ? '+' : '-'}${two(hours)}:${two(minutes)}`,
      );
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), nearly), (text) => {
        const written = read(text);
        if (written !== undefined) expect(written).toMatch(/^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      }),
      { numRuns: 500, examples: [['2026-11-20T08:30:00Z']] }, // there may be no time among the others
    );
  });
});

describe('a time until another', () => {
  const now = new Date('2026-11-20T08:30:00.000Z');

  it.each([
    [-5_000, 1],
    [0, 1],
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [daysToMs(1), 86_400],
  ])('of %d ms is %d whole seconds to wait, at least one', (milliseconds, seconds) => {
    expect(secondsUntil(later(now, milliseconds), now)).toBe(seconds);
  });
});

it('the day of a time is that of UTC', () => {
  expect(utcDay(new Date('2026-11-20T00:30:00+01:00'))).toBe('2026-11-19');
});
