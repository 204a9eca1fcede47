import type { AnyProcedure } from '@trpc/server';
import { Router, type Request, type RequestHandler } from 'express';
import { english } from '../../core/language.ts';
import { documentationPath } from '../../core/product.ts';
import { fail, Problem, problems, type ProblemCode } from '../../core/problem.ts';
import { refuse, refuseWith, ScimProblem, type ScimType } from '../../core/scim/refusal.ts';
import { isObject, project } from '../../core/scim/resource.ts';
import { groupSchema, messageUrns, userSchema, type ResourceSchema } from '../../core/scim/schemas.ts';
import { isStorable } from '../../core/storable.ts';
import { readBody } from '../http/bodies.ts';
import { admitKey, admittedKey, recordEnd, teamOf, type KeyedParts } from '../http/key-requests.ts';
import {
  arrival,
  problemResponse,
  refuseDuringMaintenance,
  releaseSlotAfter,
  undecodable,
  writeAnswer,
  type ProblemFormat,
} from '../http/request-context.ts';
import { provisioning } from '../../modules/provisioning/procedures.ts';
import type { Telemetry } from '../../platform/telemetry/telemetry.ts';
import { namedProcedures } from '../../platform/trpc/procedures.ts';
import type { KeyContext } from '../../platform/trpc/context.ts';
import { readJson, readQuery, type ReadQuery } from '../rest/read-input.ts';
import { unwrap } from '../rest/rest-app.ts';
import { maxResults, providerConfig, resourceTypes, schemas } from './discovery.ts';

// SCIM 2.0 (RFC 7644): a second adapter over the procedures of the module `provisioning`, with the keys, budgets, log
// of requests and checks of the REST API. Paths, attributes and operators may be in upper or lower case.

declare module '../http/request-context.ts' {
  interface RequestContext {
    /** The size of a body that was read. */
    bodyBytes?: number;
  }
}

export interface ScimParts extends KeyedParts {
  telemetry: Telemetry;
}

/** Where directories reach the service. */
export const scimPath = /^\/scim\/v2/i;

const mediaType = 'application/scim+json; charset=utf-8';

/** The server for directories: the middlewares that a request passes, in this order. */
export const makeScimApp = (parts: ScimParts): Router => {
  const { platform, log, maintenance, admission } = parts;
  const { publicUrl } = platform;
  const requireKey: RequestHandler = async (request, response, next) => {
    admittedKey(await admitKey(admission, request, response));
    request.context.passed = true;
    next();
  };
  const app = Router({ caseSensitive: false, strict: false })
    .use(arrival())
    .use(inEnglish)
    .use(recordEnd(parts))
    .use(refuseDuringMaintenance(maintenance))
    .use(requireKey)
    .use(refuseNotOffered);
  addResources(app, parts, 'Users', userSchema);
  addResources(app, parts, 'Groups', groupSchema);
  addDiscovery(app, parts);
  return app
    .use(notFound)
    .use(undecodable())
    .use(problemResponse({ publicUrl, log, showsBudget: true, format: errorFormat }));
};

/** Only programs and their operators read the details of refusals, so these are in English. */
const inEnglish: RequestHandler = (request, response, next) => {
  request.context = { ...request.context, language: 'en' };
  response.setHeader('Content-Language', 'en');
  next();
};

// Refusals (RFC 7644, 3.12)

const statuses: Partial<Record<ProblemCode, number>> = { validation_error: 400, seat_limit_reached: 403 };
const kinds: Partial<Record<ProblemCode, ScimType>> = { validation_error: 'invalidValue', conflict: 'uniqueness' };

const errorFormat: ProblemFormat = {
  type: mediaType,
  statusOf: (problem) => (problem instanceof ScimProblem ? problem.status : (statuses[problem.code] ?? problem.status)),
  bodyOf: (problem, requestId) => {
    const { detail, errors = [] } = problem.members;
    const [flaw] = errors;
    const kind = flaw?.in === 'body' ? 'invalidSyntax' : kinds[problem.code];
    const scimType = problem instanceof ScimProblem ? problem.scimType : kind;
    return {
      schemas: [messageUrns.error],
      status: String(errorFormat.statusOf(problem)),
      ...(scimType !== undefined && { scimType }),
      detail: detail ?? (flaw ? `${flaw.path.join('.')}: ${flaw.message}` : problems[problem.code].advice.en),
      request_id: requestId,
    };
  },
};

