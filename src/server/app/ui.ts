import { Router, type Request } from 'express';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { sendContent, tagOf, type Content } from '../http/content.ts';

/**
 * Scripts, fonts and data come from this origin only, and inline scripts are forbidden. Inline styles are allowed,
 * because the components position and size themselves with them.
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

/** The folder of the built files whose names contain a hash of their content. */
const assets = '/assets/';

/**
 * Programs that look for leaked keys, and checkers of links, may request these paths without saying that they accept
 * HTML.
 */
const linked: readonly string[] = ['/', '/report-key'];

/**
 * Whether a request gets the app's page. A GET or HEAD of an address to which others link always gets it; one of any
 * other address gets it only if the client prefers HTML to JSON. All other requests get a 404 problem.
 */
const asksForPage = (request: Request): boolean =>
  ['GET', 'HEAD'].includes(request.method) &&
  (linked.includes(request.path) || request.accepts(['json', 'html']) === 'html');

const isDocument = (path: string): boolean => extname(path) === '.html';

/**
 * Serves the built app. Every URL that a browser opens gets the app's document, whose router shows the right content.
 */
export const ui = (folder: string): Router => {
  const files = readBuiltUi(folder);
  return Router()
    .use((request, response, next) => {
      const file = files.get(request.path);
      if (!file || !['GET', 'HEAD'].includes(request.method) || isDocument(request.path)) return next();
      const forEver = request.path.startsWith(assets);
      const cacheControl = forEver ? 'public, max-age=31536000, immutable' : 'no-cache';
      response.set({ 'Cache-Control': cacheControl, Vary: 'Accept-Encoding' });
      sendContent(request, response, file);
    })
    .use((request, response, next) => {
      // The path under `/assets/` may be of another version. If the page were sent in place of the file, caches would
      // store it, and it would be read as a script or style.
      if (request.path.startsWith(assets) || !asksForPage(request)) return next();
      const page = files.get('/index.html');
      if (!page) {
        response.status(503).type('text').send(notBuilt);
        return;
      }
      response.set({
        'Cache-Control': 'no-cache',
        'Content-Security-Policy': policy,
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Referrer-Policy': 'same-origin',
        Vary: 'Accept-Encoding',
      });
      sendContent(request, response, page);
    });
};

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

const readIfThere = (path: string): Buffer | undefined => (existsSync(path) ? readFileSync(path) : undefined);

/** The built files of this folder, by their URL paths; empty if the app is not built. */
const readBuiltUi = (folder: string): ReadonlyMap<string, Content> => {
  const paths = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const files = new Map<string, Content>();
  for (const path of paths) {
    const type = types[extname(path)];
    if (type === undefined) continue;
    const file = join(folder, path);
    const identity = readFileSync(file);
    // The build writes the compressed files.
    const [br, gzip] = [readIfThere(`${file}.br`), readIfThere(`${file}.gz`)];
    const bodies = { identity, ...(br && { br }), ...(gzip && { gzip }) };
    files.set(`/${path.replaceAll('\\', '/')}`, { type, tag: tagOf(identity), bodies });
  }
  return files;
};
