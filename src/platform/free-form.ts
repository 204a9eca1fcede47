import { z } from 'zod';
import { limits } from '../core/limits.ts';
import { fieldMessages } from '../core/messages/fields.ts';
import { forDevelopers, type Message } from '../core/language.ts';
import { RawJson, isRecord, rawOfValue, sizeOfJson } from '../core/json.ts';
import { parseExactly } from '../core/exact-json.ts';
import { flawOfValue } from '../core/storable.ts';

// Free-form JSON belongs to the client: the service stores it as text and returns this text, so numbers keep all digits
// and reads do not parse it.

type JsonObject = Record<string, unknown>;

/** The part about free-form values in the API's description. */
export const anyObject = { type: 'object', properties: {}, additionalProperties: {} } as const;
export const anyArray = { type: 'array', items: {} } as const;

/** Free-form JSON of this shape in an answer; its content is not checked. */
const answered = <Value>(described: object) => z.custom<RawJson<Value>>(isRecord).meta({ ...described });

export const freeFormObject = answered<JsonObject>(anyObject);
export const freeFormObjectOrArray = answered<JsonObject | unknown[]>({ anyOf: [anyObject, anyArray] });

const freeFormFields = new WeakSet<z.core.$ZodType>();

/**
 * The forms in which clients send free-form JSON. A `RawJson` comes only from the REST adapter; the app sends a string
 * with JSON text.
 */
type SentFreeForm = JsonObject | unknown[] | string | RawJson<JsonObject>;

const { freeFormBytes, bodyDepth, bodyValues, bodyKeys } = limits;

/**
 * The flaw of a JSON text from the app, by the rules for a body of the API: the body around it counts as one level, one
 * value and one key.
 */
const flawOfText = (field: string, text: string): Message | undefined => {
  const { depth, values, keys } = sizeOfJson(text);
  if (depth >= bodyDepth) return fieldMessages.tooDeep(bodyDepth - 1);
  if (values >= bodyValues) return fieldMessages.tooManyValues(bodyValues - 1);
  if (keys >= bodyKeys) return fieldMessages.tooManyKeys(bodyKeys - 1);
  try {
    return flawOfValue(JSON.parse(text), [field])?.message;
  } catch {
    return fieldMessages.notJson;
  }
};

/**
 * In a request: the field with this name, an object. The app may send an array instead if `arrays` is set, and sends
 * JSON as text, so that numbers keep all digits.
 */
export const makeFreeForm = (field: string, { arrays = false } = {}) => {
  const schema = z
    .custom<SentFreeForm>()
    .meta({ ...anyObject })
    .transform((value: unknown, context) => {
      const refuse = (message?: Message, params: { field?: string } = {}) => {
        context.addIssue(
          message === undefined
            ? { code: 'invalid_type', expected: 'object', input: value }
            : { code: 'custom', params: { ...params, message }, message: forDevelopers(message), input: value },
        );
        return z.NEVER;
      };
      const isFromApp = !(value instanceof RawJson);
      const sent = isFromApp ? textOf(value) : value.text;
      if (!sent.startsWith('{') && !(isFromApp && arrays && sent.startsWith('['))) return refuse();
      const flaw = typeof value === 'string' ? flawOfText(field, sent) : undefined;
      if (flaw !== undefined) return refuse(flaw);
      const raw = isFromApp ? rawOfValue(parseExactly(sent)) : value;
      if (Buffer.byteLength(raw.text) > freeFormBytes) {
        return refuse(fieldMessages.jsonTooLarge(freeFormBytes), { field });
      }
      return new RawJson<JsonObject>(raw.text);
    });
  freeFormFields.add(schema);
  return schema;
};

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value.trim();
  return isRecord(value) ? JSON.stringify(value) : '';
};

/** Whether a field is free-form. */
export const isFreeForm = (schema: z.core.$ZodType): boolean =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? isFreeForm(schema.unwrap())
    : freeFormFields.has(schema);