/** Refuses the parts of RFC 7644 that the service does not offer. */
const refuseNotOffered: RequestHandler = ({ path, context }, _response, next) => {
  context.route = '/scim/v2';
  if (/^\/(?:me|bulk)(?:\/|$)|\/\.search$/i.test(path)) {
    refuseWith('not_found', 501, 'The service does not offer this. /ServiceProviderConfig says what it offers.');
  }
  next();
};

const notFound: RequestHandler = () => fail('not_found');

// Operations

const operations = namedProcedures(provisioning);
type OperationName = keyof typeof operations;

/** Calls a procedure. The body is read only after the checks of the caller. */
const call = async (
  { platform }: ScimParts,
  request: Request,
  name: OperationName,
  readInput: () => Promise<unknown>,
): Promise<unknown> => {
  const { context } = request;
  const { decision, language, answerProgress } = context;
  if (decision?.outcome !== 'admitted') return fail('unauthorized');
  const team = teamOf(decision.key, context, platform);
  const ctx: KeyContext = { team, language, answerProgress, principal: { kind: 'key', scopes: decision.key.scopes } };
  const procedure: AnyProcedure = operations[name];
  let input: Promise<unknown> | undefined;
  try {
    const answer: unknown = await procedure({
      path: name,
      type: procedure._def.type,
      signal: undefined,
      batchIndex: 0,
      ctx,
      getRawInput: () => (input ??= readInput()),
    });
    if (context.bodyBytes !== undefined) platform.storage.add(team.id, 'stored', context.bodyBytes);
    return answer;
  } catch (error) {
    throw unwrap(
      error,
      () => new Problem('validation_error', { field: 'body', detail: english('A value is not valid.') }),
    );
  }
};

const bodyOf = async (request: Request): Promise<Record<string, unknown>> => {
  const bytes = await readBody(request);
  const { values, flaws } = readJson(request.headers['content-type'], bytes);
  const [flaw] = flaws;
  if (flaw) refuse('invalidSyntax', `${flaw.path.join('.')}: ${flaw.message.en}`);
  request.context.bodyBytes = bytes.length;
  return values;
};

// Query

const numberOf = ({ texts }: ReadQuery, name: string, usual: number): number => {
  const text = textOf(texts, name);
  if (text === undefined) return usual;
  return /^-?\d{1,9}$/.test(text) ? Number(text) : refuse('invalidValue', `${name} must be a whole number.`);
};

/**
 * A parameter by its name, in upper or lower case. Other parameters are ignored, such as those for sorting, which the
 * service does not offer.
 */
const textOf = (texts: ReadonlyMap<string, string>, name: string): string | undefined => {
  for (const [key, text] of texts) if (key.toLowerCase() === name.toLowerCase()) return text;
  return undefined;
};

const queryOf = (request: Request): ReadQuery => {
  const query = readQuery(request.url);
  const [flaw] = query.flaws;
  if (flaw) refuse('invalidValue', `${flaw.path.join('.')}: ${flaw.message.en}`);
  return query;
};

const projectionOf = ({ texts }: ReadQuery) => ({
  attributes: textOf(texts, 'attributes'),
  excludedAttributes: textOf(texts, 'excludedAttributes'),
});

/** Whether an answer has the members of groups, which may be thousands. */
const showsMembers = (query: ReadQuery): boolean => {
  const { attributes, excludedAttributes } = projectionOf(query);
  const names = (text = '') => text.toLowerCase().split(/[,\s]+/);
  if (names(excludedAttributes).some((name) => name.endsWith('members'))) return false;
  return attributes === undefined || names(attributes).some((name) => name.includes('members'));
};

const pageOf = (query: ReadQuery) => ({
  start_index: Math.max(1, numberOf(query, 'startIndex', 1)),
  count: Math.min(maxResults, Math.max(0, numberOf(query, 'count', maxResults))),
});

// Resources

const send = async (request: Request, status: number, body: unknown): Promise<void> => {
  const { res: response, context } = request;
  if (!response) return;
  response.statusCode = status;
  try {
    await writeAnswer(request, response, { type: mediaType, text: JSON.stringify(body) });
  } finally {
    releaseSlotAfter(context.answerProgress, response);
  }
};

const listOf = (resources: readonly unknown[], total = resources.length, startIndex = 1) => ({
  schemas: [messageUrns.list],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});

const recordOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

