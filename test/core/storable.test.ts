import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { flawOfValue } from '../../src/core/storable.ts';

const nested = (levels: number): unknown => (levels === 0 ? 'deep' : { a: nested(levels - 1) });

describe('content that no value may have', () => {
  it.each<[what: string, value: unknown, code: string, path: (string | number)[]]>([
    ['NUL', { a: ['x', 'y\0'] }, 'invalid_text', ['a', 1]],
    ['half a character', { a: { b: '\ud83d' } }, 'invalid_text', ['a', 'b']],
    ['NUL in a key', { a: { 'b\0': 1 } }, 'invalid_text', ['a']],
    ['a number beyond a double', { a: Number.POSITIVE_INFINITY }, 'invalid_number', ['a']],
    ['the key that rewrites prototypes', JSON.parse('{"a":{"__proto__":1}}'), 'unrecognized_keys', ['a', '__proto__']],
    ['one level too many', nested(limits.bodyDepth + 1), 'too_deep', Array(limits.bodyDepth).fill('a')],
  ])('%s', (_what, value, code, path) => {
    expect(flawOfValue(value)).toMatchObject({ code, path });
  });

  it('everything else is allowed, even if it looks dangerous', () => {
    expect(flawOfValue({ constructor: { prototype: null }, toString: [1e308, '👩‍👩‍👧', ''] })).toBeUndefined();
    expect(flawOfValue(nested(limits.bodyDepth))).toBeUndefined();
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        fc.pre(!/__proto__|\\u0000|\\ud[89a-f]/i.test(JSON.stringify(value)));
        expect(flawOfValue(value)).toBeUndefined();
      }),
    );
  });
});
