import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastWeeks, mondayOf, differenceOfMeans, meanOf } from '../../src/modules/analytics/service.ts';

/** Reads a decimal text as a whole number of tenths (or ones), without using a double. */
const scaled = (value: number, decimals: number): bigint => {
  const [whole = '', fraction = ''] = String(value).split('.');
  expect(fraction.length).toBeLessThanOrEqual(decimals);
  return BigInt(whole + fraction.padEnd(decimals, '0'));
};

const size = (value: bigint) => (value < 0n ? -value : value);

/** Whether `rounded` is nearest to the fraction; of two equally near values, the one farther from zero. */
const expectNearest = (rounded: bigint, numerator: bigint, denominator: bigint) => {
  const error = size(rounded * denominator - numerator) * 2n;
  expect(error <= denominator).toBe(true);
  if (error === denominator) expect(size(rounded) * denominator > size(numerator)).toBe(true);
};

const count = fc.integer({ min: 1, max: 2_000_000 });
const sum = fc.integer({ min: 0, max: 2_000_000_000 });
const decimals = fc.constantFrom(0, 1);

describe('a mean', () => {
  it.each([
    [0, 0, null],
    [0, 7, 0],
    [5, 2, 2.5],
    [200, 3, 66.7],
  ])('of %i over %i is %s', (total, of, expected) => {
    expect(meanOf({ sum: total, count: of }, 1)).toBe(expected);
  });

  it('is the nearest decimal; of two equally near ones, the one farther from zero', () => {
    fc.assert(
      fc.property(sum, count, decimals, (total, of, places) => {
        const mean = meanOf({ sum: total, count: of }, places) ?? NaN;
        expectNearest(scaled(mean, places), BigInt(total) * 10n ** BigInt(places), BigInt(of));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is rounded away from zero exactly in the middle, which a double can miss', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 1, max: 100_000 }), (tenths, of) => {
        const total = (2 * tenths + 1) * of;
        expect(meanOf({ sum: total, count: 20 * of }, 1)).toBe((tenths + 1) / 10);
      }),
    );
  });
});

describe('a difference of means', () => {
  it.each<[recent: [number, number], earlier: [number, number], difference: number | null]>([
    [[0, 0], [50, 1], null],
    [[50, 1], [0, 0], null],
    [[50, 1], [50, 1], 0],
    [[1, 20], [0, 1], 0.1],
    [[0, 1], [1, 20], -0.1],
    [[0, 1], [1, 21], 0],
    [[7, 20], [6, 20], 0.1],
    // 0.36 and 0.32: if each were rounded first, they would differ by 0.1.
    [[9, 25], [8, 25], 0],
    [[2, 3], [1, 3], 0.3],
    [[1, 3], [2, 3], -0.3],
  ])('%j minus %j is %s', ([sumA, countA], [sumB, countB], expected) => {
    expect(differenceOfMeans({ sum: sumA, count: countA }, { sum: sumB, count: countB }, 1)).toBe(expected);
  });

  it('is the nearest decimal to the exact difference, and the opposite the other way round', () => {
    fc.assert(
      fc.property(sum, count, sum, count, (sumA, countA, sumB, countB) => {
        const [a, b] = [
          { sum: sumA, count: countA },
          { sum: sumB, count: countB },
        ];
        const difference = differenceOfMeans(a, b, 1) ?? NaN;
        const exact = BigInt(sumA) * BigInt(countB) - BigInt(sumB) * BigInt(countA);
        expectNearest(scaled(difference, 1), 10n * exact, BigInt(countA) * BigInt(countB));
        expect((differenceOfMeans(b, a, 1) ?? NaN) + difference).toBe(0);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the calendar', () => {
  it.each<[time: string, week: string]>([
    ['2026-11-15T23:59:59.999Z', '2026-11-09'],
    ['2026-11-16T00:00:00.000Z', '2026-11-16'],
    ['2027-01-01T12:00:00.000Z', '2026-12-28'],
    ['1970-01-01T00:00:00.000Z', '1969-12-29'],
    ['1969-12-28T23:59:59.999Z', '1969-12-22'],
    ['2024-02-29T00:00:00.000Z', '2024-02-26'],
  ])('%s is in the week of %s', (time, week) => {
    expect(mondayOf(new Date(time))).toBe(week);
  });

  it('goes back twelve weeks, over the end of a year', () => {
    const weeks = ['2026-10-19', '2026-10-26', '2026-11-02', '2026-11-09', '2026-11-16', '2026-11-23', '2026-11-30'];
    const more = ['2026-12-07', '2026-12-14', '2026-12-21', '2026-12-28', '2027-01-04'];
    expect(lastWeeks(new Date('2027-01-04T00:00:00.000Z'), 12)).toEqual([...weeks, ...more]);
    expect(lastWeeks(new Date('2027-01-10T23:59:59.999Z'), 12)).toEqual([...weeks, ...more]);
    expect(lastWeeks(new Date('2027-01-03T23:59:59.999Z'), 1)).toEqual(['2026-12-28']);
  });
});
