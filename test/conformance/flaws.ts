import type { JsonSchema } from './described-api.ts';

/** A value with exactly one error. */
export interface Flawed {
  readonly flaw: string;
  readonly value: unknown;
}

type Resolve = (schema: JsonSchema) => JsonSchema;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const ofEveryType: readonly unknown[] = [null, true, 12, 1.5, 'text', '12', [], {}, [{}], { text: 'x' }];

/** Texts that are similar to the format but invalid. */
const nearMisses: Readonly<Record<string, readonly string[]>> = {
  'date-time': [
    '2026-01-01',
    '2026-13-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-01-01T25:00:00Z',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00 01:00',
    '1767225600',
    'now',
  ],
  date: ['2026-02-30', '2026-1-1', '20260101', '2026-01-01T00:00:00Z', '01.01.2026', 'tomorrow'],
  uuid: ['01990c1e', '01990c1e7a0070007000000000000001', 'x'],
  uri: ['example.com', '/path', 'x'],
};

function* flawsOfText(schema: JsonSchema, text: string): Generator<Flawed> {
  for (const near of nearMisses[schema.format ?? ''] ?? []) yield { flaw: `no ${schema.format}`, value: near };
  if (schema.pattern !== undefined) yield { flaw: 'against the pattern', value: `${text} ` };
  if (schema.minLength !== undefined) {
    yield { flaw: 'too short', value: '😀'.repeat(Math.max(0, schema.minLength - 1)) };
  }
  if (schema.maxLength !== undefined) {
    yield { flaw: 'too long', value: 'x'.repeat(schema.maxLength + 1) };
    yield { flaw: 'too long, in characters beyond UTF-16', value: '😀'.repeat(schema.maxLength + 1) };
  }
  if (schema.enum) {
    for (const value of [`${text}s`, text.toUpperCase(), '', ` ${text}`, 'constructor', '__proto__']) {
      yield { flaw: 'none of the values', value };
    }
  }
}

function* flawsOfNumber({ minimum, maximum, type }: JsonSchema): Generator<Flawed> {
  if (minimum !== undefined) yield { flaw: 'below the minimum', value: minimum - 1 };
  if (maximum !== undefined) yield { flaw: 'above the maximum', value: maximum + 1 };
  if (type === 'integer') yield { flaw: 'no integer', value: (minimum ?? 0) + 0.5 };
}

function* flawsOfList(schema: JsonSchema, list: readonly unknown[], resolve: Resolve): Generator<Flawed> {
  const { items, minItems, maxItems } = schema;
  const first = list[0];
  if (minItems !== undefined && minItems > 0) yield { flaw: 'too few items', value: list.slice(0, minItems - 1) };
  if (maxItems !== undefined && list.length > 0) {
    yield { flaw: 'too many items', value: Array.from({ length: maxItems + 1 }, () => first) };
  }
  if (!items) return;
  for (const [at, item] of list.entries()) {
    for (const { flaw, value } of flawsOf(items, item, resolve))
      yield { flaw: `[${at}] ${flaw}`, value: list.with(at, value) };
  }
}

function* flawsOfObject(schema: JsonSchema, object: Record<string, unknown>, resolve: Resolve): Generator<Flawed> {
  for (const key of schema.required ?? []) {
    yield { flaw: `no ${key}`, value: Object.fromEntries(Object.entries(object).filter(([name]) => name !== key)) };
  }
  if (schema.additionalProperties === false) {
    const [first = 'a'] = Object.keys(schema.properties ?? {});
    for (const key of ['unknown', `${first}s`, first.toUpperCase(), 'tenant_id', 'constructor', '__proto__', '']) {
      yield { flaw: `unknown key ${key}`, value: { ...object, [key]: object[first] ?? 'x' } };
    }
  }
  const { additionalProperties: values, propertyNames, maxProperties } = schema;
  if (maxProperties !== undefined) {
    const many = Array.from({ length: maxProperties + 1 }, (_, at): [string, unknown] => [`x${at}`, 'x']);
    yield { flaw: 'too many keys', value: Object.fromEntries(many) };
  }
  const [[firstKey, firstValue] = ['x', 'x']] = Object.entries(object);
  if (propertyNames) {
    for (const { flaw, value } of flawsOf(propertyNames, firstKey, resolve))
      yield { flaw: `key: ${flaw}`, value: { ...object, [String(value)]: firstValue } };
  }
  if (typeof values === 'object') {
    for (const { flaw, value } of flawsOf(values, firstValue, resolve))
      yield { flaw: `${firstKey}: ${flaw}`, value: { ...object, [firstKey]: value } };
  }
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    for (const { flaw, value } of flawsOf(property, object[key], resolve)) {
      yield { flaw: `${key}: ${flaw}`, value: { ...object, [key]: value } };
    }
  }
}

/**
 * Variants of a value, each with one error. Some may still be valid if a schema allows several alternatives, so a
 * validator decides.
 */
export function* flawsOf(given: JsonSchema, value: unknown, resolve: Resolve): Generator<Flawed> {
  const schema = resolve(given);
  for (const other of ofEveryType) yield { flaw: `${JSON.stringify(other)} in its place`, value: other };
  for (const choice of schema.anyOf ?? schema.oneOf ?? []) yield* flawsOf(choice, value, resolve);
  yield* flawsOfText(schema, typeof value === 'string' ? value : 'x');
  yield* flawsOfNumber(schema);
  if (Array.isArray(value)) yield* flawsOfList(schema, value, resolve);
  if (isRecord(value)) yield* flawsOfObject(schema, value, resolve);
}

/** Characters that no text may contain: JSON can represent them, but PostgreSQL or UTF-8 can't. */
export function* unstorable(value: unknown): Generator<Flawed> {
  if (typeof value === 'string') {
    yield { flaw: 'NUL in a text', value: `${value}\0` };
    yield { flaw: 'half a character in a text', value: `\ud83d${value}` };
  } else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      for (const inner of unstorable(item)) yield { ...inner, value: value.with(at, inner.value) };
    }
  } else if (isRecord(value)) {
    yield { flaw: 'NUL in a key', value: { ...value, 'a\0b': 1 } };
    yield { flaw: 'half a character in a key', value: { ...value, '\udc00': 1 } };
    yield { flaw: '__proto__ as a key', value: { ...value, ['__proto__']: { admin: true } } };
    for (const [key, item] of Object.entries(value)) {
      for (const inner of unstorable(item)) yield { ...inner, value: { ...value, [key]: inner.value } };
    }
  }
}
