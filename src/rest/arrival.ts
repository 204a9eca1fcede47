import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';
import { negotiateLanguage } from '../core/language.ts';
import type { Exchange } from './exchange.ts';
import type { Language } from '../core/language.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What every answer of the API carries, whatever becomes of the request. */
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

const fixed = new Map(Object.entries(fixedHeaders));

/** How a request is named and in which language it is answered, whether or not anything else of it can be read. */
export const greet = (headers: IncomingHttpHeaders): { requestId: string; language: Language } => {
  const given = headers['x-request-id'];
  return {
    requestId: typeof given === 'string' && uuid.test(given) ? given : randomUUID(),
    language: negotiateLanguage(headers['accept-language']),
  };
};

/** The first station: names the request, so that even the worst failure can be asked about, and sets what every answer carries. */
export const arrival = (): RequestHandler => (request, response, next) => {
  const { requestId, language } = greet(request.headers);
  const exchange: Exchange = {
    requestId,
    language,
    startedAt: performance.now(),
    answering: { isGone: () => response.destroyed },
  };
  request.exchange = exchange;
  response.setHeaders(fixed);
  response.setHeader('X-Request-Id', requestId);
  response.setHeader('Content-Language', language);
  next();
};
