import type { Request } from 'express';
import { z } from 'zod';
import { fail } from '../core/problem.ts';
import { freeFormRules } from '../platform/free-form.ts';
import type { Operation } from '../trpc/operations-of.ts';
import { readJson } from './read-json.ts';
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

/** A way to read the input of one operation, made once: which values come in the path, the query and the body. */
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

  return async (request: Request, path: PathValues, body: () => Promise<Buffer>): Promise<Values> => {
    const values = fromQuery(request.url);
    if (hasBody) {
      const inBody = readJson(request.headers['content-type'], await body(), freeForm);
      for (const [key, value] of Object.entries(inBody)) {
        values[key] = inPath.has(key) ? unknownKey(key) : value;
      }
    } else if (openapi.method === 'POST') {
      await body(); // means nothing to the operation, but a repetition is recognised by it too
    }
    return Object.assign(values, path);
  };
};
