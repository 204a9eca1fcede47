import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import Negotiator from 'negotiator';
import { plainAddress } from '../../core/address.ts';
import { languages, type Language } from '../../core/language.ts';
import { limits, httpLimits } from '../../core/limits.ts';
import { codingFor, compress, compressedFrom } from './content.ts';
import type { Logger } from '../../core/log.ts';
import { isOwnShareInUse } from '../../core/own-share.ts';
import { fail, Problem, type ProblemMembers } from '../../core/problem.ts';
import { AnswerProgress } from '../../platform/large-reads.ts';
import { problemBody } from '../../platform/problem-body.ts';
import type { Telemetry } from '../../platform/telemetry/telemetry.ts';
import { problemOf } from '../../db/unavailable.ts';

// The id, the headers, the caller's address, the answer and the log line of a request. All adapters share them.

/** Values that the middlewares of a request leave for later middlewares. Adapters add their own fields. */
export interface RequestContext {
  readonly requestId: string;
  readonly startedAt: number;
  readonly language: Language;
  /** The route's template, for logs. The path is never logged, because it contains ids. */
  route?: string;
  /** The team of a signed-in person or of their assistant, and the person, once both are known. */
  tenantId?: string;
  personId?: string | undefined;
  /** The code of the problem in the answer. */
  problem?: string;
  /** Whether the code is `rate_limited` because the team's own share was in use, and not because of a budget. */
  ownShareInUse?: true;
  /** The members of the problem in the answer, such as the detail. */
  problemMembers?: ProblemMembers;
  /** Connects the answer with the read that produces it. */
  readonly answerProgress: AnswerProgress;
}

declare global {
  // Express offers only this way to type additional fields of a request.
  namespace Express {
    interface Request {
      context: RequestContext;
    }
  }
}

// Arrival

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The headers of every answer of the API. */
export const fixedHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  Vary: 'Accept-Language, Accept-Encoding',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/**
 * The best of our languages for an `Accept-Language` header with its quality values and ranges. If it names none of
 * ours, the usual one.
 */
export const negotiateLanguage = (header: string | undefined, usual: Language = 'de'): Language => {
  if (header === undefined) return usual;
  const ours = languages.toSorted((a, b) => Number(b === usual) - Number(a === usual));
  const [wanted] = new Negotiator({ headers: { 'accept-language': header } }).languages(ours);
  return languages.find((language) => language === wanted) ?? usual;
};

/** Creates a request's id and chooses the language of its answer, even if the request is malformed. */
export const greet = (headers: IncomingHttpHeaders): { requestId: string; language: Language } => {
  const given = headers['x-request-id'];
  return {
    requestId: typeof given === 'string' && uuid.test(given) ? given : randomUUID(),
    language: negotiateLanguage(headers['accept-language']),
  };
};

/**
 * The first middleware. It gives the request its id, so that every failure has one, and sets the headers of every
 * answer. Adapters may pass headers of their own.
 */
export const arrival = (own: Readonly<Record<string, string>> = {}): RequestHandler => {
  const all = new Map(Object.entries({ ...fixedHeaders, ...own }));
  return (request, response, next) => {
    const { requestId, language } = greet(request.headers);
    request.context = {
      requestId,
      language,
      startedAt: performance.now(),
      answerProgress: new AnswerProgress(() => response.destroyed),
    };
    response.setHeaders(all);
    response.setHeader('X-Request-Id', requestId);
    response.setHeader('Content-Language', language);
    next();
  };
};

// The caller's address

/** The caller's address for budgets, logs and address lists. Callers without a readable address share 0.0.0.0. */
export const addressOf = (request: Pick<Request, 'ip'>): string => plainAddress(request.ip ?? '') ?? '0.0.0.0';

// Whether the service is ready for requests

/**
 * Whether the service is ready for requests: from the time when everything that it needs has started until it stops.
 * While it is `leaving`, proxies with health checks stop sending requests. While it is `stopping`, it closes its
 * listener. In both states it still answers requests that arrive.
 */
export interface Lifecycle {
  readonly state: 'starting' | 'ready' | 'leaving' | 'stopping';
  ready(): void;
  leaving(): void;
  stopping(): void;
}

export const makeLifecycle = (): Lifecycle => {
  let state: Lifecycle['state'] = 'starting';
  return {
    get state() {
      return state;
    },
    ready() {
      if (state === 'starting') state = 'ready';
    },
    leaving() {
      if (state === 'ready') state = 'leaving';
    },
    stopping() {
      state = 'stopping';
    },
  };
};

