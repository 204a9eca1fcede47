import { z } from 'zod';
import { scanJson } from '../core/json-text.ts';
import type { JsonSize } from '../core/json-text.ts';
import { limits } from '../core/limits.ts';
import { fail } from '../core/problem.ts';
import { RawJson } from '../core/raw-json.ts';
import { flawOfValue } from '../core/storable.ts';

// Free-form JSON belongs to the client: the service stores it and returns it unchanged. It goes from the body to the database and from
// there to the answer as text, so that numbers keep all digits and reads do not parse it.

type JsonObject = Record<string, unknown>;

/** The part about free-form values in the API's description. */
export const anyObject = { type: 'object', properties: {}, additionalProperties: {} } as const;
export const anyArray = { type: 'array', items: {} } as const;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Free-form JSON of this shape in an answer; its content is not checked. A replayed answer from before raw parts existed has a plain
 * value.
 */
export const answered = <Value>(described: object) => z.custom<RawJson<Value>>(isObject).meta({ ...described });

export const freeFormObject = answered<JsonObject>(anyObject);
export const freeFormObjectOrArray = answered<JsonObject | unknown[]>({ anyOf: [anyObject, anyArray] });

/** The rules of an operation for a free-form value in its input. */
export interface FreeFormRules {
  /** A value that is too large may be the stored one, from before sizes were limited. Then the operation decides whether to refuse it. */
  readonly mayBeStored: boolean;
}

const rulesOf = new WeakMap<z.core.$ZodType, FreeFormRules>();

interface FreeFormField extends FreeFormRules {
  /** The app may send an array instead of an object. The API accepts only objects. */
  readonly arrays: boolean;
}

/** The form in which a client sends it. A `RawJson` comes only from the REST adapter; a string is JSON that the app sends as text. */
type Sent = JsonObject | unknown[] | string | RawJson<JsonObject>;

const notJson = 'It is not JSON that can be stored.';

/** The flaw of a JSON text from the app, by the rules for a body of the API that has it as a field. */
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

/** The schema of the field with this name. */
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
      // The REST adapter has already checked and measured this text.
      if (value instanceof RawJson) return value.text.startsWith('{') ? new RawJson<JsonObject>(value.text) : refuse();
      // The app sends JSON as text, so that numbers keep all digits. The numbers of a plain value have already been read by JavaScript.
      const text = typeof value === 'string' ? value.trim() : isObject(value) ? JSON.stringify(value) : '';
      if (!text.startsWith('{') && !(arrays && text.startsWith('['))) return refuse();
      const flaw = typeof value === 'string' ? flawOfText(field, text) : undefined;
      if (flaw !== undefined) return refuse(flaw);
      requireStorable(field, scanJson(text), rules);
      return new RawJson<JsonObject>(text);
    });
  rulesOf.set(schema, rules);
  return schema;
};

interface Shape {
  /** See `FreeFormField`. */
  arrays?: boolean;
}

/** In a request: a new object. */
export const newFreeForm = (field: string, { arrays = false }: Shape = {}) =>
  freeFormFor(field, { arrays, mayBeStored: false });

/** In a request: an object that replaces a stored one. The operation refuses it if it `isTooLarge`, unless it changes nothing. */
export const changedFreeForm = (field: string, { arrays = false }: Shape = {}) =>
  freeFormFor(field, { arrays, mayBeStored: true });

/** The rules of a free-form field, whose text an adapter passes on; undefined for every other field. */
export const freeFormRules = (schema: z.core.$ZodType): FreeFormRules | undefined =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? freeFormRules(schema.unwrap())
    : rulesOf.get(schema);

/** A value that the service creates itself, treated as if a client had sent it. */
export const freeFormOf = (value: JsonObject): RawJson<JsonObject> => new RawJson(JSON.stringify(value));

/** A stored value, which the database returned as text. */
export const rawOf = <Value extends object>(text: string | null): RawJson<Value> | null =>
  text === null ? null : new RawJson(text);

const { freeFormBytes, bodyBytes, bodyDepth, bodyValues, bodyKeys } = limits;

/** The body around it counts as one level and one value. */
const mostInText = { depth: bodyDepth - 1, values: bodyValues - 1, keys: bodyKeys, ownKeys: bodyKeys };

/** PostgreSQL stores at most this many digits after the decimal point. */
const mostDecimals = 16_383;

/** Refuses a value that is too large. */
export const refuseLarge = (field: string): never =>
  fail('validation_error', {
    field,
    detail: `It has at most ${freeFormBytes} bytes of JSON, numbers written out in full.`,
  });

/** Refuses, before any transaction, a new value that is too large or that the database can't store. */
export const requireStorable = (
  field: string,
  { storedBytes, decimals }: Pick<JsonSize, 'storedBytes' | 'decimals'>,
  { mayBeStored }: FreeFormRules,
): void => {
  // A stored value was once part of a body too, so it has few numbers that become longer when they are written out.
  if (storedBytes > (mayBeStored ? bodyBytes + freeFormBytes : freeFormBytes)) refuseLarge(field);
  if (decimals > mostDecimals) {
    fail('validation_error', { field, detail: `A number has at most ${mostDecimals} digits behind the point.` });
  }
};

export const isTooLarge = ({ text }: RawJson): boolean => scanJson(text).storedBytes > freeFormBytes;
