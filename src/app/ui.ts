import { Router } from 'express';
import type { Request, Response } from 'express';
import { readBuiltUi } from './built-ui.ts';
import type { BuiltFile } from './built-ui.ts';

/**
 * Scripts, fonts and data come from here alone, and nothing in a page is a script. Styles may stand in elements: the
 * components place and size themselves that way.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const notBuilt = 'The app is not built. Run: npm run generate\n';

const send = (request: Request, response: Response, { type, etag, bodies }: BuiltFile, cacheControl: string): void => {
  const coding = request.acceptsEncodings(['br', 'gzip', 'identity']);
  const chosen = coding === 'br' || coding === 'gzip' ? coding : 'identity';
  const body = bodies[chosen] ?? bodies.identity;
  response.set({ 'Content-Type': type, 'Cache-Control': cacheControl, ETag: etag, Vary: 'Accept-Encoding' });
  if (body !== bodies.identity) response.set('Content-Encoding', chosen);
  if (request.fresh) response.status(304).end();
  else response.send(body);
};

/** A browser says that it wants a page; at the beginning everybody gets one. Elsewhere whoever asks for nothing is told that. */
const asksForPage = (request: Request): boolean =>
  ['GET', 'HEAD'].includes(request.method) && (request.path === '/' || request.accepts(['json', 'html']) === 'html');

/** The built app. Every address that a browser opens is one of its pages, which finds out by itself which one. */
export const ui = (folder: string): Router => {
  const files = readBuiltUi(folder);
  const page = files.get('/index.html');
  return Router()
    .use((request, response, next) => {
      const file = files.get(request.path);
      if (!file || !['GET', 'HEAD'].includes(request.method) || file === page) return next();
      // The names of what the build made carry a hash of what is in it.
      const forEver = request.path.startsWith('/assets/');
      send(request, response, file, forEver ? 'public, max-age=31536000, immutable' : 'no-cache');
    })
    .use((request, response, next) => {
      if (!asksForPage(request)) return next();
      if (!page) {
        response.status(503).type('text').send(notBuilt);
        return;
      }
      response.set({
        'Content-Security-Policy': policy,
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Referrer-Policy': 'same-origin',
      });
      send(request, response, page, 'no-cache');
    });
};
