import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { fieldMessages } from '../../src/core/messages/fields.ts';
import { flawsShown } from '../../src/core/flaws.ts';
import { flawOfValue, flawsOfValue, isStorable, storableText } from '../../src/core/storable.ts';
import { anyCharacter } from '../support/any-character.ts';

const nul = 'a\0b';
const half = 'a\uD800b';

/** A list in a list, and so on: so many lists. */
const nested = (lists: number): unknown => (lists === 0 ? 1 : [nested(lists - 1)]);

const namesAndNumbers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, at]));

describe('a text', () => {
  it('can be stored without the character NUL and halves of surrogate pairs, which storableText leaves out', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(isStorable(text)).toBe(!text.includes('\0') && text.isWellFormed());
        expect(isStorable(storableText(text))).toBe(true);
        if (isStorable(text)) expect(storableText(text)).toBe(text);
      }),
    );
    expect(storableText(`${nul}${half}`)).toBe('aba\uFFFDb');
  });
});

describe('the flaws of a value', () => {
  it('are none in any JSON of an ordinary size', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        fc.pre(!/__proto__|\\u0000/.test(JSON.stringify(value)));
        expect(flawsOfValue(value)).toEqual([]);
        expect(flawOfValue(value)).toBeUndefined();
      }),
    );
  });

  it.each([
    ['a text with NUL', nul, 'invalid_text', fieldMessages.nul],
    ['half a surrogate pair', half, 'invalid_text', fieldMessages.notUnicode],
    ['a number beyond a double', Infinity, 'invalid_number', fieldMessages.numberTooLarge],
  ])('are %s, wherever it is, with its path', (_what, wrong, code, message) => {
    const flaw = { code, message };
    expect(flawsOfValue(wrong)).toEqual([{ path: [], ...flaw }]);
    expect(flawsOfValue(wrong, ['body'])).toEqual([{ path: ['body'], ...flaw }]);
    expect(flawsOfValue({ a: { b: [1, wrong, null] }, c: wrong }, ['body'])).toEqual([
      { path: ['body', 'a', 'b', 1], ...flaw },
      { path: ['body', 'c'], ...flaw },
    ]);
    expect(flawOfValue([wrong, wrong])).toEqual({ path: [0], ...flaw });
  });

  it('are keys: one that can’t be stored, which no path repeats, and __proto__', () => {
    const value: unknown = JSON.parse(`{ "a\\u0000": "\\u0000", "b": { "__proto__": "\\u0000" }, "c": "\\u0000" }`);
    expect(flawsOfValue(value)).toEqual([
      { path: [], code: 'invalid_text', message: fieldMessages.nul },
      { path: ['b', '__proto__'], code: 'unrecognized_keys', message: fieldMessages.unknown },
      { path: ['c'], code: 'invalid_text', message: fieldMessages.nul },
    ]);
  });

  it('are values that are nested too deeply', () => {
    expect(flawsOfValue(nested(limits.bodyDepth))).toEqual([]);
    const path = Array.from({ length: limits.bodyDepth }, () => 0);
    const flaw = { path, code: 'too_deep', message: fieldMessages.tooDeep(limits.bodyDepth) };
    expect(flawsOfValue(nested(limits.bodyDepth + 1))).toEqual([flaw]);
    expect(flawsOfValue(nested(limits.bodyDepth + 9))).toEqual([flaw]);
  });

  it('are too many elements of a field, but not of a list within it', () => {
    const list = (length: number) => Array.from({ length }, () => nul.length);
    expect(flawsOfValue({ ids: list(limits.listElements) })).toEqual([]);
    expect(flawsOfValue({ free: { deep: list(limits.listElements + 1) } })).toEqual([]);
    expect(flawsOfValue(list(limits.listElements + 1))).toEqual([]);
    expect(flawsOfValue({ ids: list(limits.listElements + 1), name: nul })).toEqual([
      { path: ['ids'], code: 'too_many', message: fieldMessages.maxItems(limits.listElements) },
      { path: ['name'], code: 'invalid_text', message: fieldMessages.nul },
    ]);
  });

  it('are too many keys or values altogether, which end the search', () => {
    const tooMany = (message: unknown, path: string[]) => [{ path, code: 'too_many', message }];
    const ownKeys = tooMany(fieldMessages.tooManyKeys(limits.ownKeys), []);
    expect(flawsOfValue(namesAndNumbers(limits.ownKeys))).toEqual([]);
    expect(flawsOfValue({ ...namesAndNumbers(limits.ownKeys), one: nul })).toEqual(ownKeys);
    expect(flawsOfValue({ free: namesAndNumbers(limits.ownKeys + 1) })).toEqual([]);

    const all = (count: number) => [nul, namesAndNumbers(count - 1), namesAndNumbers(1)];
    expect(flawsOfValue(all(limits.bodyKeys))).toHaveLength(1);
    expect(flawsOfValue(all(limits.bodyKeys + 1), ['body'])).toEqual(
      tooMany(fieldMessages.tooManyKeys(limits.bodyKeys), ['body']),
    );

    // The three lists and the text are values as well.
    const values = (count: number) => [nul, [Array.from({ length: count - 4 }, () => 1)]];
    expect(flawsOfValue(values(limits.bodyValues))).toHaveLength(1);
    const message = fieldMessages.tooManyValues(limits.bodyValues);
    expect(flawsOfValue(values(limits.bodyValues + 1), ['body'])).toEqual(tooMany(message, ['body']));
  });

  it('are as many as an answer names', () => {
    const wrong = (count: number) => Array.from({ length: count }, () => nul);
    expect(flawsOfValue(wrong(flawsShown + 5)).map(({ path }) => path)).toEqual(
      Array.from({ length: flawsShown }, (_, at) => [at]),
    );
  });
});
