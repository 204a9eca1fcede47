import { STATUS_CODES, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../core/clock.ts';
import type { Logger } from '../../core/log.ts';
import { problemBody } from '../../platform/problem-body.ts';
import type { Meter } from '../../platform/telemetry/meter.ts';
import { Problem } from '../../core/problem.ts';
import { fixedHeaders, greet, problemHeaders, unreadBudget } from './request-context.ts';

/** Milliseconds that a refused client has to read the answer and close the connection. */
export const lingering = 2_000;

/** Answers requests that can't reach the middlewares, with a problem in the same format. */
export interface Refusals {
  /** Answers on the bare connection and closes it, for a request whose HTTP could not be parsed. */
  onConnection(socket: Duplex, status: number): void;
  /** Answers a request that Node could parse but that can't be routed, and closes the connection after it. */
  onRequest(response: ServerResponse, status: number): void;
}

/**
 * Closes a connection after the client had time to read the answer. If it were closed with unread bytes, it would be
 * reset, and the answer lost.
 */
export const hangUp = (socket: Duplex, lastWords?: string): void => {
  socket.end(lastWords);
  setTimeout(() => socket.destroy(), lingering).unref();
};

interface RefusalParts {
  clock: Clock;
  publicUrl: string;
  /** Headers of the answers to requests for a path, in addition to those of every answer. */
  headersOf: (path: string) => Readonly<Record<string, string>>;
  log: Logger | undefined;
  meter: Meter | undefined;
}

export const makeRefusals = ({ clock, publicUrl, headersOf, log, meter }: RefusalParts): Refusals => {
  const refusal = (status: number, given: IncomingHttpHeaders) => {
    const problem = new Problem('bad_request', { status });
    const { requestId, language } = greet(given);
    const body = JSON.stringify(problemBody(problem, language, requestId, publicUrl));
    log?.info({ request_id: requestId, status, code: problem.code }, 'request');
    meter?.refusals.inc({ code: problem.code });
    const headers = {
      Date: clock.now().toUTCString(),
      ...fixedHeaders,
      ...unreadBudget(problem),
      ...problemHeaders(problem),
      'X-Request-Id': requestId,
      'Content-Language': language,
      'Content-Type': 'application/problem+json; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
      Connection: 'close',
    };
    return { headers, body };
  };

  return {
    onConnection(socket, status) {
      const { headers, body } = refusal(status, {});
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      hangUp(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
    },
    onRequest(response, status) {
      const { headers, body } = refusal(status, response.req.headers);
      response.writeHead(status, { ...headers, ...headersOf(response.req.url ?? '') }).end(body);
    },
  };
};
