import type { RequestHandler } from 'express';
import type { Logger } from '../core/log.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

/** How each request ended: one line with everything needed to find it again and nothing secret, its numbers, and its span. */
export const accessLog =
  (log: Logger, { meter, traces }: Telemetry): RequestHandler =>
  (request, response, next) => {
    response.once('close', () => {
      const { method } = request;
      const { requestId, startedAt, keyPrefix, entry, passed, route, problem } = request.exchange;
      const tenantId = entry?.key?.tenantId;
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
      meter.request({ method, route, status, seconds: ms / 1000 });
      if (problem !== undefined && !passed) meter.refusal(problem);
      const traceparent = request.headersDistinct['traceparent']?.join();
      traces.request({ method, route, status, startedAt, requestId, tenantId, problem, traceparent });
    });
    next();
  };
