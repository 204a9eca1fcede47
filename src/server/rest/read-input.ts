import type { Request } from 'express';
import { z } from 'zod';
import { limits, httpLimits } from '../../core/limits.ts';
import { percentDecoded } from '../../core/percent.ts';
import { flawsOf, flawsShown } from '../../core/flaws.ts';
import { fail, Problem, type SpokenFlaw } from '../../core/problem.ts';
import { sizeOfJson, rawOfValue } from '../../core/json.ts';
import { parseExactly } from '../../core/exact-json.ts';
import { fieldMessages } from '../../core/messages/fields.ts';
import { english } from '../../core/language.ts';
import { flawOfValue, flawsOfValue, isStorable } from '../../core/storable.ts';
import { isFreeForm } from '../../platform/free-form.ts';
import { isOfItem, type Operation } from '../../platform/trpc/procedures.ts';

// The input of an operation, from path, query and body. Every value is parsed strictly and checked here, before Zod
// validates it. A refusal lists all flaws of a request at once: those found here, and those that the schema finds in
// the other values.

/** Refuses a body as a whole. */
const refuseBody = (code: string, message: string): never =>
  fail('validation_error', { errors: [{ in: 'body', path: [], code, message: english(message) }] });

export type InputValues = Record<string, unknown>;

/**
 * Converts a query's text to the type that its schema declares. A text in any other form stays a text, and the schema
 * refuses it.
 */
const convert = (schema: z.core.$ZodType, text: string): unknown => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return convert(schema.unwrap(), text);
  }
  if (schema instanceof z.ZodNumber) return /^-?(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
  if (schema instanceof z.ZodBoolean) return text === 'true' ? true : text === 'false' ? false : text;
  return text;
};

const unknownKey = (part: SpokenFlaw['in'], key: string): SpokenFlaw => ({
  in: part,
  path: [key],
  code: 'unrecognized_keys',
  message: fieldMessages.unknown,
});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Values of a request, and the flaws that were found so far. A value with a flaw may be missing. */
interface ReadInput {
  readonly values: InputValues;
  readonly flaws: SpokenFlaw[];
}

/**
 * The query's parameters, decoded. The flaws concern only the text: each operation has its own rules for the values.
 */
export interface ReadQuery {
  readonly texts: ReadonlyMap<string, string>;
  readonly flaws: readonly SpokenFlaw[];
}

interface InputReader {
  /** Reads the input. A request with flaws is refused. */
  read(
    this: void,
    request: Pick<Request, 'headers' | 'params'>,
    query: ReadQuery,
    body: () => Promise<Buffer>,
  ): Promise<InputValues>;
  /** The refusal of an input that was parsed but does not match the schema. */
  refusalOf(this: void, query: ReadQuery, error: z.ZodError): Problem;
}

/**
 * Prepares reading the input of one operation: its schema says which values come from the path, the query and the body.
 */
