import { isRecord } from '../core/is-record.ts';
import type { AnyRouter } from '@trpc/server';
import { generateOpenApiDocument } from 'trpc-to-openapi';
import { z } from 'zod';
import { basePath } from '../core/base-path.ts';
import { limits } from '../core/limits.ts';
import { Problem, ProblemMembers } from '../core/problem.ts';
import { commonProblems, problemCodes, problems } from '../core/problem-catalogue.ts';
import type { ProblemCode } from '../core/problem-catalogue.ts';
import type { Scope } from '../core/scopes.ts';
import { problemBody, problemHeaders } from '../http/exchange.ts';
import { operationsOf } from '../trpc/operation.ts';
import type { Operation } from '../trpc/operation.ts';
import { eventHeaders, eventSchemas, webhooks } from './openapi-webhooks.ts';

type Document = ReturnType<typeof generateOpenApiDocument>;
type Components = NonNullable<Document['components']>;
type PathItem = NonNullable<NonNullable<Document['paths']>[string]>;
type OperationObject = NonNullable<PathItem['get']>;
type Responses = NonNullable<OperationObject['responses']>;
type Row = Operation['operation'];

const ProblemSchema = z
  .object({
    type: z.url().meta({ description: 'Opens the page about this error.' }),
    title: z.string().meta({ description: 'In the language of `Accept-Language`.' }),
    status: z.int(),
    code: z.enum(problemCodes).meta({ description: 'Stable: match on this.' }),
    request_id: z.guid().meta({ description: 'Also in `X-Request-Id`.' }),
  })
  .extend(ProblemMembers.shape)
  .meta({ id: 'Problem', description: 'An error (RFC 9457).' });

const headers = {
  'X-Request-Id': {
    description: 'Names this request; a UUID that the client sent is kept.',
    schema: { type: 'string', format: 'uuid' },
  },
  'RateLimit-Limit': { description: 'The budget nearest to its end: requests a minute.', schema: { type: 'integer' } },
  'RateLimit-Remaining': { description: 'Requests left in it.', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until it starts anew.', schema: { type: 'integer' } },
  'Content-Language': {
    description: 'The language of what is written for people.',
    schema: { type: 'string', enum: ['de', 'en'] },
  },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
  'WWW-Authenticate': { description: 'How to show a key.', schema: { type: 'string' } },
  Location: { description: 'Where the new entry can be read.', schema: { type: 'string', format: 'uri-reference' } },
  'Idempotent-Replayed': {
    description: '`true` when this is the first answer again.',
    schema: { type: 'string', enum: ['true'] },
  },
} satisfies Components['headers'];

type HeaderName = keyof typeof headers;
const isHeaderName = (name: string): name is HeaderName => Object.hasOwn(headers, name);
const everyAnswer: readonly HeaderName[] = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Content-Language',
];

const headerRefs = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const parameters = {
  AcceptLanguage: {
    name: 'Accept-Language',
    in: 'header',
    description: '`de` or `en`; anything else gives `de`.',
    schema: { type: 'string', example: 'en' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: `Repeats of this POST with the same key and body get the first answer for ${limits.idempotencyHours} hours.`,
    schema: { type: 'string', minLength: 1, maxLength: limits.idempotencyKeyCharacters },
  },
} satisfies Components['parameters'];

const tags: Readonly<Record<string, string>> = {
  me: 'The key itself.',
  users: 'Members of the team: read, invite, change role, remove.',
  trainings: 'Practice sessions and how they were scored: metadata and evaluations, no transcripts.',
  evaluations: 'Scored sessions in the order of their evaluation.',
  assignments: 'What members are asked to practise.',
  cases: 'The team’s customer cases.',
  catalog: 'What can be practised, as far as the team’s policy releases it.',
  analytics: 'How the team does.',
  'webhook-endpoints': 'Where events of the team are sent to, and what was sent there.',
  'webhook-deliveries': 'Single deliveries of events.',
  crm: 'Deals and objections as the last synchronization of the CRM found them.',
};

const sampleMembers = (scope: Scope | null): Partial<Record<ProblemCode, ProblemMembers>> => ({
  ...(scope !== null && {
    insufficient_scope: { required_scope: scope, detail: `This operation needs the scope ${scope}.` },
  }),
  validation_error: { errors: [{ path: ['limit'], code: 'too_big', message: 'Too big: expected number to be <=200' }] },
  rate_limited: { retry_after: 17 },
  kombination_ungueltig: { dimension: 'situation', id: '01990c1e-7a00-7000-8000-000000000099' },
});

const sampleRequestId = '6f1c2f0e-6a52-4a5e-9a53-0f6f4d1f9a01';

/** One response for a status: the codes it can carry and an example of each. */
const problemResponse = (status: number, codes: readonly ProblemCode[], { scope }: Row, publicUrl: string) => {
  const members = sampleMembers(scope);
  const samples = codes.map((code) => new Problem(code, { ...members[code], status }));
  const more = samples.flatMap((sample) => Object.keys(problemHeaders(sample)).filter(isHeaderName));
  return {
    description: codes.map((code) => `\`${code}\`: ${problems[code].title.en}.`).join(' '),
    headers: headerRefs([...everyAnswer, ...more]),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Problem' },
            { type: 'object' as const, properties: { code: { enum: [...codes] } } },
          ],
        },
        examples: Object.fromEntries(
          samples.map((sample) => [sample.code, { value: problemBody(sample, 'en', sampleRequestId, publicUrl) }]),
        ),
      },
    },
  };
};

