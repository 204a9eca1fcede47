import { isDeepStrictEqual } from 'node:util';
import type { AnyRouter } from '@trpc/server';
import { generateOpenApiDocument } from 'trpc-to-openapi';
import { z } from 'zod';
import { utcDay } from '../../core/clock.ts';
import { basePathOf, retirementHeaders, serviceName, type Retirement } from '../../core/product.ts';
import { commonProblems, problemCodes, problems, type ProblemCode } from '../../core/problem.ts';
import { ProblemSchema } from '../../platform/problem-body.ts';
import { operationsOf, type Operation } from '../../platform/trpc/procedures.ts';
import { openEnums, walk, freeForms, nameFreeForm } from './openapi-enums.ts';
import {
  Examples,
  fault,
  headerRefs,
  headersWith,
  isHeaderName,
  lower,
  parameters,
  ProblemResponses,
  shareParameters,
  type Document,
  type HeaderName,
} from './openapi-shared.ts';
import { eventHeaders, eventResponses, eventSchemas, webhooks } from './openapi-webhooks.ts';
import { ndjson } from './streamed-answer.ts';

type PathItem = NonNullable<NonNullable<Document['paths']>[string]>;
type OperationObject = NonNullable<PathItem['get']>;
type Responses = NonNullable<OperationObject['responses']>;
type BodySchema = NonNullable<NonNullable<Document['components']>['schemas']>[string];

const tags: Readonly<Record<string, string>> = {
  me: 'The key itself.',
  users: 'Members of the team: read, invite, change role, remove.',
  trainings: 'Practice sessions and how they were scored: metadata and evaluations, no transcripts.',
  evaluations: 'Scored sessions in the order of their evaluation.',
  assignments: 'Tasks for members: conversations to practise.',
  cases: 'The team’s customer cases.',
  catalog: 'The items that the team can practise with, as far as its policy releases them.',
  analytics: 'Aggregated figures of the team.',
  'webhook-endpoints': 'The URLs to which events of the team are sent, and the deliveries to them.',
  'webhook-deliveries': 'Single deliveries of events.',
  events: 'The event feed: the events of the team, to read instead of webhooks or beside them.',
  deletions: 'The ids of rows that a list no longer has.',
  'audit-entries': 'The audit log of the team: who did what, when and from where.',
  exports: 'All rows of a list in one response, for copies and data warehouses.',
  crm: 'Deals and objections as the last synchronization of the CRM found them.',
};

/** Whether the body of a request is read. The body of a POST always is, because it identifies a repeated request. */
const readsBody = ({ openapi: { method } }: Operation) => method === 'POST' || method === 'PATCH';

/** The parts of the document that operations share. */
interface SharedParts {
  problemResponses: ProblemResponses;
  examples: Examples;
}

/**
 * The last line of a streamed answer. It is not a component: linters report one as unused if only an extension refers to it.
 */
const exportEnd = {
  type: 'object' as const,
  description: 'The last line of an export that has all rows.',
  properties: {
    cursor: {
      type: 'string' as const,
      description: 'Where the next export of this resource goes on: send it as `cursor`.',
    },
  },
  required: ['cursor'],
};

/**
 * The content of a streamed answer: lines. OpenAPI 3.1 can't describe the form of a line, so it is in an extension.
 * `page`: the schema of a page.
 */
const linesOf = (page: BodySchema | undefined, row: Operation, { examples }: SharedParts) => {
  const { data, cursor } = StreamedExample.parse(row.operation.example.output);
  const text = [...data, { cursor }].map((line) => `${JSON.stringify(line)}\n`).join('');
  const rows = page && 'properties' in page ? page.properties?.['data'] : undefined;
  return {
    [ndjson]: {
      schema: {
        type: 'string' as const,
        description: 'A line of JSON for each row, and one for the end: each as `x-item-schema` says.',
      },
      'x-item-schema': {
        anyOf: [rows && 'items' in rows ? rows.items : fault('rows without a form'), exportEnd],
      },
      examples: { example: examples.refOf({ value: text }, ...exampleNames(undefined, row, 'Answer')) },
    },
  };
};

const StreamedExample = z.object({ data: z.array(z.unknown()), cursor: z.string() });

const schemaIdOf = ({ output }: Operation): string | undefined => z.globalRegistry.get(output)?.id;

