import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import Negotiator from 'negotiator';
import { negotiateLanguage } from '../../core/language.ts';
import type { Language } from '../../core/language.ts';
import { limits } from '../../core/limits.ts';
import type { Logger } from '../../core/log.ts';
import { fail, problems } from '../../core/problem.ts';
import type { Problem, ProblemMembers } from '../../core/problem.ts';
import type { Answering } from '../../platform/large-reads.ts';
import { problemOf } from '../../db/unavailable.ts';

// The id, the headers and the answer of a request. All adapters share them.

/** Values that the stations of a request leave for later stations. Adapters add their own fields. */
export interface Exchange {
  readonly requestId: string;
  readonly startedAt: number;
  readonly language: Language;
  /** The route's template, for logs. Never the path, because it contains ids. */
  route?: string;
  /** The code of the problem in the answer. */
  problem?: string;
  /** The members of that problem, such as the detail. */
  problemMembers?: ProblemMembers;
  /** Connects the answer with the read that produces it. */
  readonly answering: Answering;
}

declare global {
  // Express offers only this way to type additional fields of a request.
  namespace Express {
    interface Request {
      exchange: Exchange;
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

/** Creates a request's id and chooses the language of its answer, even if the request is malformed. */
export const greet = (headers: IncomingHttpHeaders): { requestId: string; language: Language } => {
  const given = headers['x-request-id'];
  return {
    requestId: typeof given === 'string' && uuid.test(given) ? given : randomUUID(),
    language: negotiateLanguage(headers['accept-language']),
  };
};

/**
 * The first station: gives the request its id, so that every failure has one, and sets the headers of every answer. Adapters may pass own
 * headers.
 */
export const arrival = (own: Readonly<Record<string, string>> = {}): RequestHandler => {
  const all = new Map(Object.entries({ ...fixedHeaders, ...own }));
  return (request, response, next) => {
    const { requestId, language } = greet(request.headers);
    request.exchange = {
      requestId,
      language,
      startedAt: performance.now(),
      answering: { isGone: () => response.destroyed },
    };
    response.setHeaders(all);
    response.setHeader('X-Request-Id', requestId);
    response.setHeader('Content-Language', language);
    next();
  };
};

// Whether the service accepts requests

/** Whether the service accepts requests: after everything that it needs has started, and until it stops. */
export interface Lifecycle {
  readonly state: 'starting' | 'ready' | 'stopping';
  ready(): void;
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
    stopping() {
      state = 'stopping';
    },
  };
};

/** A station that refuses new requests while the service stops. Requests that passed it earlier are finished. */
export const refuseWhileStopping =
  (lifecycle: Lifecycle): RequestHandler =>
  (_request, response, next) => {
    if (lifecycle.state === 'stopping') {
      response.setHeader('Connection', 'close');
      fail('unavailable');
    }
    next();
  };

/** Whether maintenance is on, and the seconds of `Retry-After`; `unknown` until that was read once. */
export interface MaintenanceState {
  readonly current: { readonly retryAfterSeconds: number } | 'unknown' | undefined;
}

/** A station that refuses requests during maintenance, and until its state is known, before they use the database. */
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

/** Thrown if an answer exceeds the limit of all answers. Pages and values are limited, so this is a bug of ours. */
class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
}

export const requireAnswerSize = (bytes: number, most: number = limits.answerBytes): void => {
  if (bytes > most) throw new AnswerTooLarge(`the answer would have ${bytes} bytes`);
};

/** Releases a read's place when its answer was sent or its caller has disconnected. */
export const settleWith = ({ done }: Answering, response: Response): void => {
  if (!done) return;
  if (response.closed) done();
  else response.once('close', done);
};

/** Below this size, compression saves no packet. */
const compressedFrom = 1400;

const encoders = {
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body: Buffer) => promisify(gzip)(body),
};

type Encoding = keyof typeof encoders;

const encodingFor = (request: Request, text: string): Encoding | undefined => {
  if (request.headers['accept-encoding'] === undefined || text.length < compressedFrom) return undefined;
  const [wanted] = new Negotiator(request).encodings(['br', 'gzip', 'identity']);
  return wanted === 'br' || wanted === 'gzip' ? wanted : undefined;
};

