// trpc-to-openapi makes the OpenAPI document from the procedures, and this adapter calls them. The library's own
// handler (3.3.0) changes the live Zod schemas to coerce values, so the app would read "false" as true, too. It neither
// decodes path parameters nor distinguishes upper and lower case in paths, answers every HEAD with 204, and
// JSON.stringify loses digits of numbers in free-form values.

import { isUtf8 } from 'node:buffer';
import { TRPCError, type AnyRouter } from '@trpc/server';
import { Router, type Request, type RequestHandler } from 'express';
import { ZodError } from 'zod';
import { basePathOf, retirementHeaders, type Retirement } from '../../core/product.ts';
import { sha256 } from '../../core/crypto.ts';
import { fail, type Problem } from '../../core/problem.ts';
import { stringify } from '../../core/json.ts';
import { readBody } from '../http/bodies.ts';
import { admitKey, admittedKey, countingFurther, recordEnd, teamOf, type KeyedParts } from '../http/key-requests.ts';
import { contentOf, sendContent, type Content } from '../http/content.ts';
import {
  arrival,
  problemResponse,
  refuseDuringMaintenance,
  releaseSlotAfter,
  undecodable,
  writeAnswer,
} from '../http/request-context.ts';
import { answerOnce } from '../../modules/idempotency/service.ts';
import { descriptionAdmission, type Admission } from '../../modules/keys/admission.ts';
import { publicRouter } from '../../modules/public-router.ts';
import { storedRowBytes } from '../../platform/storage-counter.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { noopTelemetry } from '../../platform/telemetry/telemetry.ts';
import type { KeyContext } from '../../platform/trpc/context.ts';
import { operationsOf, type Operation } from '../../platform/trpc/procedures.ts';
import { openApiDocument } from './openapi-document.ts';
import { makeInputReader, readQuery, type InputValues } from './read-input.ts';
import { makeStreams, type CallPage } from './streamed-answer.ts';

/**
 * One version of the public API. Only these fields differ between versions; they share keys, budgets, idempotency and
 * logs.
 */
export interface ApiVersion {
  /** The version in the form of the path: `v1`. */
  readonly version: string;
  /** The operations of the version. */
  readonly router: AnyRouter;
  /** The announced end of the version, if there is one. */
  readonly retirement?: Retirement | undefined;
}

export interface RestParts extends KeyedParts, Partial<ApiVersion> {
  /** The maximum size of an answer in bytes; by default the limit of all answers. */
  answerBytes?: number;
}

/** The public API: the middlewares that a request passes, in this order. */
export const makeRestApp = ({
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
  const isClosing = () => lifecycle.state === 'stopping' || maintenance.current !== undefined;
  const requireKey = admitting(admission);
  const api = Router({ caseSensitive: true, strict: true })
    .use(arrival(retirement && retirementHeaders(retirement, publicUrl))) // names the request and sets the headers of every answer
    .use(recordEnd({ log, telemetry, requestLog })) // at the end of the request: log, metrics, traces, the team's own log
    .use(refuseDuringMaintenance(maintenance));
  const stream = makeStreams({ log, isClosing });
  addOperations(api, router, requireKey, { version, platform, isClosing, stream, answerBytes });
  addDescription(api, { version, router, retirement }, publicUrl, descriptionAdmission(admission));
  return api
    .use(requireKey, notFound)
    .use(undecodable(requireKey))
    .use(problemResponse({ publicUrl, log, showsBudget: true })); // turns every error into a problem
};

/**
 * Counts a request in the budgets of its key, or of its address. Refuses a request without a valid key, unless
 * `needsKey` is false.
 */
const admitting =
  (admission: Admission, { needsKey = true } = {}): RequestHandler =>
  async (request, response, next) => {
    const decision = await admitKey(admission, request, response);
    if (needsKey) admittedKey(decision);
    request.context.passed = true;
    next();
  };

const notFound: RequestHandler = () => fail('not_found');

/** Names the route for the logs, also of requests that are refused. */
const named =
  (route: string): RequestHandler =>
  ({ context }, _response, next) => {
    context.route = route;
    next();
  };

/** Answers OPTIONS. */
const allowing = (methods: readonly string[]): RequestHandler => {
  const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  return (_request, response) => void response.set('Allow', allowed).status(204).end();
};

// Route, input, procedure, answer

/**
 * The text of a header that may come only once. If it came more often, the text is empty and so invalid. Node decodes
 * the bytes as Latin-1. Bytes that are valid UTF-8 are decoded as UTF-8, so that characters are counted correctly.
 */
const onlyText = (given: readonly string[] | undefined): string | undefined => {
  const [text, ...more] = given ?? [];
  if (text === undefined) return undefined;
  if (more.length > 0) return '';
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : text;
};

/**
 * The path or route for the idempotency fingerprint and the request log: without the version in v1, with it in later
 * versions. So an answer of one version is never replayed in another, and stored values of v1 stay valid.
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
    // The header is set directly on the response, because the first answer may have been a problem, which another
    // middleware writes.
    onReplay: () => {
      isReplay = true;
      request.res?.setHeader('Idempotent-Replayed', 'true');
    },
  };
  return {
    read: () => (reading ??= readBody(request).then((all) => (bytes = all))),
    /** Adds the size of a successful request, and of the rows that it may have stored, to the team's storage. */
    count: (rows: number) => {
      if (bytes.length === 0 || isReplay) return;
      team.platform.storage.add(team.id, 'stored', bytes.length + (rows - 1) * storedRowBytes);
    },
    once: repeatable ? (action: (team: Team) => Promise<unknown>) => answerOnce(team, repeatable, action) : undefined,
  };
};

