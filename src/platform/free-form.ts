import { z } from 'zod';
import { scanJson } from '../core/json-text.ts';
import type { JsonSize } from '../core/json-text.ts';
import { limits } from '../core/limits.ts';
import { fail } from '../core/problem.ts';
import { RawJson } from '../core/raw-json.ts';
import { flawOfValue } from '../core/storable.ts';

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

/** What an operation says of a free-form value that it takes. */
export interface FreeFormRules {
  /** A value that is too large may be the one that is stored already, from before sizes were limited: the operation decides. */
  readonly mayBeStored: boolean;
}

const rulesOf = new WeakMap<z.core.$ZodType, FreeFormRules>();

interface FreeFormField extends FreeFormRules {
  /** The app may send an array in place of an object. The API takes objects alone. */
  readonly arrays: boolean;
}

/** What a client may send. Only the REST adapter makes a `RawJson` of it; a text is JSON that the app sends as text. */
type Sent = JsonObject | unknown[] | string | RawJson<JsonObject>;

const notJson = 'It is not JSON that can be stored.';

/** What is wrong with a JSON text of the app, by the rules for a body of the API in which it would be a field. */
const flawOfText = (field: string, text: string): string | undefined => {
  const { depth, values, keys, hasUnstorableText } = scanJson(text, [], mostInText);
  if (depth > mostInText.depth) return `It nests deeper than ${mostInText.depth} levels.`;
  if (values > mostInText.values || keys > mostInText.keys) return 'It has too many values.';
  try {
    return hasUnstorableText ? notJson : flawOfValue(JSON.parse(text), [field])?.message;
  } catch {
    return notJson;
  }
};

/** A value for the field of this name. */
const freeFormFor = (field: string, { arrays, ...rules }: FreeFormField) => {
  const schema = z
    .custom<Sent>()
    .meta({ ...anyObject })
    .transform((value: unknown, context) => {
      const refuse = (message?: string) => {
        context.addIssue(
          message === undefined
            ? { code: 'invalid_type', expected: 'object', input: value }
            : { code: 'custom', message, input: value },
        );
        return z.NEVER;
      };
      // The text of a body, which the REST adapter has examined and measured.
      if (value instanceof RawJson) return value.text.startsWith('{') ? new RawJson<JsonObject>(value.text) : refuse();
      // The app sends JSON as text, so that its numbers keep every digit. A plain value has the numbers that JavaScript made of it.
      const text = typeof value === 'string' ? value.trim() : isObject(value) ? JSON.stringify(value) : '';
      if (!text.startsWith('{') && !(arrays && text.startsWith('['))) return refuse();
      const flaw = typeof value === 'string' ? flawOfText(field, text) : undefined;
      if (flaw !== undefined) return refuse(flaw);
      needStorable(field, scanJson(text), rules);
      return new RawJson<JsonObject>(text);
    });
  rulesOf.set(schema, rules);
  return schema;
};

interface Shape {
  /** See `FreeFormField`. */
  arrays?: boolean;
}

/** In a request: an object that is to be stored. */
export const newFreeForm = (field: string, { arrays = false }: Shape = {}) =>
  freeFormFor(field, { arrays, mayBeStored: false });

/** In a request: an object in place of another. The operation refuses one that `isTooLarge`, unless it changes nothing. */
export const changedFreeForm = (field: string, { arrays = false }: Shape = {}) =>
  freeFormFor(field, { arrays, mayBeStored: true });

/** The rules of a field whose value is free-form, so that an adapter may pass its text on; undefined for every other field. */
export const freeFormRules = (schema: z.core.$ZodType): FreeFormRules | undefined =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? freeFormRules(schema.unwrap())
    : rulesOf.get(schema);

/** A value that this program made, as one of a client. */
export const freeFormOf = (value: JsonObject): RawJson<JsonObject> => new RawJson(JSON.stringify(value));

/** A stored value, which the database gave as text. */
export const rawOf = <Value extends object>(text: string | null): RawJson<Value> | null =>
  text === null ? null : new RawJson(text);

const { freeFormBytes, bodyBytes, bodyDepth, bodyValues, bodyKeys } = limits;

/** The body around it is a level and a value too. */
const mostInText = { depth: bodyDepth - 1, values: bodyValues - 1, keys: bodyKeys, ownKeys: bodyKeys };

/** PostgreSQL keeps no more digits behind the point. */
const mostDecimals = 16_383;

/** Refuses a value by its size. */
export const refuseLarge = (field: string): never =>
  fail('validation_error', {
    field,
    detail: `It has at most ${freeFormBytes} bytes of JSON, numbers written out in full.`,
  });

/** Refuses a new value that is too large or that the database could not keep, before any transaction. */
export const needStorable = (
  field: string,
  { storedBytes, decimals }: Pick<JsonSize, 'storedBytes' | 'decimals'>,
  { mayBeStored }: FreeFormRules,
): void => {
  // What is stored already came in a body, too, and had few numbers to write out.
  if (storedBytes > (mayBeStored ? bodyBytes + freeFormBytes : freeFormBytes)) refuseLarge(field);
  if (decimals > mostDecimals) {
    fail('validation_error', { field, detail: `A number has at most ${mostDecimals} digits behind the point.` });
  }
};

export const isTooLarge = ({ text }: RawJson): boolean => scanJson(text).storedBytes > freeFormBytes;