/** Whether maintenance is on, and the seconds of `Retry-After`. `unknown` until the state was read once. */
export interface MaintenanceState {
  readonly current: { readonly retryAfterSeconds: number } | 'unknown' | undefined;
}

/**
 * A middleware that refuses new requests before they use the database: during maintenance, and until the state of
 * maintenance is known. Requests that passed it earlier are finished. A process that stops refuses no request, because
 * a proxy without health checks sends it requests until it closes its listener.
 */
export const refuseDuringMaintenance =
  (maintenance: MaintenanceState): RequestHandler =>
  (_request, response, next) => {
    const { current } = maintenance;
    if (current) {
      if (current !== 'unknown') response.setHeader('Retry-After', current.retryAfterSeconds);
      fail('unavailable');
    }
    next();
  };

// Answer

/**
 * Thrown if an answer exceeds the limit of all answers. This would be our bug, because pages and values are limited.
 */
class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
}

export const requireAnswerSize = (bytes: number, max: number = httpLimits.answerBytes): void => {
  if (bytes > max) throw new AnswerTooLarge(`the answer would have ${bytes} bytes`);
};

/** Releases a read's slot when its answer was sent or its caller has disconnected. */
export const releaseSlotAfter = (answerProgress: AnswerProgress, response: Response): void => {
  if (response.closed) answerProgress.done();
  else response.once('close', () => answerProgress.done());
};

interface AnswerBody {
  type: string;
  text: string;
  /** The maximum size in bytes; by default the limit of all answers. */
  max?: number | undefined;
}

/** Ends an answer with its whole body, compressed if that saves enough and the client accepts it. */
export const endWith = async (
  request: Request,
  response: Response,
  { text, bytes }: { text: string; bytes: number },
): Promise<void> => {
  const coding = text.length < compressedFrom ? 'identity' : codingFor(request);
  const body = coding === 'identity' ? text : await compress[coding](text);
  if (coding !== 'identity') response.setHeader('Content-Encoding', coding);
  response.setHeader('Content-Length', typeof body === 'string' ? bytes : body.length);
  response.end(body);
};

/** Writes a whole body at once. */
export const writeAnswer = async (
  request: Request,
  response: Response,
  { type, text, max }: AnswerBody,
): Promise<void> => {
  const bytes = Buffer.byteLength(text);
  requireAnswerSize(bytes, max);
  request.context.answerProgress.written(bytes);
  if (response.destroyed) return;
  response.setHeader('Content-Type', type);
  await endWith(request, response, { text, bytes });
};

// Problem

/** The `Retry-After` of answers while the service is unavailable. */
const unavailableSeconds = 2;
/** The `Retry-After` of a conflict with something that ends by itself. */
const runningSeconds = 1;

/** The headers of problems with certain codes. */
export const problemHeaders = (problem: Problem): Record<string, string> => {
  if (problem.code === 'unavailable') return { 'Retry-After': String(unavailableSeconds) };
  if (problem.isRunning) return { 'Retry-After': String(runningSeconds) };
  if (problem.code === 'unauthorized') return { 'WWW-Authenticate': 'Bearer realm="Team Customer API"' };
  const wait = problem.members.retry_after;
  return wait === undefined ? {} : { 'Retry-After': String(wait) };
};

/**
 * The budget headers of a problem of the API for which no budget was read. A request that was not counted has used no
 * budget. While the service is unavailable, nothing is left until the time of `Retry-After`.
 */
export const unreadBudget = ({ code }: Problem, retryAfter?: string): Readonly<Record<string, string>> => {
  const isUnavailable = code === 'unavailable';
  const limit = String(limits.requestsPerKeyPerMinute);
  return {
    'RateLimit-Limit': limit,
    'RateLimit-Remaining': isUnavailable ? '0' : limit,
    'RateLimit-Reset': isUnavailable ? (retryAfter ?? String(unavailableSeconds)) : '0',
  };
};

interface ProblemParts {
  publicUrl: string;
  log: Logger;
  /** Whether answers have budget headers. Requests outside the API have no budget. */
  showsBudget?: boolean;
  /** How a protocol other than REST writes a problem; by default in the form of RFC 9457. */
  format?: ProblemFormat;
}

/** A problem in the form of a protocol. */
export interface ProblemFormat {
  readonly type: string;
  readonly statusOf: (problem: Problem) => number;
  readonly bodyOf: (problem: Problem, requestId: string) => unknown;
}

