// trpc-to-openapi makes the OpenAPI document from the procedures, but this adapter calls them, because the library's own handler parses a body
// before anything about the caller is checked, loses digits of numbers, and answers errors in a form of its own. Here the gate (key, address,
// team, rate limits) comes first, numbers keep every digit, idempotency compares the exact bytes, and every error is a problem of the contract.

import { isUtf8 } from 'node:buffer';
import { TRPCError, type AnyRouter } from '@trpc/server';
import { Router, type Request, type RequestHandler } from 'express';
import findMyWay from 'find-my-way';
import { ZodError } from 'zod';
import { basePathOf, retirementHeaders, type Retirement } from '../../core/product.ts';
import { sha256 } from '../../core/crypto.ts';
import { fail, type Problem } from '../../core/problem.ts';
import { stringify } from '../../core/json.ts';
import { readBody } from '../http/bodies.ts';
import { admitKey, admittedKey, recordEnd, teamOf, type KeyedParts } from '../http/key-requests.ts';
import { contentOf, sendContent, type Content } from '../http/content.ts';
import {
  arrival,
  problemResponse,
  refuseDuringMaintenance,
  refuseWhileStopping,
  releaseSlotAfter,
  writeAnswer,
} from '../http/request-context.ts';
import { answerOnce } from '../../modules/idempotency/service.ts';
import type { Admission } from '../../modules/keys/admission.ts';
import { publicRouter } from '../../modules/public-router.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { noopTelemetry } from '../../platform/telemetry/telemetry.ts';
import type { KeyContext } from '../../platform/trpc/context.ts';
import { methods, operationsOf, type Operation } from '../../platform/trpc/procedures.ts';
import { openApiDocument } from './openapi-document.ts';
import { inputReader, readQuery, type PathValues } from './read-input.ts';

/** One version of the public API. Only this differs between versions; they share keys, budgets, idempotency and logs. */
export interface ApiVersion {
  /** As in the path: `v1`. */
  readonly version: string;
  /** The operations that it offers. */
  readonly router: AnyRouter;
  /** Its end, if announced. */
  readonly retirement?: Retirement | undefined;
}

export interface RestParts extends KeyedParts, Partial<ApiVersion> {
  /** The maximum size of an answer in bytes; by default the limit of all answers. */
  answerBytes?: number;
}

/** The public API: the middlewares that a request passes, in this order. */
export const restApp = ({
  platform,
  log,
  lifecycle,
  maintenance,
  admission,
  requestLog,
  telemetry = noopTelemetry(),
  version = 'v1',
  router = publicRouter,
  retirement,
  answerBytes,
}: RestParts): Router => {
  const { publicUrl } = platform;
  const served = { version, router, retirement };
  const isClosing = () => lifecycle.state === 'stopping' || maintenance.current !== undefined;
  const find = finderOf(router, { version, platform, isClosing });
  return Router({ caseSensitive: true, strict: true })
    .use(arrival(retirement && retirementHeaders(retirement, publicUrl))) // names the request and sets the headers of every answer
    .use(recordEnd({ log, telemetry, requestLog })) // at the end of the request: log, metrics, traces, the team's own log
    .use(refuseWhileStopping(lifecycle))
    .use(refuseDuringMaintenance(maintenance))
    .use(nameRoute(find)) // for the logs, also of requests that are refused
    .use(requireKey({ version, admission })) // key, addresses, team, both budgets
    .use(openApi(served, publicUrl))
    .use(operations(answerBytes)) // input → procedure → answer
    .use(problemResponse({ publicUrl, log, showsBudget: true })); // turns every error into a problem
};

declare module '../http/request-context.ts' {
  interface RequestContext {
    /** The operation of the request. */
    found?: Found;
  }
}

/** Admits or refuses a request by its key. The description needs no key, but counts. */
const requireKey =
  ({ version, admission }: { version: string; admission: Admission }): RequestHandler =>
  async (request, response, next) => {
    const decision = await admitKey(admission, request, response);
    if (!asksForOpenApi(version, request)) admittedKey(decision);
    request.context.passed = true;
    next();
  };

// Route, input, procedure, answer

