import type { Request, RequestHandler } from 'express';
import type { Logger } from '../core/log.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

/** How a request ended. */
export interface Ended {
  readonly status: number;
  readonly ms: number;
}

interface Parts {
  log: Logger;
  telemetry: Telemetry;
  /** Who made the request, as the log line names them; nothing secret. */
  callerOf: (request: Request) => {
    tenantId: string | undefined;
    fields: Readonly<Record<string, string | undefined>>;
  };
  /** Called with the end of each request. */
  onEnd?: (request: Request, ended: Ended) => void;
}

/**
 * Records how each request ended: one line with everything needed to find it again and nothing secret, its numbers, and its span. A
 * status of 499 is a client that left before its answer. A request that waited for an event took as long as it worked.
 */
export const accessLog =
  ({ log, telemetry: { meter, traces }, callerOf, onEnd }: Parts): RequestHandler =>
  (request, response, next) => {
    response.once('close', () => {
      const { method } = request;
      const { requestId, startedAt, route, problem, answering } = request.exchange;
      const status = response.writableFinished ? response.statusCode : 499;
      const { waitedMs } = answering;
      const ms = performance.now() - startedAt - (waitedMs ?? 0);
      const { tenantId, fields } = callerOf(request);
      const line = { request_id: requestId, tenant_id: tenantId, ...fields, method, route, status, code: problem };
      const waited = waitedMs === undefined ? {} : { waited_ms: Math.round(waitedMs) };
      log.info({ ...line, ms: Math.round(ms * 10) / 10, ...waited }, 'request');
      meter.request({ method, route, status, seconds: ms / 1000 });
      const traceparent = request.headersDistinct['traceparent']?.join();
      traces.request({ method, route, status, startedAt, requestId, tenantId, problem, traceparent });
      onEnd?.(request, { status, ms });
    });
    next();
  };