/** The problem or bug in a procedure, without tRPC's wrapper. A bad request is an input that the schema refused. */
export const unwrap = (error: unknown, refusalOf: (schemaError: ZodError) => Problem): unknown => {
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

/** The items of a request that creates several things. */
const itemsOf = (values: InputValues | undefined, { itemsIn }: Operation['operation']): unknown[] | undefined => {
  const items = itemsIn === undefined ? undefined : values?.[itemsIn];
  return Array.isArray(items) ? items : undefined;
};

/** The parts that all routes of a version share. */
interface VersionParts {
  version: string;
  platform: Platform;
  /** Whether requests that wait for something must end. */
  isClosing: () => boolean;
  stream: ReturnType<typeof makeStreams>;
  answerBytes: number | undefined;
}

const verbs = { GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const;

/** Adds the routes of the operations. HEAD is GET without a body. */
const addOperations = (api: Router, router: AnyRouter, requireKey: RequestHandler, serving: VersionParts): void => {
  const byPath = Map.groupBy(operationsOf(router), ({ openapi }) => openapi.path);
  // In this order, `/users/all` comes before `/users/{member_id}`, and so has precedence.
  for (const [path, operations] of [...byPath].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const route = api.route(path.replace(/\{(\w+)\}/g, ':$1'));
    const admitted = [named(namedPath(serving.version, path)), requireKey];
    for (const operation of operations) {
      const answering = operation.operation.streamed ? streamWith : answerWith;
      route[verbs[operation.openapi.method]](admitted, answering(serving, operation));
    }
    route.options(admitted, allowing(operations.map(({ openapi }) => openapi.method)));
  }
};

/** Answers the requests of a route by calling its procedure. */
const answerWith = (serving: VersionParts, operation: Operation): RequestHandler => {
  const begin = callerOf(serving, operation);
  const { status, located } = operation.operation;
  return async (request, response) => {
    try {
      const body = await begin(request).call();
      response.statusCode = status;
      if (located) response.setHeader('Location', locationOf(serving.version, operation.openapi.path, body));
      const text = stringify(body);
      await writeAnswer(request, response, { type: 'application/json; charset=utf-8', text, max: serving.answerBytes });
    } finally {
      // The slot is released only here: the read keeps it while its answer is created or compressed, even if the caller
      // has disconnected.
      releaseSlotAfter(request.context.answerProgress, response);
    }
  };
};

/** Like `answerWith`, for a route whose answer contains all pages of its procedure. */
const streamWith = (serving: VersionParts, operation: Operation): RequestHandler => {
  const begin = callerOf(serving, operation);
  return async (request, response) => {
    const { team, call } = begin(request);
    await serving.stream(request, response, team, call);
  };
};

/** The team of a request, and a function that calls the procedure. */
interface BegunCall {
  team: Team;
  call: CallPage;
}

/**
 * Calls the procedure of an operation with a function that reads the input, as tRPC's adapters do. So the body is read
 * only after the procedure has checked the caller. tRPC's `createCaller` would need an input that has already been
 * read.
 */
const callerOf = ({ version, platform, isClosing }: VersionParts, compiled: Operation) => {
  const { operation, procedure, name } = compiled;
  const { needsBy } = operation;
  const reader = makeInputReader(compiled);
  const call = { path: name, type: procedure._def.type, signal: undefined, batchIndex: 0 };

  return (request: Request): BegunCall => {
    const { context } = request;
    const { language, decision, answerProgress } = context;
    if (decision?.outcome !== 'admitted') return fail('unauthorized');
    const team = teamOf(decision.key, context, platform);
    const query = readQuery(request.url);
    let input: Promise<InputValues> | undefined;
    const { read, count, once } = bodyOf(request, team, version);
    const ctx: KeyContext = {
      principal: { kind: 'key', scopes: decision.key.scopes },
      language,
      answerProgress,
      team,
      isClosing,
      countFurther: countingFurther(request, team, decision.key),
      ...(needsBy && { deciding: { value: query.texts.get(needsBy.parameter) } }),
      ...(once && { once }),
    };
    const readInput = () => (input ??= reader.read(request, query, read));
    const callWith: CallPage = async ({ ctx: more, values } = {}) => {
      try {
        const body: unknown = await procedure({
          ...call,
          ctx: more ? { ...ctx, ...more } : ctx,
          getRawInput: values ? async () => ({ ...(await readInput()), ...values }) : readInput,
        });
        count(itemsOf(await input, operation)?.length ?? 1);
        return body;
      } catch (error) {
        throw unwrap(error, (schemaError) => reader.refusalOf(query, schemaError));
      }
    };
    return { team, call: callWith };
  };
};

// The description

/** Adds the API's description, which needs no key; 304 if the client has it already. */
const addDescription = (api: Router, served: ApiVersion, publicUrl: string, admission: Admission): void => {
  const path = `/openapi.${served.version}.json`;
  let made: Promise<Content> | undefined;
  const make = (): Promise<Content> =>
    contentOf('application/json; charset=utf-8', JSON.stringify(openApiDocument(served.router, publicUrl, served)));
  const described: RequestHandler = async (request, response) => {
    made ??= make();
    made.catch(() => (made = undefined));
    response.setHeader('Cache-Control', 'no-cache');
    sendContent(request, response, await made);
  };
  const counted = [named(path), admitting(admission, { needsKey: false })];
  api
    .route(path)
    .get(counted, described)
    .options(counted, allowing(['GET']));
};
