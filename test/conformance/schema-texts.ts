import { isRecord } from '../../src/core/json.ts';
import type { JsonSchema } from './described-api.ts';

const texts: Readonly<Record<string, string>> = { date: '2026-11-20', 'date-time': '2026-11-20T08:30:00Z' };

/** The minimal valid value of a schema. */
export const minOf = (schema: JsonSchema): unknown => {
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice) return minOf(choice);
  if (schema.enum) return schema.enum[0];
  const { type, format, minLength = 1, minimum = 0, minItems = 0, required = [], items = {}, properties = {} } = schema;
  if (schema.const !== undefined) return schema.const;
  if (type === 'string') return texts[format ?? ''] ?? 'x'.repeat(Math.max(1, minLength));
  if (type === 'integer' || type === 'number') return minimum;
  if (type === 'boolean') return false;
  if (type === 'array') return Array.from({ length: minItems }, () => minOf(items));
  return Object.fromEntries(required.map((name) => [name, minOf(properties[name] ?? {})]));
};

/** A place in the values of a schema where a text may be. */
export interface Place {
  /** Such as `filters.names[]`. */
  readonly name: string;
  /** The most characters that it may have there, if the schema says so. */
  readonly max: number | undefined;
  /** Only certain texts are allowed there. */
  readonly isListed: boolean;
  /** Any text is allowed there, if it is not too long. */
  readonly isFree: boolean;
}

type TextAt = (place: Place) => string | undefined;

const join = (place: string, key: string): string => (place === '' ? key : `${place}.${key}`);

/**
 * A value of the schema with texts at the places for which `textAt` has one; undefined if it has none. The rest is as
 * in `valid`.
 */
export const withTexts = (schema: JsonSchema, valid: unknown, textAt: TextAt, place = ''): unknown => {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    // The limit of a text that may be null stands beside both.
    const { maxLength } = schema;
    const put = choices.map((choice) => withTexts({ maxLength, ...choice }, valid, textAt, place));
    return put.find((value) => value !== undefined);
  }
  const { type, maxLength, items, properties = {}, additionalProperties: more } = schema;
  const types = [type ?? []].flat();
  if (types.includes('array')) {
    const element = withTexts(items ?? {}, undefined, textAt, `${place}[]`);
    return element === undefined ? undefined : [element];
  }
  if (types.includes('object')) {
    const whole: Record<string, unknown> = { ...(isRecord(valid) ? valid : Object(minOf(schema))) };
    let isChanged = false;
    const set = (key: string | undefined, value: unknown): void => {
      if (key === undefined || value === undefined) return;
      whole[key] = value;
      isChanged = true;
    };
    for (const [key, property] of Object.entries(properties)) {
      set(key, withTexts(property, whole[key], textAt, join(place, key)));
    }
    if (more !== undefined && more !== false) {
      const inner = more === true ? {} : more;
      set('key', withTexts(inner, undefined, textAt, join(place, '*')));
      set(textAt({ name: join(place, '(key)'), max: undefined, isListed: false, isFree: true }), minOf(inner));
    }
    if (isChanged) return whole;
    // The app sends free-form values as JSON in a text.
    return more !== undefined && more !== false
      ? textAt({ name: `${place} (as text)`, max: undefined, isListed: false, isFree: true })
      : undefined;
  }
  const mayBeText = type === undefined || types.includes('string');
  const isText = schema.const === undefined ? mayBeText : typeof schema.const === 'string';
  const isListed = schema.const !== undefined || schema.enum !== undefined;
  const isFree = !isListed && schema.format === undefined && schema.pattern === undefined;
  return isText ? textAt({ name: place, max: maxLength, isListed, isFree }) : undefined;
};

/** All places of a schema where a text may be. */
export const placesOf = (schema: JsonSchema): Place[] => {
  const places = new Map<string, Place>();
  withTexts(schema, undefined, (place) => {
    places.set(place.name, place);
    return undefined;
  });
  return [...places.values()];
};