const hasBody = (operation: OperationObject) => operation.requestBody !== undefined;

/** Every answer of an operation: its success, and each problem it can give, by status. */
const responsesOf = (object: OperationObject, { operation, openapi }: Operation, publicUrl: string): Responses => {
  const success = object.responses?.['200'];
  const content = success && 'content' in success ? success.content : undefined;
  const json = content?.['application/json'];
  const names: HeaderName[] = [...everyAnswer];
  if (operation.located) names.push('Location');
  if (openapi.method === 'POST') names.push('Idempotent-Replayed');

  const codesByStatus = new Map<number, ProblemCode[]>();
  const add = (status: number, code: ProblemCode) =>
    codesByStatus.set(status, [...(codesByStatus.get(status) ?? []), code]);
  for (const code of new Set([...commonProblems, ...operation.errors])) add(problems[code].status, code);
  if (hasBody(object)) for (const status of [413, 415]) add(status, 'bad_request');

  return {
    [operation.status]: {
      description: openapi.summary,
      headers: headerRefs(names),
      content: { 'application/json': { ...json, examples: { example: { value: operation.example.output } } } },
    },
    ...Object.fromEntries(
      [...codesByStatus]
        .sort(([a], [b]) => a - b)
        .map(([status, codes]) => [status, problemResponse(status, codes, operation, publicUrl)]),
    ),
  };
};

const complete = (object: OperationObject, row: Operation, publicUrl: string): void => {
  const { operation, openapi } = row;
  object.security = [{ apiKey: operation.scope === null ? [] : [operation.scope] }];
  object.responses = responsesOf(object, row, publicUrl);
  object.parameters = [
    ...(object.parameters ?? []),
    { $ref: '#/components/parameters/AcceptLanguage' },
    ...(openapi.method === 'POST' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ];
  const inPath = new Set(openapi.path.match(/(?<=\{)\w+(?=\})/g));
  const example = Object.entries(operation.example.input ?? {});
  const body = object.requestBody;
  if (body && 'content' in body) {
    const value = Object.fromEntries(example.filter(([key]) => !inPath.has(key)));
    const json = body.content['application/json'];
    if (json) json.examples = { example: { value } };
  }
  for (const parameter of object.parameters) {
    if (!('name' in parameter)) continue;
    const given = example.find(([key]) => key === parameter.name);
    if (given) parameter.example = given[1];
    // What is said of an optional value is said of the wrapping, which the generator takes off.
    const schema = operation.input.shape[parameter.name];
    const said = schema && z.globalRegistry.get(schema)?.description;
    if (said !== undefined && !('description' in (parameter.schema ?? {}))) parameter.description = said;
  }
};

/** The OpenAPI 3.1 description of the public API, made from the operations' own rows. */
export const openApiDocument = (router: AnyRouter, publicUrl: string): Document => {
  const document = generateOpenApiDocument(router, {
    title: 'Team Customer API',
    version: '1.0.0',
    description:
      'The REST API of one team on the sales-training platform. Inside v1 only additions are made; ignore fields you do not know.',
    baseUrl: basePath,
    openApiVersion: '3.1.0',
    license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    securitySchemes: {
      apiKey: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'svck_live_<prefix>_<secret>',
        description: 'A key of the team, made in the app. What it may do is fixed when it is made.',
      },
    },
    defs: { Problem: ProblemSchema, ...eventSchemas() },
  });

  for (const row of operationsOf(router)) {
    const object = document.paths?.[row.openapi.path]?.[lower[row.openapi.method]];
    if (!object) throw new Error(`${row.operation.route} is missing from the document`);
    complete(object, row, publicUrl);
  }
  const used = new Set(operationsOf(router).flatMap(({ openapi }) => openapi.tags));
  document.tags = [...used].map((name) => ({
    name,
    description: tags[name] ?? fault(`tag ${name} has no description`),
  }));
  document.webhooks = webhooks();
  document.components = { ...document.components, headers, parameters: { ...parameters, ...eventHeaders } };
  dropNumberBounds(document);
  openAnswers(document.components.schemas);
  return document;
};

const lower = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const;

const fault = (message: string): never => {
  throw new Error(message);
};

const walk = (value: unknown, visit: (schema: Record<string, unknown>) => void): void => {
  if (!isRecord(value)) return;
  visit(value);
  for (const inner of Object.values(value)) walk(inner, visit);
};

/** Takes out what the generator writes for every integer and what no customer can use: the bounds of a double. */
const dropNumberBounds = (document: unknown): void =>
  walk(document, (schema) => {
    if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
    if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  });

/** Answers may gain fields at any time: their schemas must not forbid them to a client that validates. */
const openAnswers = (answerSchemas: unknown): void =>
  walk(answerSchemas, (schema) => {
    if (schema['additionalProperties'] === false) delete schema['additionalProperties'];
  });
