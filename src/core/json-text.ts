import { randomBytes } from 'node:crypto';

interface JsonSize {
  /** Nested levels of objects and lists. */
  readonly depth: number;
  /** Values on all levels; an object or list is one value too. */
  readonly values: number;
  /** Keys of all objects. Equal keys all count. */
  readonly keys: number;
}

const endOfString = (text: string, start: number): number => {
  let end = start + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end;
};

/**
 * Measures a JSON text without parsing it: a text that is built to keep the process busy must be refused before it is parsed. The numbers of
 * a text that is not JSON are meaningless, and parsing refuses it.
 */
export const sizeOfJson = (text: string): JsonSize => {
  let [level, depth, values, keys] = [0, 0, 1, 0];
  let before = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char <= ' ') continue;
    if (char === '"') at = endOfString(text, at);
    else if (char === ',') values += 1;
    else if (char === ':') keys += 1;
    else if (char === '{' || char === '[') {
      level += 1;
      depth = Math.max(depth, level);
      values += 1;
    } else if (char === '}' || char === ']') {
      level -= 1;
      if (before === '{' || before === '[') values -= 1; // it is empty
    }
    before = char;
  }
  return { depth, values, keys };
};

/** A text without a match has only numbers that JavaScript writes as they came. */
export const mayLoseDigits = /\d{16}|\d[.eE]|-0/;

/** Stands before a number while it is kept as text. It is random, so no client can guess it. */
const mark = randomBytes(24).toString('base64url');
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const markedNumber = new RegExp(`"${mark}([^"]*)"`, 'g');

/** Parses valid JSON, but keeps its numbers as marked texts if JavaScript could write one in another way. `stringifyWithDigits` writes them as they came. */
export const parseKeepingDigits = (text: string): unknown =>
  JSON.parse(
    mayLoseDigits.test(text)
      ? text.replace(stringOrNumber, (found) => (found.startsWith('"') ? found : `"${mark}${found}"`))
      : text,
  );

export const stringifyWithDigits = (value: unknown): string => JSON.stringify(value).replace(markedNumber, '$1');
