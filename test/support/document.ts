import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import { z } from 'zod';
import { publicRouter } from '../../src/modules/public-router.ts';
import { openApiDocument } from '../../src/server/rest/openapi-document.ts';
import type { Operation } from '../../src/platform/trpc/procedures.ts';
import { linesOf, type Answer } from './client.ts';

const document = openApiDocument(publicRouter, 'http://localhost:3000');
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'api');

const Described = z.object({
  content: z.object({ 'application/problem+json': z.object({ examples: z.record(z.string(), z.unknown()) }) }),
});

const escape = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

/** Checks an answer against the OpenAPI document: status, media type, headers, body. */
export const expectDescribed = ({ openapi }: Pick<Operation, 'openapi'>, answer: Answer): void => {
  const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
  const own = document.paths?.[openapi.path]?.[methods[openapi.method]]?.responses?.[`${answer.status}`];
  expect(own, `${openapi.method} ${openapi.path} describes no ${answer.status}`).toBeDefined();
  // Problems are shared by operations: `#/components/responses/NotFound`.
  const shared = own && '$ref' in own ? own.$ref.split('/').slice(1) : undefined;
  const named = document.components?.responses?.[shared?.at(-1) ?? ''];
  const described = shared ? named : own;
  const response = shared ?? ['paths', openapi.path, methods[openapi.method], 'responses', String(answer.status)];
  const pointer = (...more: string[]) => `api#/${[...response, ...more].map(escape).join('/')}`;
  // All operations share the schema of problems; the examples of an operation name its codes.
  if (answer.status >= 400)
    expect(codesOf(described), `${openapi.path} ${answer.status}`).toContain(answer.body['code']);
  const headers = described && 'headers' in described ? described.headers : undefined;
  expect(headers, `${openapi.method} ${openapi.path} ${answer.status} has headers`).toBeDefined();
  // OpenAPI 3.1 has no schema for lines.
  const [schema, values] =
    type === 'application/x-ndjson' ? ['x-item-schema', linesOf(answer.text)] : ['schema', [answer.body]];
  for (const value of values) {
    const valid = ajv.validate(encodeURI(pointer('content', type, schema)), value);
    expect(valid, `${answer.status} ${type}: ${ajv.errorsText()}`).toBe(true);
  }
  for (const name of Object.keys(headers ?? {})) {
    // These two headers are not in every answer of a status.
    if (name !== 'Idempotent-Replayed' && name !== 'Retry-After') expect(answer.headers.has(name), name).toBe(true);
  }
};

const codesOf = (described: unknown): unknown[] =>
  Object.keys(Described.parse(described).content['application/problem+json'].examples);

/** Checks the body of an event against the OpenAPI document. */
export const expectDescribedEvent = (type: string, body: unknown): void => {
  const schema = ['webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'schema'].map(escape);
  const valid = ajv.validate(encodeURI(`api#/${schema.join('/')}`), body);
  expect(valid, `${type}: ${ajv.errorsText()}`).toBe(true);
};

const methods = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const;
