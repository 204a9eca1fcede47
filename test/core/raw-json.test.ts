import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pack, putIn, RawJson, stringify, unpack } from '../../src/core/json.ts';

const values = fc.jsonValue();

/** Values with raw parts, and the JSON that a reader must see. */
const parts = fc.array(fc.record({ plain: values, raw: values }), { maxLength: 5 });
const withRaw = (list: readonly { plain: unknown; raw: unknown }[]) =>
  list.map(({ plain, raw }) => ({ plain, raw: new RawJson(JSON.stringify(raw)) }));

describe('raw parts of JSON', () => {
  it('are parsed as the values that they are, whoever writes the rest', () => {
    fc.assert(
      fc.property(parts, (list) => {
        const seen = JSON.parse(JSON.stringify(list));
        expect(JSON.parse(stringify(withRaw(list)))).toEqual(seen);
        expect(JSON.parse(putIn(JSON.stringify(withRaw(list))))).toEqual(seen);
        expect(JSON.parse(stringify(unpack(pack(withRaw(list)))))).toEqual(seen);
      }),
    );
  });

  it('keep their text unchanged', () => {
    const value = { a: [new RawJson('{"b": 1.10,  "c":12345678901234567890}')], d: new RawJson('"\\u0041$&$1"') };
    const text = '{"a":[{"b": 1.10,  "c":12345678901234567890}],"d":"\\u0041$&$1"}';
    expect(stringify(value)).toBe(text);
    expect(putIn(JSON.stringify(value))).toBe(text);
    expect(stringify(unpack(pack(value)))).toBe(text);
  });

  it('are inserted only in their places, also after a value that could not be written', () => {
    const loop: { self?: unknown; raw: RawJson } = { raw: new RawJson('1') };
    loop.self = loop;
    expect(() => stringify(loop)).toThrow(TypeError);
    expect(stringify({ a: 1 })).toBe('{"a":1}');
    expect(putIn('{"a":"x"}')).toBe('{"a":"x"}');
    expect(stringify(new RawJson('[1]'))).toBe('[1]');
    expect(putIn(JSON.stringify(new RawJson('[1]')))).toBe('[1]');
  });

  it('are restored only where they were packed', () => {
    for (const alike of [{ $raw: 1 }, { $raw: '1', more: 2 }, ['$raw']]) expect(unpack(pack(alike))).toEqual(alike);
  });
});