export const makeInputReader = ({ input, openapi, operation }: Operation): InputReader => {
  const { shape } = input;
  const inPath = new Set([...openapi.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''));
  const others = Object.keys(shape).filter((key) => !inPath.has(key));
  const hasBody = openapi.method === 'POST' || openapi.method === 'PATCH' ? others.length > 0 : false;

  const freeForm = others.filter((key) => isFreeForm(shape[key] ?? z.unknown()));

  const fromQuery = ({ texts, flaws: known }: ReadQuery): ReadInput => {
    const flaws = [...known];
    const values: InputValues = {};
    for (const [key, text] of texts) {
      const schema = hasBody || inPath.has(key) || !Object.hasOwn(shape, key) ? undefined : shape[key];
      if (schema) values[key] = convert(schema, text);
      else if (!flaws.some(({ path }) => path[0] === key)) flaws.push(unknownKey('query', key));
    }
    return { values, flaws };
  };

  const fromBody = (type: string | undefined, bytes: Buffer): ReadInput => {
    const { values, flaws: found } = readJson(type, bytes, freeForm);
    const flaws = found.filter((flaw) => !isOfItem(flaw, operation.itemsIn));
    for (const key of Object.keys(values)) if (inPath.has(key)) flaws.push(unknownKey('body', key));
    return { values, flaws };
  };

  const partOf = (key: string | number | undefined): SpokenFlaw['in'] => {
    if (typeof key === 'string' && inPath.has(key)) return 'path';
    return hasBody ? 'body' : 'query';
  };

  /**
   * The flaws of the query come first, in its order, then all others. If a value already has a flaw, the schema's flaws
   * of this value are left out.
   */
  const refusal = ({ texts }: ReadQuery, found: readonly SpokenFlaw[], bySchema: readonly SpokenFlaw[]): Problem => {
    const isKnown = (flaw: SpokenFlaw) =>
      found.some(({ in: part, path }) => part === flaw.in && path.length > 0 && startsWith(flaw.path, path));
    const withParts = bySchema.map((flaw) => ({ in: partOf(flaw.path[0]), ...flaw }));
    const all = [...found, ...withParts.filter((flaw) => !isKnown(flaw))];
    const keys = [...texts.keys()];
    const rankOf = ({ in: part, path }: SpokenFlaw): number => {
      if (part !== 'query') return keys.length + 1;
      const at = keys.indexOf(String(path[0]));
      return at < 0 ? keys.length : at;
    };
    const errors = all.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, flawsShown);
    return new Problem('validation_error', { errors });
  };

  return {
    async read({ headers, params }, query, body) {
      const { values, flaws } = fromQuery(query);
      if (hasBody) {
        const bytes = await body();
        try {
          const inBody = fromBody(headers['content-type'], bytes);
          flaws.push(...inBody.flaws);
          for (const key of Object.keys(inBody.values)) values[key] = inBody.values[key];
        } catch (error) {
          if (flaws.length === 0) throw error;
          throw refusal(query, [...flaws, ...flawsOfBody(error)], []);
        }
      } else if (openapi.method === 'POST' && flaws.length === 0) {
        await body(); // not part of the input, but of the fingerprint that recognises a repetition
      }
      for (const [name, text] of Object.entries(params)) values[name] = inPathOf(text);
      if (flaws.length === 0) return values;
      const { error } = input.safeParse(values);
      throw refusal(query, flaws, error ? flawsOf(error) : []);
    },
    refusalOf: (query, error) => refusal(query, [], flawsOf(error)),
  };
};

/**
 * A text of the path in the form that the action gets. In a path, any text that is not an id is answered with 404. This
 * includes a text with NUL, for which the check of all values would answer 422, and an empty text.
 */
const inPathOf = (text: unknown): string => (typeof text === 'string' && isStorable(text) ? text : '');

const startsWith = (path: SpokenFlaw['path'], start: SpokenFlaw['path']): boolean =>
  start.every((key, at) => path[at] === key);

/** The flaw of a body that could not be read at all. */
const flawsOfBody = (error: unknown): SpokenFlaw[] => {
  if (!(error instanceof Problem) || error.code !== 'validation_error') throw error;
  const { errors, field, detail } = error.spoken;
  const message = detail ?? fieldMessages.invalid;
  return errors?.slice() ?? [{ in: 'body', path: field === undefined ? [] : [field], code: 'custom', message }];
};

// Query

const decode = (text: string): string | undefined => percentDecoded(text.replaceAll('+', ' '));

