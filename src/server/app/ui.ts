import { Router } from 'express';
import type { Request, Response } from 'express';
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { etagOf, knownETag } from '../http/request-context.ts';

/**
 * Scripts, fonts and data come from this origin only, and inline scripts are forbidden. Inline styles are allowed, because the
 * components position and size themselves with them.
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

const send = (request: Request, response: Response, { type, tag, bodies }: BuiltFile, cacheControl: string): void => {
  const coding = request.acceptsEncodings(['br', 'gzip', 'identity']);
  const chosen = coding === 'br' || coding === 'gzip' ? coding : 'identity';
  const body = bodies[chosen] ?? bodies.identity;
  const encoding = body === bodies.identity ? 'identity' : chosen;
  const known = knownETag(request, tag, encoding);
  const ETag = known ?? etagOf(tag, encoding);
  response.set({ 'Content-Type': type, 'Cache-Control': cacheControl, ETag, Vary: 'Accept-Encoding' });
  if (known !== undefined) {
    response.status(304).end();
    return;
  }
  if (encoding !== 'identity') response.set('Content-Encoding', encoding);
  response.send(body);
};

/** The folder of the built files whose names contain a hash of their content. */
const assets = '/assets/';

/** Whether a request gets the app's page: `/` always does, other addresses if the client accepts HTML. Others get a 404 problem. */
const asksForPage = (request: Request): boolean =>
  ['GET', 'HEAD'].includes(request.method) && (request.path === '/' || request.accepts(['json', 'html']) === 'html');

const isDocument = (path: string): boolean => extname(path) === '.html';

/** Serves the built app. Every URL that a browser opens gets its document, whose router shows the right content. */
export const ui = (folder: string): Router => {
  const files = readBuiltUi(folder);
  return Router()
    .use((request, response, next) => {
      const file = files.get(request.path);
      if (!file || !['GET', 'HEAD'].includes(request.method) || isDocument(request.path)) return next();
      const forEver = request.path.startsWith(assets);
      send(request, response, file, forEver ? 'public, max-age=31536000, immutable' : 'no-cache');
    })
    .use((request, response, next) => {
      // A file of another version. The page in its place would be stored by caches, and read as a script or style.
      if (request.path.startsWith(assets) || !asksForPage(request)) return next();
      const page = files.get('/index.html');
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

interface BuiltFile {
  readonly type: string;
  /** The beginning of its ETags. */
  readonly tag: string;
  /** By content coding. The build writes the compressed files. */
  readonly bodies: Readonly<Record<'identity' | 'br' | 'gzip', Buffer | undefined>>;
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const readIfThere = (path: string): Buffer | undefined => (existsSync(path) ? readFileSync(path) : undefined);

/** The built files of this folder, by their URL paths; empty if the app is not built. */
const readBuiltUi = (folder: string): ReadonlyMap<string, BuiltFile> => {
  const paths = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const files = new Map<string, BuiltFile>();
  for (const path of paths) {
    const type = types[extname(path)];
    if (type === undefined) continue;
    const file = join(folder, path);
    const identity = readFileSync(file);
    files.set(`/${path.replaceAll('\\', '/')}`, {
      type,
      tag: hash('sha256', identity, 'base64url').slice(0, 22),
      bodies: { identity, br: readIfThere(`${file}.br`), gzip: readIfThere(`${file}.gz`) },
    });
  }
  return files;
};