const refuseMethod =
  (allowed: string): RequestHandler =>
  (_request, response) => {
    response.setHeader('Allow', allowed);
    fail('bad_request', { status: 405, detail: english(`This address takes ${allowed}.`) });
  };

const addResources = (app: Router, parts: ScimParts, kind: 'Users' | 'Groups', schema: ResourceSchema): void => {
  const one = kind === 'Users' ? 'User' : 'Group';
  const route =
    (path: string): RequestHandler =>
    ({ context }, _response, next) => {
      context.route = `/scim/v2/${path}`;
      next();
    };
  /** Answers with one resource. */
  const answering =
    (
      name: OperationName,
      status: number,
      readInput: (request: Request, query: ReadQuery) => Promise<unknown>,
    ): RequestHandler =>
    async (request, response) => {
      const query = queryOf(request);
      const { resource } = recordOf(await call(parts, request, name, () => readInput(request, query)));
      const shown = recordOf(resource);
      const { location } = recordOf(shown['meta']);
      if (status === 201 && typeof location === 'string') response.setHeader('Location', location);
      await send(request, status, project(schema, shown, projectionOf(query)));
    };
  /** The id in the address. A text that the database can't store can't be an id, so it finds nobody. */
  const idOf = ({ params: { id } }: Request): string => (typeof id === 'string' && isStorable(id) ? id : '');
  const withBody = async (request: Request) => ({ id: idOf(request), body: await bodyOf(request) });

  app
    .route(`/${kind}`)
    .all(route(kind))
    .get(async (request) => {
      const query = queryOf(request);
      const page = pageOf(query);
      const filter = textOf(query.texts, 'filter');
      const input = {
        ...page,
        ...(filter !== undefined && { filter }),
        ...(kind === 'Groups' && { with_members: showsMembers(query) }),
      };
      const found = recordOf(await call(parts, request, `list${kind}`, () => Promise.resolve(input)));
      const resources = Array.isArray(found['resources']) ? found['resources'] : [];
      const shown = resources.map((resource: unknown) => project(schema, recordOf(resource), projectionOf(query)));
      await send(request, 200, listOf(shown, Number(found['total']), page.start_index));
    })
    .post(answering(`create${one}`, 201, async (request) => ({ body: await bodyOf(request) })))
    .all(refuseMethod('GET, POST'));
  app
    .route(`/${kind}/:id`)
    .all(route(`${kind}/{id}`))
    .get(
      answering(`get${one}`, 200, (request, query) =>
        Promise.resolve({ id: idOf(request), ...(kind === 'Groups' && { with_members: showsMembers(query) }) }),
      ),
    )
    .put(answering(`replace${one}`, 200, withBody))
    .patch(answering(`patch${one}`, 200, withBody))
    .delete(async (request, response) => {
      await call(parts, request, `delete${one}`, () => Promise.resolve({ id: idOf(request) }));
      response.status(204).end();
    })
    .all(refuseMethod('GET, PUT, PATCH, DELETE'));
};

// Discovery (RFC 7644, 4)

const addDiscovery = (app: Router, parts: ScimParts): void => {
  const { publicUrl } = parts.platform;
  const base = `${publicUrl}/scim/v2`;
  const answering =
    (path: string, bodyFor: (request: Request) => unknown): RequestHandler =>
    async (request) => {
      request.context.route = `/scim/v2/${path}`;
      await call(parts, request, 'discover', () => Promise.resolve({}));
      if (textOf(queryOf(request).texts, 'filter') !== undefined) {
        refuseWith('bad_request', 403, 'This list can’t be filtered.');
      }
      await send(request, 200, bodyFor(request));
    };
  const byId = (all: readonly { id: string }[]) => (request: Request) => {
    const id = String(request.params['id'] ?? '').toLowerCase();
    return all.find((one) => one.id.toLowerCase() === id) ?? fail('not_found');
  };
  app
    .get(
      '/ServiceProviderConfig',
      answering('ServiceProviderConfig', () => providerConfig(base, `${publicUrl}${documentationPath}/directory`)),
    )
    .get(
      '/ResourceTypes',
      answering('ResourceTypes', () => listOf(resourceTypes(base))),
    )
    .get('/ResourceTypes/:id', answering('ResourceTypes/{id}', byId(resourceTypes(base))))
    .get(
      '/Schemas',
      answering('Schemas', () => listOf(schemas(base))),
    )
    .get('/Schemas/:id', answering('Schemas/{id}', byId(schemas(base))));
};
