import { z } from 'zod';
import { limits } from '../core/limits.ts';
import { fail } from '../core/problem.ts';
import { RawJson } from '../core/raw-json.ts';

// Free-form JSON is the client's own: this service stores it and gives it back. It goes from a body to the database and from
// there to an answer as text, so that no number loses a digit and no read pays for what is inside.

type JsonObject = Record<string, unknown>;

const anyObject = { type: 'object', properties: {}, additionalProperties: {} } as const;
const anyArray = { type: 'array', items: {} } as const;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** JSON of this shape in an answer, which nobody looks into. A plain value comes from one that was kept for a replay before answers had raw parts. */
export const answered = <Value>(described: object) => z.custom<RawJson<Value>>(isObject).meta({ ...described });

export const freeFormObject = answered<JsonObject>(anyObject);
export const freeFormObjectOrArray = answered<JsonObject | unknown[]>({ anyOf: [anyObject, anyArray] });

const wanted = new WeakSet<z.core.$ZodType>();

/**
 * In a request: an object. The REST adapter hands over the very text of the body; what comes parsed, as everything from the app
 * does, has the numbers that JavaScript made of it.
 */
export const newFreeForm = z
  .custom<JsonObject | RawJson<JsonObject>>()
  .meta({ ...anyObject })
  .transform((value: unknown, context) => {
    if (value instanceof RawJson) return new RawJson<JsonObject>(value.text);
    if (isObject(value) && !Array.isArray(value)) return new RawJson<JsonObject>(JSON.stringify(value));
    context.addIssue({ code: 'invalid_type', expected: 'object', input: value });
    return z.NEVER;
  });
wanted.add(newFreeForm);

/** Whether the value of a field is free-form, so that an adapter may pass its text on. */
export const isFreeForm = (schema: z.core.$ZodType): boolean =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? isFreeForm(schema.unwrap()) : wanted.has(schema);

/** A value that this program made, as one of a client. */
export const freeFormOf = (value: JsonObject): RawJson<JsonObject> => new RawJson(JSON.stringify(value));

/** A stored value, which the database gave as text. */
export const rawOf = <Value extends object>(text: string | null): RawJson<Value> | null =>
  text === null ? null : new RawJson(text);

const { freeFormBytes } = limits;

/** PostgreSQL keeps no more digits behind the point. */
const mostDecimals = 16_383;

const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?/gs;

/** How many characters the longest number needs that a JSON text has, and all of them beyond what they have now. PostgreSQL writes numbers out in full. */
const lengthOfNumbers = (text: string): { decimals: number; beyond: number } => {
  let beyond = 0;
  let most = 0;
  for (const [token, whole, fraction = '', exponent = '0'] of text.matchAll(stringOrNumber)) {
    if (whole === undefined) continue;
    const shift = Number(exponent);
    const decimals = Math.max(0, fraction.length - shift);
    most = Math.max(most, decimals);
    beyond += Math.max(0, Math.max(1, whole.length + shift) + decimals - token.length);
  }
  return { decimals: most, beyond };
};

/** Few values have a number that is written otherwise than it is stored, or that long; the others need no look at each. */
const hasLongNumbers = (text: string): boolean => /\d[eE]/.test(text) || text.length > mostDecimals;

const tooLong = (field: string): never =>
  fail('validation_error', {
    field,
    detail: `It has at most ${freeFormBytes} bytes of JSON, numbers written out in full.`,
  });

/** The text of a new value, for the database; refused where that could not keep it, or where its numbers alone would make it too large. */
export const storableText = (field: string, value: RawJson | null): string | null => {
  if (value === null) return null;
  if (hasLongNumbers(value.text)) {
    const { decimals, beyond } = lengthOfNumbers(value.text);
    if (beyond > freeFormBytes) tooLong(field);
    if (decimals > mostDecimals) {
      fail('validation_error', { field, detail: `A number has at most ${mostDecimals} digits behind the point.` });
    }
  }
  return value.text;
};

const stringOrSpace = /"[^"\\]*(?:\\.[^"\\]*)*"|( )/gs;

/** The spaces with which the database separates values. */
const spacesIn = (text: string): number => {
  let spaces = 0;
  for (const [, space] of text.matchAll(stringOrSpace)) if (space !== undefined) spaces += 1;
  return spaces;
};

/** Refuses a value that is too large: by the text that the database makes of it, less the spaces, which are not the client's. */
export const needStorableSize = (field: string, stored: string | null): void => {
  if (stored === null) return;
  const bytes = Buffer.byteLength(stored);
  if (bytes > freeFormBytes && bytes - spacesIn(stored) > freeFormBytes) tooLong(field);
};