interface Answer {
  status: number;
  header?: readonly [name: string, value: string];
  /** Undefined for an answer without a body. */
  body?: unknown;
}

type Handler = (request: Request, path: PathValues) => Promise<Answer>;

/**
 * The text of a header that may come only once; empty, and so invalid, if it came more often. Node decodes the bytes as Latin-1. Bytes that
 * are valid UTF-8 are decoded as UTF-8, so that characters are counted correctly.
 */
const onlyText = (given: readonly string[] | undefined): string | undefined => {
  const [text, ...more] = given ?? [];
  if (text === undefined) return undefined;
  if (more.length > 0) return '';
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : text;
};

/**
 * The path or route for the idempotency fingerprint and the request log: without the version in v1, with it in later versions. So an answer
 * of one version is never replayed in another, and stored values of v1 stay valid.
 */
const namedPath = (version: string, path: string): string => (version === 'v1' ? path : `/${version}${path}`);

/** The body of a request, read at the first use, and the idempotency of a POST, which needs the body. */
const bodyOf = (request: Request, team: Team, version: string) => {
  let reading: Promise<Buffer> | undefined;
  let bytes: Uint8Array = Buffer.alloc(0);
  let isReplay = false;
  const key = request.method === 'POST' ? onlyText(request.headersDistinct['idempotency-key']) : undefined;
  const repeatable = key !== undefined && {
    key,
    fingerprint: () => sha256(Buffer.concat([Buffer.from(`POST ${namedPath(version, request.path)}\n`), bytes])),
    // Set directly on the response: the first answer may have been a problem, which another middleware writes.
    onReplay: () => {
      isReplay = true;
      request.res?.setHeader('Idempotent-Replayed', 'true');
    },
  };
  return {
    read: () => (reading ??= readBody(request).then((all) => (bytes = all))),
    /** Counts the content of a request that succeeded for the team's storage. */
    count: () => {
      if (bytes.length > 0 && !isReplay) team.platform.storage.add(team.id, 'stored', bytes.length);
    },
    once: repeatable ? (action: (team: Team) => Promise<unknown>) => answerOnce(team, repeatable, action) : undefined,
  };
};

/** The problem or bug in a procedure, without tRPC's wrapper. A bad request is an input that the schema refused. */
export const unwrapped = (error: unknown, refusalOf: (schemaError: ZodError) => Problem): unknown => {
  if (!(error instanceof TRPCError)) return error;
  const { code, cause } = error;
  return code === 'BAD_REQUEST' && cause instanceof ZodError ? refusalOf(cause) : (cause ?? error);
};

const unlocated = (path: string): never => {
  throw new Error(`what POST ${path} created has no id`);
};

/** The path under which a new resource can be read. */
const locationOf = (version: string, path: string, answer: unknown): string =>
  typeof answer === 'object' && answer !== null && 'id' in answer
    ? `${basePathOf(version)}${path}/${encodeURIComponent(String(answer.id))}`
    : unlocated(path);

/** The parts that all routes of a version share. */
interface Serving {
  version: string;
  platform: Platform;
  /** Whether the process accepts no further requests. */
  isClosing: () => boolean;
}

/** Answers the requests of a route by calling its procedure. */
const handlerOf = ({ version, platform, isClosing }: Serving, compiled: Operation): Handler => {
  const { operation, openapi, procedure, name } = compiled;
  const { needsBy } = operation;
  const reader = inputReader(compiled);
  const call = { path: name, type: procedure._def.type, signal: undefined, batchIndex: 0 };

  return async (request, path) => {
    const { context } = request;
    const { language, decision, answering } = context;
    if (decision?.outcome !== 'admitted') return fail('unauthorized');
    const team = teamOf(decision.key, context, platform);
    const { read, count, once } = bodyOf(request, team, version);
    const ctx: KeyContext = {
      principal: { kind: 'key', scopes: decision.key.scopes },
      language,
      answering,
      team,
      isClosing,
      isExamined: true, // values are examined as they are read
      ...(needsBy && { deciding: { value: readQuery(request.url).texts.get(needsBy.parameter) } }),
      ...(once && { once }),
    };
    try {
      const body = await procedure({ ...call, ctx, getRawInput: () => reader.read(request, path, read) });
      count();
      if (!operation.located) return { status: operation.status, body };
      return { status: operation.status, header: ['Location', locationOf(version, openapi.path, body)], body };
    } catch (error) {
      throw unwrapped(error, (schemaError) => reader.refusalOf(request.url, schemaError));
    }
  };
};

