import type { Request, RequestHandler } from 'express';
import { fail } from '../core/problem.ts';

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);

/** Whether the page that sent this is ours: by what the browser says of it, which no page can change. */
const isOurs = ({ headers }: Request, publicUrl: string): boolean => {
  const { origin, host } = headers;
  if (origin !== undefined) return hostOf(origin) === host || origin === publicUrl;
  // Without an origin it is our own page or no browser; an old browser is held off by SameSite cookies and the media type.
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin';
};

/** Refuses changes that another site's page asks for in the name of whoever is signed in here. */
export const sameOrigin =
  (publicUrl: string): RequestHandler =>
  (request, _response, next) => {
    if (request.method !== 'GET' && !isOurs(request, publicUrl)) fail('bad_request', { status: 403 });
    if (request.method === 'POST' && !/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
      fail('bad_request', { status: 415 });
    }
    next();
  };
