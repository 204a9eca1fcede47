import type { ErrorRequestHandler, Request, Response } from 'express';
import type { Language } from '../core/language.ts';
import type { Problem } from '../core/problem.ts';
import { problems } from '../core/problem-catalogue.ts';
import type { Logger } from '../core/log.ts';
import { problemOf } from '../platform/problem-of.ts';
import { limits } from '../core/limits.ts';

/** What a client is told to wait when the service can't answer now. */
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

/** The headers that go with some problems, whoever writes them. */
export const problemHeaders = (problem: Problem): Record<string, string> => {
  if (problem.code === 'unavailable') return { 'Retry-After': String(unavailableSeconds) };
  if (problem.code === 'unauthorized') return { 'WWW-Authenticate': 'Bearer realm="Team Customer API"' };
  const wait = problem.members.retry_after;
  return wait === undefined ? {} : { 'Retry-After': String(wait) };
};

/** The budget headers where no budget can be known: nothing is left until the time to try again. */
export const unknownBudget: Readonly<Record<string, string>> = {
  'RateLimit-Limit': String(limits.requestsPerKeyPerMinute),
  'RateLimit-Remaining': '0',
  'RateLimit-Reset': String(unavailableSeconds),
};

const writeProblem = (request: Request, response: Response, problem: Problem, publicUrl: string): void => {
  const { exchange } = request;
  exchange.problem = problem.code;
  const body = JSON.stringify(problemBody(problem, exchange.language, exchange.requestId, publicUrl));
  if (!exchange.entry) response.setHeaders(new Map(Object.entries(unknownBudget)));
  response.setHeaders(new Map(Object.entries(problemHeaders(problem))));
  response.statusCode = problem.status;
  response.setHeader('Content-Type', 'application/problem+json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
};

/** The last station: whatever was thrown becomes a problem in the reader's language; a bug is logged with its request id. */
export const problemResponse =
  ({ publicUrl, log }: { publicUrl: string; log: Logger }): ErrorRequestHandler =>
  (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const problem = problemOf(error);
    const { requestId } = request.exchange;
    if (problem.code === 'internal') log.error({ request_id: requestId, err: error }, 'unexpected error');
    if (problem.code === 'unavailable' && problem !== error)
      log.warn({ request_id: requestId, err: error }, 'database unavailable');
    writeProblem(request, response, problem, publicUrl);
  };
