import type { RequestHandler } from 'express';
import type { Logger } from '../core/log.ts';
import type { RequestLog } from '../modules/requests/writer.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

interface Told {
  log: Logger;
  telemetry: Telemetry;
  requestLog: Pick<RequestLog, 'note'> | undefined;
}

/**
 * How each request ended: one line with everything needed to find it again and nothing secret, its numbers, its span, and, if
 * it came with a valid key, what its team sees of it.
 */
export const accessLog =
  ({ log, telemetry: { meter, traces }, requestLog }: Told): RequestHandler =>
  (request, response, next) => {
    response.once('close', () => {
      const { method } = request;
      const { requestId, startedAt, keyPrefix, entry, passed, route, problem } = request.exchange;
      const key = entry?.key;
      const tenantId = key?.tenantId;
      const status = response.writableFinished ? response.statusCode : 499;
      const ms = performance.now() - startedAt;
      log.info(
        {
          request_id: requestId,
          tenant_id: tenantId,
          key_prefix: keyPrefix,
          method,
          route,
          status,
          code: problem,
          ms: Math.round(ms * 10) / 10,
        },
        'request',
      );
      if (key) {
        requestLog?.note({
          tenantId: key.tenantId,
          keyId: key.id,
          requestId,
          method,
          route,
          status,
          code: problem,
          ms,
          refusedAtGate: !passed,
        });
      }
      meter.request({ method, route, status, seconds: ms / 1000 });
      if (problem !== undefined && !passed) meter.refusal(problem);
      const traceparent = request.headersDistinct['traceparent']?.join();
      traces.request({ method, route, status, startedAt, requestId, tenantId, problem, traceparent });
    });
    next();
  };
