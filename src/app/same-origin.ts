import type { Request, RequestHandler } from 'express';
import { fail } from '../core/problem.ts';

/** An origin at the address that was asked, however people reach it; but not our own host without its TLS. */
const isAtHost = (origin: string, host: string | undefined, publicUrl: string): boolean => {
  if (!URL.canParse(origin)) return false;
  const { host: named, protocol } = new URL(origin);
  return named === host && (protocol === 'https:' || !publicUrl.startsWith('https:'));
};

/** Whether the page that sent this is ours: by what the browser says of it, which no page can change. */
const isOurs = ({ headers }: Request, publicUrl: string): boolean => {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin') return false;
  // Without either it is no browser, or an old one: that is held off by SameSite cookies and the media type.
  return origin === undefined || origin === publicUrl || isAtHost(origin, host, publicUrl);
};

/** Refuses changes that another site's page asks for in the name of whoever is signed in here. */
export const sameOrigin =
  (publicUrl: string, onRefused: (request: Request) => void): RequestHandler =>
  (request, _response, next) => {
    if (request.method !== 'GET' && !isOurs(request, publicUrl)) {
      onRefused(request);
      fail('bad_request', { status: 403 });
    }
    if (request.method === 'POST' && !/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
      fail('bad_request', { status: 415 });
    }
    next();
  };
