import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactly } from '../../src/core/exact-json.ts';
import { sizeOfJson } from '../../src/core/json.ts';
import { anyCharacter } from '../support/any-character.ts';

const number = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,30}$/)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,30}$/)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?\d{1,2}$/)),
  )
  .map((parts) => parts.join(''));

/** JSON without spaces. The values of equal keys, and the order of keys that look like numbers, would not be kept. */
const json = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('null', 'true', 'false'),
    number,
    fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
    fc.array(tie('value')).map((values) => `[${values.join(',')}]`),
    fc
      .uniqueArray(fc.tuple(fc.stringMatching(/^[a-z "\\[\]{},:]+$/), tie('value')), { selector: ([key]) => key })
      .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
  ),
})).value;

describe('parsing with all digits', () => {
  it('keeps every number as it was written', () => {
    fc.assert(
      fc.property(json, (text) => {
        expect(JSON.stringify(parseExactly(text))).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(['1.10', '-0', '1e5', '1E-400', '12345678901234567890', '0.1000000000000000055511151231257827'])(
    'keeps %s, whatever surrounds it',
    (digits) => {
      expect(JSON.stringify(parseExactly(` [ ${digits} , { "a" : ${digits} } ] `))).toBe(`[${digits},{"a":${digits}}]`);
    },
  );

  it('uses the last one of equal keys', () => {
    expect(JSON.stringify(parseExactly('{"a":1.10,"a":1.20}'))).toBe('{"a":1.20}');
  });
});

describe('the size of a JSON text', () => {
  it('counts values, keys and levels like parsing', () => {
    const count = (value: unknown): { values: number; keys: number; depth: number } => {
      if (typeof value !== 'object' || value === null) return { values: 1, keys: 0, depth: 0 };
      const inside = Object.values(value).map(count);
      return {
        values: inside.reduce((sum, { values }) => sum + values, 1),
        keys: inside.reduce((sum, { keys }) => sum + keys, Array.isArray(value) ? 0 : Object.keys(value).length),
        depth: 1 + Math.max(0, ...inside.map(({ depth }) => depth)),
      };
    };
    // Texts, too, have the characters that JSON is made of.
    const stringUnit = fc.oneof(anyCharacter, fc.constantFrom(...'{}[],:"\\ '));
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5, stringUnit }), fc.nat(4), (given, spaces) => {
        const text = JSON.stringify(given, undefined, spaces);
        expect(sizeOfJson(text)).toEqual(count(JSON.parse(text)));
      }),
    );
  });

  it.each([
    ['[ ]', { values: 1, keys: 0, depth: 1 }],
    ['{\n\t}', { values: 1, keys: 0, depth: 1 }],
    [String.raw`{"a\"b,{[:":"x,y:[{}]\\"}`, { values: 2, keys: 1, depth: 1 }],
    [String.raw`["\\",["\"]"]]`, { values: 4, keys: 0, depth: 2 }],
  ])('of %s is %j', (text, size) => {
    expect(() => JSON.parse(text)).not.toThrow();
    expect(sizeOfJson(text)).toEqual(size);
  });

  it('counts equal keys each', () => {
    expect(sizeOfJson('{"a":1,"a":[{}]}')).toEqual({ values: 4, keys: 2, depth: 3 });
  });

  it('is found for every text, JSON or not', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'{}[],:"\\-+.0e1u ') })), (text) => {
        expect(sizeOfJson(text).values).toBeTypeOf('number');
      }),
      { numRuns: 2_000 },
    );
  });
});