/** Decodes a query strictly. */
export const readQuery = (url: string): ReadQuery => {
  const texts = new Map<string, string>();
  const flaws: SpokenFlaw[] = [];
  const start = url.indexOf('?');
  if (start < 0) return { texts, flaws };
  const given = new Set<string>();
  const note = (path: string[], code: string, message: string) => {
    if (!flaws.some((flaw) => flaw.code === code && startsWith(flaw.path, path)))
      flaws.push({ in: 'query', path, code, message: english(message) });
  };
  for (const part of url.slice(start + 1).split('&')) {
    if (part === '') continue;
    if (flaws.length >= flawsShown) break;
    const [name = '', ...rest] = part.split('=');
    const key = decode(name);
    const text = decode(rest.join('='));
    if (key === undefined) note([], 'invalid_encoding', notEncoded);
    else if (given.has(key)) note([key], 'duplicate', 'Given more than once');
    else if (given.size >= httpLimits.queryParameters) {
      const message = english(`The query has more than ${httpLimits.queryParameters} parameters`);
      return { texts: new Map(), flaws: [{ in: 'query', path: [], code: 'too_many', message }] };
    } else {
      given.add(key);
      const flaw = text === undefined ? undefined : (flawOfValue(key) ?? flawOfValue(text, [key]));
      if (text === undefined) note([key], 'invalid_encoding', notEncoded);
      else if (flaw) flaws.push({ in: 'query', ...flaw });
      else texts.set(key, text);
    }
  }
  return { texts, flaws };
};

const notEncoded = 'It is not percent-encoded UTF-8';

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
 * The values of a body, which must be a JSON object. Content that JSON allows but no value may have is a flaw. A body
 * with too many values is refused before it is parsed. Values of the fields in `freeForm` are returned as text, with
 * all digits of their numbers, unless they are null.
 */
export const readJson = (type: string | undefined, body: Buffer, freeForm: readonly string[] = []): ReadInput => {
  if (body.length > 0 && !isJson(type)) {
    fail('bad_request', { status: 415, detail: english('The body must be application/json in UTF-8.') });
  }
  const text = textOf(body);
  requireFewValues(text);
  const values = parse(text);
  if (!isObject(values)) return refuseBody('invalid_type', 'The body must be a JSON object');
  requireFewFields(values, freeForm);
  const flaws: SpokenFlaw[] = flawsOfValue(values).map((flaw) => ({ in: 'body', ...flaw }));
  // The schema's message would repeat an invalid key, and setting `__proto__` would change a prototype.
  if (flaws.length > 0) {
    for (const key of Object.keys(values))
      if (key === '__proto__' || flawOfValue(key)) Reflect.deleteProperty(values, key);
  }
  const given = freeForm.filter((field) => (values[field] ?? null) !== null);
  const exact = given.length > 0 ? parseExactly(text) : {};
  for (const field of given) values[field] = rawOfValue(Reflect.get(Object(exact), field));
  return { values, flaws };
};

const textOf = (body: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return refuseBody('invalid_json', 'The body is not UTF-8');
  }
};

const { bodyDepth, bodyValues, bodyKeys, ownKeys, nestedValues } = limits;

const refuseMany = (what: string): never => refuseBody('too_many', `The body has more than ${what}`);

const requireFewValues = (text: string): void => {
  const { depth, values, keys } = sizeOfJson(text);
  if (depth > bodyDepth) refuseBody('too_deep', `The body nests deeper than ${bodyDepth} levels`);
  if (values > bodyValues) refuseMany(`${bodyValues} values in all`);
  if (keys > bodyKeys) refuseMany(`${bodyKeys} keys in all`);
};

/** The values on all levels inside a value. */
const valuesIn = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, inner) => sum + 1 + valuesIn(inner), 0)
    : 0;

const requireFewFields = (values: InputValues, freeForm: readonly string[]): void => {
  const fields = Object.keys(values);
  if (fields.length > ownKeys) refuseMany(`${ownKeys} keys of its own`);
  const others = fields.filter((field) => !freeForm.includes(field));
  const nested = others.reduce((sum, field) => sum + valuesIn(values[field]), 0);
  if (nested > nestedValues) refuseMany(`${nestedValues} values inside of fields that are not free-form`);
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return refuseBody('invalid_json', 'The body is not JSON');
  }
};
