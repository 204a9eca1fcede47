import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeVault } from '../../src/core/crypto.ts';
import { readCursor, writeCursor } from '../../src/platform/paging.ts';
import { anyCharacter } from '../support/any-character.ts';

const vault = makeVault(['the first secret, 32 characters long']);

const position = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean()));
const list = fc.string();

describe('a cursor', () => {
  it('can be read again, also after it was part of a URL', () => {
    fc.assert(
      fc.property(list, position, (name, at) => {
        const cursor = writeCursor(vault, name, at);
        expect(readCursor(vault, name, cursor)).toEqual(at);
        expect(encodeURIComponent(cursor)).toBe(cursor);
      }),
    );
  });

  it('is not valid for another list', () => {
    fc.assert(
      fc.property(list, list, position, (name, other, at) => {
        fc.pre(name !== other);
        expect(readCursor(vault, other, writeCursor(vault, name, at))).toBeUndefined();
      }),
    );
  });

  it('is not valid after any change', () => {
    fc.assert(
      fc.property(list, position, fc.nat(), fc.string({ maxLength: 3 }), fc.nat(2), (name, at, where, put, cut) => {
        const cursor = writeCursor(vault, name, at);
        const start = where % (cursor.length + 1);
        const changed = cursor.slice(0, start) + put + cursor.slice(start + cut);
        fc.pre(changed !== cursor);
        expect(readCursor(vault, name, changed)).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });

  it('is not valid if it was invented', () => {
    fc.assert(
      fc.property(list, fc.string({ unit: anyCharacter }), (name, text) => {
        expect(readCursor(vault, name, text)).toBeUndefined();
      }),
    );
  });

  it('is valid after the secret was changed, as long as the former one is configured', () => {
    const cursor = writeCursor(vault, 'users', [1, 'x', true]);
    const both = makeVault(['the second secret, 32 characters long', 'the first secret, 32 characters long']);
    const later = makeVault(['the second secret, 32 characters long']);
    expect(readCursor(both, 'users', cursor)).toEqual([1, 'x', true]);
    expect(readCursor(later, 'users', cursor)).toBeUndefined();
    expect(readCursor(vault, 'users', writeCursor(both, 'users', [1]))).toBeUndefined();
  });
});
