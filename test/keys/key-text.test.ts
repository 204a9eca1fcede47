import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checksumOf, keyIn, keyPattern, makeKeyText } from '../../src/modules/keys/key-text.ts';

describe('the text of a new key', () => {
  it('has the form of the pattern and ends with its checksum', () => {
    for (const { text, prefix, secret } of Array.from({ length: 200 }, makeKeyText)) {
      expect(text.match(keyPattern)).toEqual([text]);
      expect(text).toBe(`svck_live_${prefix}_${secret}`);
      expect(text.slice(-6)).toBe(checksumOf(text.slice(0, -6)));
    }
  });

  it.each([
    [`svck_live_Abcdefgh1234_${'x'.repeat(37)}`, '3YX4oF'],
    // A checksum with leading zeros.
    [`svck_live_Abcdefgh1234_${'360'.padStart(37, '0')}`, '00FNjR'],
  ])('%s has the checksum %s, which Python computed', (beginning, checksum) => {
    expect(checksumOf(beginning)).toBe(checksum);
  });
});

describe('a key in a text', () => {
  it('is found with other text around it; the first one that has its checksum counts', () => {
    const { text, prefix, secret } = makeKeyText();
    const other = makeKeyText().text;
    const similar = `${other.slice(0, -1)}${other.endsWith('x') ? 'y' : 'x'}`;
    for (const around of [
      text,
      ` ${text}\n`,
      `API_KEY="${text}", next`,
      `Bearer ${text}`,
      `${text} ${other}`,
      `${similar} ${text}`,
    ])
      expect(keyIn(around)).toEqual({ prefix, secret });
  });

  it('is not found if any of its characters is another one', () => {
    const { text } = makeKeyText();
    const digit = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
    fc.assert(
      fc.property(fc.nat(text.length - 1), digit, (at, character) => {
        fc.pre(text.charAt(at) !== character);
        expect(keyIn(text.slice(0, at) + character + text.slice(at + 1))).toBeUndefined();
      }),
    );
  });
});