/** The name of a request body: `NewCase` for a POST that answers with a `Case`, `CaseChanges` for a PATCH. */
const bodyNameOf = (row: Operation): string | undefined => {
  const resource = schemaIdOf(row)?.replace(/^Created/, '');
  if (resource === undefined) return undefined;
  return row.openapi.method === 'POST' ? `New${resource}` : `${resource}Changes`;
};

/**
 * An example is named like its schema. If other operations have another example of this schema, it is named like the
 * operation.
 */
const exampleNames = (schema: string | undefined, { openapi: { operationId } }: Operation, part: string): string[] => [
  ...(schema === undefined ? [] : [schema]),
  `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}${part}`,
];

/**
 * Problems in the same order for all operations, so that operations with the same problems can share a response. Those
 * that every operation has come first.
 */
const inOrder = (codes: readonly ProblemCode[]): ProblemCode[] =>
  [...new Set([...commonProblems, ...problemCodes])].filter((code) => codes.includes(code));

/** The responses of an operation by status: its success, and every problem that it can answer with. */
const responsesOf = (object: OperationObject, row: Operation, shared: SharedParts): Responses => {
  const { operation, openapi } = row;
  const { problemResponses, examples } = shared;
  const success = object.responses?.['200'];
  const content = success && 'content' in success ? success.content : undefined;
  const json = content?.['application/json'];
  const names: HeaderName[] = [...problemResponses.everyAnswer];
  if (operation.located) names.push('Location');
  if (openapi.method === 'POST') names.push('Idempotent-Replayed');

  const codesByStatus = new Map<number, ProblemCode[]>();
  const add = (status: number, code: ProblemCode) =>
    codesByStatus.set(status, [...(codesByStatus.get(status) ?? []), code]);
  for (const code of new Set([...commonProblems, ...operation.errors])) add(problems[code].status, code);
  if (readsBody(row)) for (const status of [413, 415]) add(status, 'bad_request');

  return {
    [operation.status]: {
      description: openapi.summary,
      headers: headerRefs(names),
      content: operation.streamed
        ? linesOf(json?.schema, row, shared)
        : {
            'application/json': {
              ...json,
              examples: {
                example: examples.refOf(
                  { value: operation.example.output },
                  ...exampleNames(schemaIdOf(row), row, 'Answer'),
                ),
              },
            },
          },
    },
    ...Object.fromEntries(
      [...codesByStatus]
        .sort(([a], [b]) => a - b)
        .map(([status, codes]) => [status, problemResponses.refOf(status, inOrder(codes), operation.scope)]),
    ),
  };
};

/** Moves a request body into the components, so that generators give it a name. */
const nameBody = (object: OperationObject, row: Operation): [name: string, schema: BodySchema] | undefined => {
  const body = object.requestBody;
  const json = body && 'content' in body ? body.content['application/json'] : undefined;
  const name = bodyNameOf(row);
  if (!json?.schema || name === undefined) return undefined;
  const { schema } = json;
  json.schema = { $ref: `#/components/schemas/${name}` };
  return [name, { ...schema, description: `The body of \`${row.operation.route}\`.` }];
};

/** Values of a parameter that need a scope in addition to that of the operation, each with this scope. */
const furtherScopes = ({ scope, needsBy }: Operation['operation']) => {
  const further = Object.entries(needsBy?.needs ?? {}).filter(([, needs]) => needs.scope && needs.scope !== scope);
  if (!needsBy || further.length === 0) return undefined;
  return { [needsBy.parameter]: Object.fromEntries(further.map(([value, needs]) => [value, needs.scope])) };
};

const complete = (object: OperationObject, row: Operation, shared: SharedParts): void => {
  const { operation, openapi } = row;
  object.security = [{ apiKey: [] }];
  // Linters report an error if the scope of a key is next to the name of its scheme.
  if (operation.scope !== null) object['x-required-scope'] = operation.scope;
  const further = furtherScopes(operation);
  if (further) object['x-required-scope-by-parameter'] = further;
  object.responses = responsesOf(object, row, shared);
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
    if (json)
      json.examples = { example: shared.examples.refOf({ value }, ...exampleNames(bodyNameOf(row), row, 'Body')) };
  }
  for (const parameter of object.parameters) {
    if (!('name' in parameter)) continue;
    const given = example.find(([key]) => key === parameter.name);
    if (given) parameter.example = given[1];
    // Zod's wrapper has the description of an optional value, but the generator drops the wrapper.
    const schema = row.input.shape[parameter.name];
    const said = schema && z.globalRegistry.get(schema)?.description;
    if (said !== undefined && !('description' in (parameter.schema ?? {}))) parameter.description = said;
  }
};

