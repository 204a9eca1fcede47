import fc from 'fast-check';

// Surrogates are no characters. The code points above them move down, so that the numbers have no gap.
const surrogates = { from: 0xd800, count: 0x800 };

/**
 * Every character of Unicode, as a unit of fast-check's strings. Its own unit `binary` is the same, but makes a table
 * of them all first, which takes a second of each process.
 */
export const anyCharacter = fc.nat(0x10ffff - surrogates.count).map(
  (at) => String.fromCodePoint(at < surrogates.from ? at : at + surrogates.count),
  // fast-check asks whether a string that is often dangerous, such as `__proto__`, consists of these characters.
  (character) => {
    const [only, ...more] = typeof character === 'string' && character.isWellFormed() ? character : [];
    const point = more.length === 0 ? only?.codePointAt(0) : undefined;
    if (point === undefined) throw new Error('not one character');
    return point < surrogates.from ? point : point - surrogates.count;
  },
);
