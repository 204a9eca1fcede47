import { exampleIds } from '../../core/example-ids.ts';
import { isDeepStrictEqual } from 'node:util';
import type { generateOpenApiDocument } from 'trpc-to-openapi';
import { limits } from '../../core/limits.ts';
import { fieldMessages } from '../../core/messages/fields.ts';
import { accessMessages } from '../../core/messages/people.ts';
import {
  Problem,
  commonProblems,
  problemCodes,
  problems,
  type SpokenMembers,
  type ProblemCode,
} from '../../core/problem.ts';
import type { Scope } from '../../core/scopes.ts';
import { rateLimitOf, rateLimitPolicyOf } from '../http/key-requests.ts';
import { problemHeaders } from '../http/request-context.ts';
import type { NamedBudget } from '../../modules/keys/admission.ts';
import { problemBody } from '../../platform/problem-body.ts';

// The headers, parameters, problems and examples that operations share. Each is in the components of the OpenAPI
// document once.

export type Document = ReturnType<typeof generateOpenApiDocument>;
export type Components = NonNullable<Document['components']>;

export const fault = (message: string): never => {
  throw new Error(message);
};

/** `users:read`, `seat_limit_reached` and `crm.sync.failed` are `UsersRead`, `SeatLimitReached` and `CrmSyncFailed`. */
export const inPascalCase = (text: string): string =>
  text
    .split(/[^a-z]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

// Headers

const sampleBudgets: readonly NamedBudget[] = [
  { name: 'key', limit: limits.requestsPerKeyPerMinute, left: 98, resetSeconds: 31 },
  { name: 'team', limit: limits.requestsPerTeamPerMinute, left: 412, resetSeconds: 31 },
];

const allHeaders = {
  'X-Request-Id': {
    description: 'The id of this request. If the client sent a UUID, it is used.',
    schema: { type: 'string', format: 'uuid' },
  },
  'RateLimit-Limit': {
    description: 'Requests a minute in the budget with the fewest requests left.',
    schema: { type: 'integer', minimum: 1 },
  },
  'RateLimit-Remaining': { description: 'Requests left in this budget.', schema: { type: 'integer', minimum: 0 } },
  'RateLimit-Reset': {
    description: 'Seconds until this budget starts again.',
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimit: {
    description:
      'The requests left (`r`) in every budget that the request counts in, and the seconds until it starts again (`t`): of the key and its team, without a valid key of the address. As in draft-ietf-httpapi-ratelimit-headers; absent if no budget was read.',
    schema: { type: 'string', example: rateLimitOf(sampleBudgets) },
  },
  'RateLimit-Policy': {
    description: 'The size (`q`) of each of these budgets, and of its window in seconds (`w`).',
    schema: { type: 'string', example: rateLimitPolicyOf(sampleBudgets) },
  },
  'Content-Language': {
    description: 'The language of the texts for people.',
    schema: { type: 'string', enum: ['de', 'en'] },
  },
  'Retry-After': {
    description: 'Seconds to wait. Absent if waiting does not help.',
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': { description: 'The way to send a key.', schema: { type: 'string' } },
  Location: { description: 'Where the new entry can be read.', schema: { type: 'string', format: 'uri-reference' } },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored first answer.',
    schema: { type: 'string', enum: ['true'] },
  },
  Deprecation: {
    description: 'When this version is or was deprecated (RFC 9745): `@` and Unix seconds.',
    schema: { type: 'string', pattern: '^@\\d+$' },
  },
  Sunset: { description: 'When this version may stop answering (RFC 8594).', schema: { type: 'string' } },
  Link: {
    description:
      'The version that replaces this one (`successor-version`), and the page about its end (`deprecation`, `sunset`).',
    schema: { type: 'string' },
  },
} satisfies Components['headers'];

export type HeaderName = keyof typeof allHeaders;
export const isHeaderName = (name: string): name is HeaderName => Object.hasOwn(allHeaders, name);
/** The headers that every answer of any version has. */
const everyAnswer: readonly HeaderName[] = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
  'Content-Language',
];

const announcing: readonly HeaderName[] = ['Deprecation', 'Sunset', 'Link'];

/** The headers that a document describes. The headers about a version's end are included only if this is announced. */
export const headersWith = (announced: readonly HeaderName[]): Partial<typeof allHeaders> =>
  Object.fromEntries(
    Object.entries(allHeaders).filter(
      ([name]) => isHeaderName(name) && (!announcing.includes(name) || announced.includes(name)),
    ),
  );

export const headerRefs = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

// Parameters

export const parameters = {
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

export const lower = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const;

/** Moves identical parameters of several operations to components, and returns these components. */
export const shareParameters = (paths: Document['paths']): NonNullable<Components['parameters']> => {
  const operations = Object.values(paths ?? {}).flatMap((item) =>
    Object.values(lower).flatMap((method) => item[method] ?? []),
  );
  const counts = new Map<string, number>();
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
    const text = JSON.stringify(parameter);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const components: NonNullable<Components['parameters']> = {};
  for (const operation of operations) {
    operation.parameters = (operation.parameters ?? []).map((parameter) => {
      if (!('name' in parameter) || counts.get(JSON.stringify(parameter)) === 1) return parameter;
      const name = inPascalCase(parameter.name);
      components[name] ??= parameter;
      if (!isDeepStrictEqual(components[name], parameter)) return parameter;
      return { $ref: `#/components/parameters/${name}` };
    });
  }
  return components;
};

// Examples

interface Example {
  summary?: string;
  value: unknown;
}

/** The examples of bodies and problems. Equal ones are one component. */
export class Examples {
  readonly components: NonNullable<Components['examples']> = {};

  /** A reference to the example. It gets the first of these names that no other example has. */
  refOf(example: Example, ...names: readonly string[]): { $ref: string } {
    const name =
      names.find((one) => isDeepStrictEqual(this.components[one] ?? example, example)) ??
      fault(`several different examples are named ${names.join(' or ')}`);
    this.components[name] = example;
    return { $ref: `#/components/examples/${name}` };
  }
}

// Problems

/**
 * The scope in the example that all operations share. The description of an operation's 403 names the operation's
 * scope.
 */
const sampleScope: Scope = 'cases:read';

const sampleMembers: Partial<Record<ProblemCode, SpokenMembers & { isRunning?: boolean }>> = {
  insufficient_scope: { required_scope: sampleScope, detail: accessMessages.scopeNeeded(sampleScope) },
  // Every operation refuses unknown parameters.
  validation_error: {
    errors: [{ in: 'query', path: ['unknown'], code: 'unrecognized_keys', message: fieldMessages.unknown }],
  },
  rate_limited: { retry_after: 17 },
  conflict: { isRunning: true },
  kombination_ungueltig: { dimension: 'situation', id: exampleIds.unknownSituation },
};

const sampleSummaries: Partial<Record<ProblemCode, string>> = {
  insufficient_scope: `The answer of an operation that needs the scope \`${sampleScope}\`.`,
};

const sampleRequestId = '6f1c2f0e-6a52-4a5e-9a53-0f6f4d1f9a01';

/** The names of statuses in generated code. */
const statusNames: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  422: 'UnprocessableContent',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
};

const nameOfStatus = (status: number): string => statusNames[status] ?? fault(`status ${status} has no name`);

/**
 * The responses for failed requests. Operations with the same problems share one response, and all share the examples.
 */
export class ProblemResponses {
  readonly responses: NonNullable<Components['responses']> = {};
  /** The headers of every answer of the version. */
  readonly everyAnswer: readonly HeaderName[];
  readonly #publicUrl: string;
  readonly #examples: Examples;

  constructor(publicUrl: string, announced: readonly HeaderName[], examples: Examples) {
    this.#publicUrl = publicUrl;
    this.#examples = examples;
    this.everyAnswer = [...everyAnswer, ...announced];
  }

  /**
   * A reference to the response for a status: its possible codes, with an example of each. Operations with different
   * scopes share it, so the reference has a description of its own, with the scope.
   */
  refOf(status: number, codes: readonly ProblemCode[], scope: Scope | null): { $ref: string; description?: string } {
    const name = nameOfResponse(status, codes);
    const samples = codes.map((code) => new Problem(code, { ...sampleMembers[code], status }));
    const response = {
      description: describe(codes),
      headers: headerRefs([
        ...this.everyAnswer,
        ...samples.flatMap((sample) => Object.keys(problemHeaders(sample)).filter(isHeaderName)),
      ]),
      content: {
        'application/problem+json': {
          schema: { $ref: '#/components/schemas/Problem' },
          examples: Object.fromEntries(samples.map((sample) => [sample.code, this.#exampleOf(sample)])),
        },
      },
    };
    this.responses[name] ??= response;
    if (!isDeepStrictEqual(this.responses[name], response)) fault(`two different responses are named ${name}`);
    const $ref = `#/components/responses/${name}`;
    return scope !== null && codes.includes('insufficient_scope')
      ? { $ref, description: describe(codes, scope) }
      : { $ref };
  }

  #exampleOf(problem: Problem): { $ref: string } {
    const { code, status } = problem;
    const name = inPascalCase(code) + (status === problems[code].status ? '' : nameOfStatus(status));
    const summary = sampleSummaries[code];
    const value = problemBody(problem, 'en', sampleRequestId, this.#publicUrl);
    return this.#examples.refOf(summary === undefined ? { value } : { summary, value }, name);
  }
}

const describe = (codes: readonly ProblemCode[], scope?: Scope): string =>
  codes
    .map((code) => {
      const lacksScope = code === 'insufficient_scope' && scope !== undefined;
      return `\`${code}\`: ${lacksScope ? `The key lacks the scope \`${scope}\`` : problems[code].title.en}.`;
    })
    .join(' ');

/** The name of a response, from the codes that not every operation has. */
const nameOfResponse = (status: number, codes: readonly ProblemCode[]): string => {
  const isSaid = (code: ProblemCode) => isCommon(code) || inPascalCase(code) === nameOfStatus(status);
  const distinct = codes.length === 1 ? [] : codes.filter((code) => !isSaid(code));
  // If the name were only the status, two responses would share it: a 409 with `conflict`, and a 409 without.
  const own = problemCodes.find((code) => inPascalCase(code) === nameOfStatus(status));
  const isNamedAfterStatus = distinct.length === 0 || own === undefined || codes.includes(own);
  return [...(isNamedAfterStatus ? [nameOfStatus(status)] : []), ...distinct.map(inPascalCase)].join('');
};

const common: readonly ProblemCode[] = commonProblems;
const isCommon = (code: ProblemCode): boolean => common.includes(code);