interface DescribedVersion {
  /** The version in the form of the path: `v1`. */
  version: string;
  retirement?: Retirement | undefined;
}

/** The introduction of the description: the guarantees of the version, and its end if that is announced. */
const introduction = ({ version, retirement }: DescribedVersion): string => {
  const promise = `The REST API of one team on the sales-training platform. Inside ${version} only additions are made; ignore fields you do not know.`;
  if (!retirement) return promise;
  const { deprecatedAt, sunsetAt, successorUrl } = retirement;
  const end = sunsetAt ? ` It may stop answering on ${utcDay(sunsetAt)}.` : '';
  const successor = successorUrl === undefined ? '' : ` It is replaced by ${successorUrl}.`;
  return `${promise} ${version} is deprecated as of ${utcDay(deprecatedAt)}.${end}${successor}`;
};

/** The OpenAPI 3.1 description of a version of the public API, generated from the operations. */
export const openApiDocument = (
  router: AnyRouter,
  publicUrl: string,
  described: DescribedVersion = { version: 'v1' },
): Document => {
  const { version, retirement } = described;
  const announced = retirement ? Object.keys(retirementHeaders(retirement, publicUrl)).filter(isHeaderName) : [];
  const document = generateOpenApiDocument(router, {
    title: serviceName,
    version: `${version.slice(1)}.0.0`,
    description: introduction(described),
    baseUrl: `${publicUrl}${basePathOf(version)}`,
    openApiVersion: '3.1.0',
    contact: { name: serviceName, url: `${publicUrl}/developers` },
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

  const examples = new Examples();
  const problemResponses = new ProblemResponses(publicUrl, announced, examples);
  const bodies = new Map<string, BodySchema>();
  for (const row of operationsOf(router)) {
    const object = document.paths?.[row.openapi.path]?.[lower[row.openapi.method]];
    if (!object) throw new Error(`${row.operation.route} is missing from the document`);
    complete(object, row, { problemResponses, examples });
    const named = nameBody(object, row);
    if (named) bodies.set(...named);
    if (retirement) object.deprecated = true;
  }
  const used = new Set(operationsOf(router).flatMap(({ openapi }) => openapi.tags));
  document.tags = [...used].map((name) => ({
    name,
    description: tags[name] ?? fault(`tag ${name} has no description`),
  }));
  document.webhooks = webhooks();
  document.components = {
    ...document.components,
    headers: headersWith(announced),
    parameters: { ...parameters, ...eventHeaders, ...shareParameters(document.paths) },
    responses: { ...problemResponses.responses, ...eventResponses },
    examples: examples.components,
  };
  nameFreeForm([document, ...bodies.values()]);
  dropNumberBounds(document);
  openAnswers(document.components.schemas);
  // Requests are added last, so that `openAnswers` does not change them: in requests, unknown fields are forbidden.
  const requests = Object.fromEntries(bodies);
  const { schemas = {}, parameters: shared } = document.components;
  document.components.schemas = {
    ...freeForms,
    ...openEnums(schemas, [document.paths, shared, requests]),
    ...requests,
  };
  return document;
};

/** Removes the bounds of a double, which the generator writes for every integer and which customers can't use. */
const dropNumberBounds = (document: unknown): void =>
  walk(document, (schema) => {
    if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
    if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  });

/** Answers may gain fields at any time, so their schemas must allow additional fields. This is the default. */
const openAnswers = (answerSchemas: unknown): void =>
  walk(answerSchemas, (schema) => {
    const { properties } = schema;
    // Free-form objects and records, whose names are data, have no fields of their own.
    const hasFields = properties !== undefined && !isDeepStrictEqual(properties, {});
    // Only an explicit `true` is meaningful: the schema has further fields.
    if (hasFields && schema['additionalProperties'] !== true) delete schema['additionalProperties'];
  });