/** A path's template as the router writes it. */
const patternOf = (path: string) => path.replace(/\{(\w+)\}/g, ':$1');

const routedMethods = [...methods, 'OPTIONS'] as const;

/** An operation with the values of a request's path. */
interface Found {
  handle: Handler;
  template: string;
  path: PathValues;
}

type Find = (method: string, path: string) => Found | undefined;

/** Finds the operation for a method and path. HEAD is GET without a body; OPTIONS names the methods. */
const finderOf = (router: AnyRouter, serving: Serving): Find => {
  const { version } = serving;
  const routes = findMyWay<findMyWay.HTTPVersion.V1>({ maxParamLength: 16_384 });
  const handlers = new Map<object, { handle: Handler; template: string }>();
  const methodsOf = new Map<string, Set<string>>();

  for (const operation of operationsOf(router)) {
    const { method, path } = operation.openapi;
    const mark = () => {};
    routes.on(method, patternOf(path), mark);
    handlers.set(mark, { handle: handlerOf(serving, operation), template: namedPath(version, path) });
    methodsOf.set(path, (methodsOf.get(path) ?? new Set()).add(method));
  }
  for (const [path, known] of methodsOf) {
    if (known.has('GET')) known.add('HEAD');
    const mark = () => {};
    const allowed = [...known, 'OPTIONS'].join(', ');
    routes.on('OPTIONS', patternOf(path), mark);
    handlers.set(mark, {
      template: namedPath(version, path),
      handle: async () => ({ status: 204, header: ['Allow', allowed] }),
    });
  }

  return (method, path) => {
    const wanted = routedMethods.find((routed) => routed === (method === 'HEAD' ? 'GET' : method));
    const match = wanted && routes.find(wanted, path);
    const found = match && handlers.get(match.handler);
    return found ? { ...found, path: match.params } : undefined;
  };
};

const nameRoute =
  (find: Find): RequestHandler =>
  ({ method, path, context }, _response, next) => {
    const found = find(method, path);
    if (found) {
      context.found = found;
      context.route = found.template;
    }
    next();
  };

/** Runs the operation and writes its answer. */
const operations =
  (max: number | undefined): RequestHandler =>
  async (request, response) => {
    const { handle, path } = request.context.found ?? fail('not_found');
    try {
      const { status, header, body } = await handle(request, path);
      response.statusCode = status;
      if (header) response.setHeader(...header);
      if (body === undefined) {
        response.end();
        return;
      }
      await writeAnswer(request, response, { type: 'application/json; charset=utf-8', text: stringify(body), max });
    } finally {
      // Not earlier: the read keeps its slot while its answer is created or compressed, even if the caller has disconnected.
      releaseSlotAfter(request.context.answering, response);
    }
  };

// The description

const openApiPath = (version: string) => `/openapi.${version}.json`;
const allowed = ['GET', 'HEAD', 'OPTIONS'];

/** Whether a request is for the description, which needs no key. */
const asksForOpenApi = (version: string, { path, method }: Request): boolean =>
  path === openApiPath(version) && allowed.includes(method);

/** Serves the API's description; 304 if the client has it already. */
const openApi = (served: ApiVersion, publicUrl: string): RequestHandler => {
  const { version } = served;
  let made: Promise<Content> | undefined;
  const make = (): Promise<Content> =>
    contentOf('application/json; charset=utf-8', JSON.stringify(openApiDocument(served.router, publicUrl, served)));
  return async (request, response, next) => {
    if (!asksForOpenApi(version, request)) {
      next();
      return;
    }
    request.context.route = openApiPath(version);
    if (request.method === 'OPTIONS') {
      response.setHeader('Allow', allowed.join(', '));
      response.status(204).end();
      return;
    }
    made ??= make();
    made.catch(() => (made = undefined));
    response.setHeader('Cache-Control', 'no-cache');
    sendContent(request, response, await made);
  };
};