/** The ETag of a content in one encoding. Each encoding needs its own, because a strong ETag identifies exact bytes. */
export const etagOf = (tag: string, encoding: Encoding | 'identity' = 'identity'): string =>
  encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`;

/**
 * The ETag of a content that the client already has, in any encoding. Express would ignore `If-None-Match` if the client sends
 * `Cache-Control: no-cache`, so it is compared here.
 */
export const knownETag = (
  { headers }: IncomingMessage,
  tag: string,
  encoding: Encoding | 'identity' = 'identity',
): string | undefined => {
  const known = headers['if-none-match']?.split(',').map((text) => text.trim().replace(/^W\//, ''));
  if (known?.includes('*')) return etagOf(tag, encoding);
  const own = [encoding, 'identity', 'br', 'gzip'] as const;
  return own.map((each) => etagOf(tag, each)).find((etag) => known?.includes(etag));
};

interface Body {
  type: string;
  text: string;
  /** The beginning of the ETags. Without it, the answer has no ETag. */
  tag?: string;
  /** The maximum size in bytes; by default the limit of all answers. */
  most?: number | undefined;
}

/** Writes a whole body at once, compressed if that saves enough and the client accepts it; 304 if the client has the content already. */
export const writeAnswer = async (
  request: Request,
  response: Response,
  { type, text, tag, most }: Body,
): Promise<void> => {
  const bytes = Buffer.byteLength(text);
  requireAnswerSize(bytes, most);
  request.exchange.answering.written?.(bytes);
  if (response.destroyed) return;
  const encoding = encodingFor(request, text);
  if (tag !== undefined) {
    const known = knownETag(request, tag, encoding);
    response.setHeader('ETag', known ?? etagOf(tag, encoding));
    if (known !== undefined) {
      response.status(304).end();
      return;
    }
  }
  response.setHeader('Content-Type', type);
  if (encoding) {
    const body = await encoders[encoding](Buffer.from(text));
    response.setHeader('Content-Encoding', encoding);
    response.setHeader('Content-Length', body.length);
    response.end(body);
    return;
  }
  response.setHeader('Content-Length', bytes);
  response.end(text);
};

// Problem

/** The `Retry-After` of answers while the service is unavailable. */
const unavailableSeconds = 2;

/** The body of a problem (RFC 9457). */
export const problemBody = (problem: Problem, language: Language, requestId: string, publicUrl: string) => ({
  type: `${publicUrl}/developers/errors#${problem.code}`,
  title: problems[problem.code].title[language],
  status: problem.status,
  code: problem.code,
  request_id: requestId,
  ...problem.members,
});

/** The headers of problems with certain codes. */
export const problemHeaders = (problem: Problem): Record<string, string> => {
  if (problem.code === 'unavailable') return { 'Retry-After': String(unavailableSeconds) };
  if (problem.code === 'unauthorized') return { 'WWW-Authenticate': 'Bearer realm="Team Customer API"' };
  const wait = problem.members.retry_after;
  return wait === undefined ? {} : { 'Retry-After': String(wait) };
};

/**
 * The budget headers of a problem of the API for which no budget was read. A request that was not counted has used nothing. While the
 * service is unavailable, nothing is left until the time of `Retry-After`.
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
}

const writeProblem = (
  request: Request,
  response: Response,
  problem: Problem,
  { publicUrl, showsBudget = false }: ProblemParts,
): void => {
  const { exchange } = request;
  exchange.problem = problem.code;
  exchange.problemMembers = problem.members;
  const body = JSON.stringify(problemBody(problem, exchange.language, exchange.requestId, publicUrl));
  // A station that has a more exact `Retry-After` has set it already.
  for (const [name, value] of Object.entries(problemHeaders(problem)))
    if (!response.hasHeader(name)) response.setHeader(name, value);
  if (showsBudget && !response.hasHeader('RateLimit-Limit')) {
    const wait = response.getHeader('Retry-After');
    response.setHeaders(new Map(Object.entries(unreadBudget(problem, wait === undefined ? wait : String(wait)))));
  }
  response.statusCode = problem.status;
  response.setHeader('Content-Type', 'application/problem+json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
};

/** The last station: turns every error into a problem in the reader's language, and logs a bug with its request id. */
export const problemResponse =
  (parts: ProblemParts): ErrorRequestHandler =>
  (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const problem = problemOf(error);
    const { requestId } = request.exchange;
    const { log } = parts;
    if (problem.code === 'internal') log.error({ request_id: requestId, err: error }, 'unexpected error');
    if (problem.code === 'unavailable' && problem !== error)
      log.warn({ request_id: requestId, err: error }, 'database unavailable');
    writeProblem(request, response, problem, parts);
  };
