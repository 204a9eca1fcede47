import type { Request, RequestHandler } from 'express';
import type { Logger } from '../../core/log.ts';
import type { Telemetry } from '../../platform/telemetry/telemetry.ts';

/** The end of a request. */
export interface Ended {
  readonly status: number;
  readonly ms: number;
}

interface Parts {
  log: Logger;
  telemetry: Telemetry;
  /** The caller of the request for the log line, without secrets. */
  callerOf: (request: Request) => {
    tenantId: string | undefined;
    fields: Readonly<Record<string, string | undefined>>;
  };
  /** Called with the end of each request. */
  onEnd?: (request: Request, ended: Ended) => void;
}

/**
 * Records how each request ended: one log line with everything needed to find the request again and without secrets, its metrics, and its
 * span. Status 499: the client disconnected before the answer. The time that a request waited for an event does not count as its duration.
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
