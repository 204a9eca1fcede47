import { auditLimits } from '../../core/limits.ts';
import type { Prisma } from '../../db/generated/client.ts';

// No quota counts the audit log, and much of what an entry says is of the caller's choice. So every entry is bounded here, once.

type Data = Prisma.InputJsonObject;
type Value = Data[string];
type Field = [name: string, value: unknown];

const { textCharacters, namedInEntry, entryBytes } = auditLimits;

/** The beginning of a text. Characters are code points; a text of so few UTF-16 units needs no counting. */
const cut = (text: string): string => {
  if (text.length <= textCharacters) return text;
  // Each character has at most two units, so this much is enough to count in.
  const characters = Array.from(text.slice(0, 2 * textCharacters));
  return characters.length <= textCharacters && text.length <= 2 * textCharacters
    ? text
    : `${characters.slice(0, textCharacters - 1).join('')}…`;
};

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const shortened = (value: unknown): unknown => {
  if (typeof value === 'string') return cut(value);
  if (isList(value)) return value.slice(0, namedInEntry).map(shortened);
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]));
};

/** A field as an entry keeps it: of a long list the first values and, beside it, how many there were. */
const fieldsOf = ([name, value]: [name: string, value: Value | undefined]): Field[] => {
  const field: Field = [name, shortened(value)];
  return isList(value) && value.length > namedInEntry ? [field, [`${name}_total`, value.length]] : [field];
};

/**
 * An entry's `data` as JSON, never longer than `entryBytes`: texts are cut, of lists the first values are kept with their number
 * (`<name>_total`), and a field for which there is no room left is only named, in `left_out`.
 */
export const entryData = (data: Data): string => {
  const whole = JSON.stringify(data);
  // Too short for a text that is cut or a list of more values than an entry keeps.
  if (whole.length <= 2 * namedInEntry) return whole;
  const fields = Object.entries(data).flatMap(fieldsOf);
  const short = JSON.stringify(Object.fromEntries(fields));
  return Buffer.byteLength(short) <= entryBytes ? short : withoutLarge(fields);
};

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const withoutLarge = (fields: readonly Field[]): string => {
  const kept: Record<string, unknown> = {};
  const leftOut: string[] = [];
  let room = entryBytes - bytesOf({ left_out: fields.map(([name]) => name) });
  for (const [name, value] of fields) {
    const bytes = bytesOf({ [name]: value });
    if (bytes > room) leftOut.push(name);
    else {
      kept[name] = value;
      room -= bytes;
    }
  }
  return JSON.stringify({ ...kept, left_out: leftOut });
};

/** A URL as an entry names it: its host and the beginning of its path. A query may hold a secret, and is left out. */
export const urlInEntry = (url: string): string => {
  const { origin, pathname, search } = new URL(url);
  return cut(`${origin}${pathname}${search === '' ? '' : '?…'}`);
};
