import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request } from 'express';
import { z } from 'zod';
import { limits } from '../core/limits.ts';
import { FairSemaphore } from '../core/fair-semaphore.ts';
import { fail, Problem } from '../core/problem.ts';
import { scanJson } from '../core/json-text.ts';
import type { Most, ScannedJson } from '../core/json-text.ts';
import { RawJson } from '../core/raw-json.ts';
import { flawOfValue } from '../core/storable.ts';
import { freeFormRules, needStorable } from '../platform/free-form.ts';
import type { FreeFormRules } from '../platform/free-form.ts';
import type { Operation } from '../trpc/operation.ts';

// The input of an operation, from path, query and body. Every value is read strictly and examined here, before a schema sees it.

const refuse = (path: string[], code: string, message: string): never =>
  fail('validation_error', { errors: [{ path, code, message }] });

type Values = Record<string, unknown>;
/** The decoded parameters of a path. */
export type PathValues = Record<string, string | undefined>;

/** Converts a query's text to the type that its schema declares. A text in any other form stays a text, and the schema refuses it. */
const convert = (schema: z.core.$ZodType, text: string): unknown => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return convert(schema.unwrap(), text);
  }
  if (schema instanceof z.ZodNumber) return /^-?(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
  if (schema instanceof z.ZodBoolean) return text === 'true' ? true : text === 'false' ? false : text;
  return text;
};

const unknownKey = (key: string): never => refuse([key], 'unrecognized_keys', 'Unknown key');

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Large bodies are read one at a time, in turn among the teams, and other requests are served between two of them: each takes
 * milliseconds, and hundreds may have arrived together.
 */
const largeBodies = new FairSemaphore({
  places: 1,
  perGroup: 1,
  patienceMs: 10_000,
  refusal: () => new Problem('rate_limited', { retry_after: 1 }),
});

const inTurn = <Value>(teamId: string, read: () => Value): Promise<Value> =>
  largeBodies.run(teamId, async () => {
    try {
      return read();
    } finally {
      await nextTurn();
    }
  });

/** Prepares reading the input of one operation: its schema decides which values come in the path, the query and the body. */
export const inputReader = ({ operation, openapi }: Operation) => {
  const { shape } = operation.input;
  const inPath = new Set([...openapi.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''));
  const others = Object.keys(shape).filter((key) => !inPath.has(key));
  const hasBody = openapi.method === 'POST' || openapi.method === 'PATCH' ? others.length > 0 : false;

  const freeForm = new Map(
    others.flatMap((key) => {
      const rules = freeFormRules(shape[key] ?? z.unknown());
      return rules ? [[key, rules] as const] : [];
    }),
  );

  const fromQuery = (url: string): Values =>
    Object.fromEntries(
      Array.from(readQuery(url), ([key, text]) => {
        const schema = hasBody || inPath.has(key) || !Object.hasOwn(shape, key) ? undefined : shape[key];
        return [key, schema ? convert(schema, text) : unknownKey(key)];
      }),
    );

  return async (
    { url, headers }: Pick<Request, 'url' | 'headers'>,
    teamId: string,
    path: PathValues,
    body: () => Promise<Buffer>,
  ): Promise<Values> => {
    const values = fromQuery(url);
    if (hasBody) {
      const bytes = await body();
      const parse = () => readJson(headers['content-type'], bytes, freeForm);
      const inBody = bytes.length < limits.largeBodyBytes ? parse() : await inTurn(teamId, parse);
      for (const [key, value] of Object.entries(inBody)) {
        values[key] = inPath.has(key) ? unknownKey(key) : value;
      }
    } else if (openapi.method === 'POST') {
      await body(); // not part of the input, but of the fingerprint that recognises a repetition
    }
    return Object.assign(values, path);
  };
};

// Query

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return refuse([], 'invalid_encoding', 'The query is not percent-encoded UTF-8');
  }
};

