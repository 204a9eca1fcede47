import type { Request } from 'express';
import { z } from 'zod';
import { fail } from '../core/problem.ts';
import { RawJson } from '../core/raw-json.ts';
import { isFreeForm } from '../platform/free-form.ts';
import type { Operation } from '../trpc/operation.ts';
import { readJson, textsOf } from './read-json.ts';
import { readQuery } from './read-query.ts';

type Values = Record<string, unknown>;
/** The decoded parameters of a path. */
export type PathValues = Record<string, string | undefined>;

/** Writes a query's text as the type its schema declares; what isn't exactly such a text stays one, and the schema refuses it. */
const convert = (schema: z.core.$ZodType, text: string): unknown => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return convert(schema.unwrap(), text);
  }
  if (schema instanceof z.ZodNumber) return /^-?(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
  if (schema instanceof z.ZodBoolean) return text === 'true' ? true : text === 'false' ? false : text;
  return text;
};

const unknownKey = (key: string): never =>
  fail('validation_error', { errors: [{ path: [key], code: 'unrecognized_keys', message: 'Unknown key' }] });

const isPlainObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A way to read the input of one operation, made once: which values come in the path, the query and the body. */
export const inputReader = ({ operation, openapi }: Operation) => {
  const { shape } = operation.input;
  const inPath = new Set([...openapi.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''));
  const others = Object.keys(shape).filter((key) => !inPath.has(key));
  const hasBody = openapi.method === 'POST' || openapi.method === 'PATCH' ? others.length > 0 : false;

  const freeForm = others.filter((key) => isFreeForm(shape[key] ?? z.unknown()));
  /** The values of a body. A free-form one is passed on as it is written there: parsed, its numbers would lose digits. */
  const fromBody = (type: string | undefined, body: Buffer): [key: string, value: unknown][] => {
    const values = readJson(type, body);
    const given = freeForm.filter((key) => isPlainObject(values[key]));
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
      await body(); // means nothing to the operation, but a repetition is recognised by it too
    }
    return Object.assign(values, path);
  };
};
