import type { Request } from 'express';
import { z } from 'zod';
import { limits } from '../core/limits.ts';
import { fail } from '../core/problem.ts';
import { RawJson } from '../core/raw-json.ts';
import { flawOfValue } from '../core/storable.ts';
import { isFreeForm } from '../platform/free-form.ts';
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

/** Prepares reading the input of one operation: its schema decides which values come in the path, the query and the body. */
export const inputReader = ({ operation, openapi }: Operation) => {
  const { shape } = operation.input;
  const inPath = new Set([...openapi.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''));
  const others = Object.keys(shape).filter((key) => !inPath.has(key));
  const hasBody = openapi.method === 'POST' || openapi.method === 'PATCH' ? others.length > 0 : false;

  const freeForm = others.filter((key) => isFreeForm(shape[key] ?? z.unknown()));
  /** The values of a body. A free-form value keeps its text: parsed, its numbers would lose digits. */
  const fromBody = (type: string | undefined, body: Buffer): [key: string, value: unknown][] => {
    const values = readJson(type, body);
    const given = freeForm.filter((key) => isObject(values[key]));
    const texts = given.length > 0 ? textsOf(body.toString(), given) : undefined;
    return Object.entries(values).map(([key, value]) => {
      const text = texts?.get(key);
      return [key, text === undefined ? value : new RawJson(text)];
    });
  };

  const fromQuery = (url: string): Values =>
    Object.fromEntries(
      Array.from(readQuery(url), ([key, text]) => {
        const schema = hasBody || inPath.has(key) || !Object.hasOwn(shape, key) ? undefined : shape[key];
        return [key, schema ? convert(schema, text) : unknownKey(key)];
      }),
    );

  return async (request: Request, path: PathValues, body: () => Promise<Buffer>): Promise<Values> => {
    const values = fromQuery(request.url);
    if (hasBody) {
      for (const [key, value] of fromBody(request.headers['content-type'], await body())) {
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

/** Reads a JSON object from a body. Values that JSON allows but no field may hold are refused too. */
export const readJson = (type: string | undefined, body: Buffer): Record<string, unknown> => {
  if (body.length > 0 && !isJson(type)) {
    fail('bad_request', { status: 415, detail: 'The body must be application/json in UTF-8.' });
  }
  let text = '';
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    refuse([], 'invalid_json', 'The body is not UTF-8');
  }
  const { depth, values, keys } = sizeOf(text);
  if (depth > limits.bodyDepth) refuse([], 'too_deep', `The body nests deeper than ${limits.bodyDepth} levels`);
  if (values > limits.bodyValues) refuse([], 'too_many', `The body has more than ${limits.bodyValues} values in all`);
  if (keys > limits.bodyKeys) refuse([], 'too_many', `The body has more than ${limits.bodyKeys} keys in all`);
  const value = parse(text);
  if (!isObject(value)) return refuse([], 'invalid_type', 'The body must be a JSON object');
  const flaw = flawOfValue(value);
  if (flaw) fail('validation_error', { errors: [flaw] });
  return value;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return refuse([], 'invalid_json', 'The body is not JSON');
  }
};

const [quote, backslash, comma, colon] = ['"', '\\', ',', ':'].map((char) => char.charCodeAt(0));
const [leftBrace, rightBrace, leftBracket, rightBracket] = ['{', '}', '[', ']'].map((char) => char.charCodeAt(0));

/** How deep a body nests, and how many values and keys it has. Counted on the text, so that a body with too many is never parsed. */
const sizeOf = (text: string): { depth: number; values: number; keys: number } => {
  let level = 0;
  let depth = 0;
  let values = 1;
  let keys = 0;
  let inString = false;
  let before = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (inString) {
      if (char === backslash) at += 1;
      else if (char === quote) inString = false;
    } else if (char === quote) inString = true;
    else if (char === comma) values += 1;
    else if (char === colon) keys += 1;
    else if (char === leftBrace || char === leftBracket) {
      level += 1;
      if (level > depth) depth = level;
      values += 1;
    } else if (char === rightBrace || char === rightBracket) {
      level -= 1;
      if (before === leftBrace || before === leftBracket) values -= 1; // it is empty
    }
    before = char;
  }
  return { depth, values, keys };
};

/** The end of the string that begins at `start`, behind its closing quote. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
};

/** The texts of some of an object's values; of equal keys the last counts. The text must be JSON of an object, checked by `readJson`. */
const textsOf = (text: string, wanted: readonly string[]): Map<string, string> => {
  const found = new Map<string, string>();
  let depth = 0;
  let key: string | undefined;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') {
      const end = endOfString(text, at);
      if (depth === 1 && key === undefined) {
        key = String(JSON.parse(text.slice(at, end)));
        start = text.indexOf(':', end) + 1;
        at = start - 1;
      } else at = end - 1;
    } else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']' || char === ',') {
      if (depth === 1 && key !== undefined) {
        if (wanted.includes(key)) found.set(key, text.slice(start, at).trim());
        key = undefined;
      }
      if (char !== ',') depth -= 1;
    }
  }
  return found;
};
