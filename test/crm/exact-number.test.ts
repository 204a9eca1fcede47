import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExactNumber, parseExactly } from '../../src/core/exact-json.ts';
import { decimalText } from '../../src/modules/crm/providers/answer.ts';

describe('a number of a CRM', () => {
  it.each([
    ['18400.50', '18400.50'],
    ['12345678901234567890', '12345678901234567890'],
    ['0.10', '0.10'],
    ['-0', '-0'],
    ['7', '7'],
    ['1.5e3', '1500'],
    ['1.25E1', '12.5'],
    ['12e-4', '0.0012'],
    ['1e21', '1000000000000000000000'],
    ['"18400.50"', '18400.50'],
    ['12e-2', '0.12'],
    ['0.0015e3', '1.5'],
    ['0.0015e1', '0.015'],
    ['1e100', `1${'0'.repeat(100)}`],
    [`"${'1'.repeat(60)}.${'2'.repeat(40)}"`, `${'1'.repeat(60)}.${'2'.repeat(40)}`],
  ])('%s keeps its digits: %s', (json, decimal) => {
    expect(decimalText(parseExactly(json))).toBe(decimal);
  });

  it.each([
    '"12,5"',
    '"1 000"',
    '""',
    '"NaN"',
    'true',
    'null',
    '[1]',
    '1e101',
    '1e-101',
    '1e400',
    `"${'1'.repeat(101)}"`,
    `"${'1'.repeat(60)}.${'2'.repeat(41)}"`,
  ])('%s is refused', (json) => {
    expect(decimalText(parseExactly(json))).toBeUndefined();
  });

  it('is an ordinary number if JavaScript writes the same digits, and always has the same value', () => {
    expect(parseExactly('{"a":40,"b":1.25,"c":[null,"x",true]}')).toEqual({ a: 40, b: 1.25, c: [null, 'x', true] });
    expect(Number(parseExactly('40.0'))).toBe(40);
  });

  it('is found in any JSON, and nothing else is changed', () => {
    /** JSON of a value, with something else in place of each exact number. */
    const instead = (value: unknown, of: (exact: ExactNumber) => unknown): string =>
      JSON.stringify(value, function (this: Record<string, unknown>, key, written: unknown) {
        const inner = this[key];
        return inner instanceof ExactNumber ? of(inner) : written;
      });
    const sources = (value: unknown): unknown => JSON.parse(instead(value, ({ source }) => ({ source })));
    expect(sources(parseExactly('{"a\\"1.0":["\\\\",1.0,"2.0",{"t":"09:30:00","n":-0.50}]}'))).toEqual({
      'a"1.0': ['\\', { source: '1.0' }, '2.0', { t: '09:30:00', n: { source: '-0.50' } }],
    });
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(instead(parseExactly(json), Number)).toBe(JSON.stringify(JSON.parse(json)));
        // A number with more digits is found, whatever comes before it.
        expect(parseExactly(`[${json},7.10]`)).toEqual([expect.toSatisfy(() => true), new ExactNumber('7.10')]);
      }),
    );
  });

  it('has the same value, however it is written', () => {
    const digits = fc.stringMatching(/^(0|[1-9]\d{0,15})(\.\d{1,15})?([eE][+-]?\d{1,2})?$/);
    fc.assert(
      fc.property(digits, fc.boolean(), (text, negative) => {
        const written = negative ? `-${text}` : text;
        const decimal = decimalText(parseExactly(written));
        expect(decimal).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(decimal)).toBe(Number(written));
      }),
    );
  });
});