/** Notes the problem in an answer for the log and the metrics. */
export const noteProblem = (context: RequestContext, problem: Problem): void => {
  context.problem = problem.code;
  if (isOwnShareInUse(problem)) context.ownShareInUse = true;
};

const writeProblem = (
  request: Request,
  response: Response,
  problem: Problem,
  { publicUrl, showsBudget = false, format }: ProblemParts,
): void => {
  const { context } = request;
  noteProblem(context, problem);
  context.problemMembers = problem.members;
  const { language, requestId } = context;
  const body = JSON.stringify(
    format ? format.bodyOf(problem, requestId) : problemBody(problem, language, requestId, publicUrl),
  );
  // A middleware may already have set a more exact `Retry-After`.
  for (const [name, value] of Object.entries(problemHeaders(problem)))
    if (!response.hasHeader(name)) response.setHeader(name, value);
  if (showsBudget && !response.hasHeader('RateLimit-Limit')) {
    const wait = response.getHeader('Retry-After');
    response.setHeaders(new Map(Object.entries(unreadBudget(problem, wait === undefined ? wait : String(wait)))));
  }
  response.statusCode = format?.statusOf(problem) ?? problem.status;
  response.setHeader('Content-Type', format?.type ?? 'application/problem+json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
};

/** A path that can't be decoded matches no route. `first` runs before the refusal. */
export const undecodable =
  (first: RequestHandler = (_request, _response, next) => next()): ErrorRequestHandler =>
  (error: unknown, request, response, next) => {
    if (error instanceof URIError) return first(request, response, () => next(new Problem('not_found')));
    return next(error);
  };

/**
 * The last middleware: turns every error into a problem in the reader's language, and logs a bug with its request id.
 */
export const problemResponse =
  (parts: ProblemParts): ErrorRequestHandler =>
  (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const problem = problemOf(error);
    const { requestId } = request.context;
    const { log } = parts;
    if (problem.code === 'internal') log.error({ request_id: requestId, err: error }, 'unexpected error');
    if (problem.code === 'unavailable' && problem !== error)
      log.warn({ request_id: requestId, err: error }, 'database unavailable');
    writeProblem(request, response, problem, parts);
  };

// Log

export interface RequestEnd {
  readonly status: number;
  readonly ms: number;
}

interface LogParts {
  log: Logger;
  telemetry: Telemetry;
  /** The caller of the request for the log line, without secrets. */
  callerOf: (request: Request) => {
    tenantId: string | undefined;
    fields: Readonly<Record<string, string | undefined>>;
  };
  /** Called with the end of each request. */
  onEnd?: (request: Request, ended: RequestEnd) => void;
}

/**
 * Records how each request ended: its metrics, its span, and one log line, with everything that is needed to find the
 * request again, and without secrets. Status 499: the client disconnected before the answer. The time in which a
 * request waited for an event, or its answer was streamed, does not count in its duration.
 */
export const accessLog =
  ({ log, telemetry: { meter, traces }, callerOf, onEnd }: LogParts): RequestHandler =>
  (request, response, next) => {
    response.once('close', () => {
      const { method } = request;
      const { requestId, startedAt, route, problem, ownShareInUse, answerProgress } = request.context;
      const status = response.writableFinished ? response.statusCode : 499;
      const { waitedMs } = answerProgress;
      const ms = performance.now() - startedAt - (waitedMs ?? 0);
      const { tenantId, fields } = callerOf(request);
      const line = { request_id: requestId, tenant_id: tenantId, ...fields, method, route, status, code: problem };
      const ownShare = ownShareInUse && { own_share_in_use: true };
      const waited = waitedMs === undefined ? {} : { waited_ms: Math.round(waitedMs) };
      log.info({ ...line, ...ownShare, ms: Math.round(ms * 10) / 10, ...waited }, 'request');
      if (ownShareInUse) meter.ownShareRefusals.inc({ route: route ?? 'unknown' });
      meter.requests.inc({ method, route: route ?? 'unknown', status });
      meter.requestSeconds.observe({ method, route: route ?? 'unknown' }, ms / 1000);
      meter.noteCaller({ method, route: route ?? 'unknown', status, tenantId, keyPrefix: fields['key_prefix'] });
      const traceparent = request.headersDistinct['traceparent']?.join();
      traces.request?.({ method, route, status, startedAt, requestId, tenantId, problem, traceparent });
      onEnd?.(request, { status, ms });
    });
    next();
  };