/** The query's parameters, each given once and decoded strictly. */
export const readQuery = (url: string): Map<string, string> => {
  const parameters = new Map<string, string>();
  const start = url.indexOf('?');
  if (start < 0) return parameters;
  for (const part of url.slice(start + 1).split('&')) {
    if (part === '') continue;
    const [name = '', ...value] = part.split('=');
    const key = decode(name);
    if (parameters.has(key)) refuse([key], 'duplicate', 'Given more than once');
    if (parameters.size >= limits.queryParameters)
      refuse([], 'too_many', `The query has more than ${limits.queryParameters} parameters`);
    const text = decode(value.join('='));
    const flaw = flawOfValue(key) ?? flawOfValue(text, [key]);
    if (flaw) fail('validation_error', { errors: [flaw] });
    parameters.set(key, text);
  }
  return parameters;
};

// Body

const charsets = new Set(['utf-8', 'utf8', 'us-ascii']);

/** Whether a content type is JSON in UTF-8. An empty one counts as JSON. */
const isJson = (type = ''): boolean => {
  const [media = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  return (
    (media === '' || /^application\/(json|[\w.-]+\+json)$/.test(media)) &&
    (charset === undefined || charsets.has(charset))
  );
};

/**
 * The values of a body, which must be a JSON object. What JSON allows but no value here may hold is refused as well, and so is a
 * body that holds too much: by its text, before it is parsed. The values named in `freeForm` are passed on as the text that they
 * are, unless they are null: parsed, their numbers would lose digits.
 */
export const readJson = (
  type: string | undefined,
  body: Buffer,
  freeForm: ReadonlyMap<string, FreeFormRules> = noFreeForm,
): Record<string, unknown> => {
  if (body.length > 0 && !isJson(type)) {
    fail('bad_request', { status: 415, detail: 'The body must be application/json in UTF-8.' });
  }
  const text = textOf(body);
  const scanned = scanJson(text, [...freeForm.keys()], most);
  refuseTooMuch(scanned);
  for (const [field, rules] of freeForm) {
    const size = scanned.members.get(field);
    if (size) needStorable(field, size, rules);
  }
  const value = parse(text);
  if (!isObject(value)) return refuse([], 'invalid_type', 'The body must be a JSON object');
  const flaw = flawOfValue(value);
  if (flaw) fail('validation_error', { errors: [flaw] });
  for (const [field, member] of scanned.members) {
    if ((value[field] ?? null) === null) continue;
    // A value behind an equal key is not in the parsed object, but the database reads it in the text.
    if (member.hasUnstorableText) {
      refuse([field], 'invalid_text', 'A text must not contain NUL and must be well-formed Unicode');
    }
    value[field] = new RawJson(member.text);
  }
  return value;
};

const noFreeForm: ReadonlyMap<string, FreeFormRules> = new Map();

const textOf = (body: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return refuse([], 'invalid_json', 'The body is not UTF-8');
  }
};

const { bodyDepth, bodyValues, bodyKeys, ownKeys, nestedValues } = limits;
const most: Most = { depth: bodyDepth, values: bodyValues, keys: bodyKeys, ownKeys };

const refuseTooMuch = (scanned: ScannedJson): void => {
  const tooMany = (what: string) => refuse([], 'too_many', `The body has more than ${what}`);
  if (scanned.depth > bodyDepth) refuse([], 'too_deep', `The body nests deeper than ${bodyDepth} levels`);
  if (scanned.values > bodyValues) tooMany(`${bodyValues} values in all`);
  if (scanned.keys > bodyKeys) tooMany(`${bodyKeys} keys in all`);
  if (scanned.ownKeys > ownKeys) tooMany(`${ownKeys} keys of its own`);
  // The body and its members are values too.
  let nested = scanned.values - scanned.ownMembers - 1;
  for (const member of scanned.members.values()) nested -= member.values - 1;
  if (nested > nestedValues) tooMany(`${nestedValues} values inside of fields that are not free-form`);
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return refuse([], 'invalid_json', 'The body is not JSON');
  }
};
