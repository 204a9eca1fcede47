import type { RequestHandler } from 'express';
import type { Logger } from '../core/log.ts';

/** One line for each request, with everything needed to find it again and nothing secret. */
export const accessLog =
  (log: Logger): RequestHandler =>
  (request, response, next) => {
    response.once('close', () => {
      const { requestId, startedAt, keyPrefix, entry, route, problem } = request.exchange;
      log.info(
        {
          request_id: requestId,
          tenant_id: entry?.key?.tenantId,
          key_prefix: keyPrefix,
          method: request.method,
          route,
          status: response.writableFinished ? response.statusCode : 499,
          code: problem,
          ms: Math.round((performance.now() - startedAt) * 10) / 10,
        },
        'request',
      );
    });
    next();
  };
