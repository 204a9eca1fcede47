import type { Request, RequestHandler, Response } from 'express';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { languages, negotiateLanguage } from '../../core/language.ts';
import type { Language } from '../../core/language.ts';
import { writeAnswer } from '../http/request-context.ts';
import type { Book, Page } from './book.ts';
import { frontPage } from './contents.ts';
import type { Surroundings } from './facts.ts';

// The addresses of the documentation:
//
//   /developers/quick-start        in the language of the client, or of ?lang=
//   /developers/en/quick-start     in one language; links between pages are of this kind
//   …/quick-start.md               the same as Markdown, as with `Accept: text/markdown`
//   /developers/en/search?q=…      the search
//   /developers/assets/…           stylesheet and script; /developers/examples/…  the code of examples, to be downloaded
//   /llms.txt, /llms-full.txt, /sitemap.xml, /robots.txt

/** No external and no inline resources. The script writes text only, never HTML. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const forAWhile = 'public, max-age=300, must-revalidate';
const forEver = 'public, max-age=31536000, immutable';

interface File {
  type: string;
  text: string;
  cacheControl?: string;
  /** Absent for a file without a language. */
  language?: Language;
  /** The address of the page in this language and form. */
  location?: string;
}

const send = (
  request: Request,
  response: Response,
  { type, text, cacheControl = forAWhile, language, location }: File,
  status = 200,
): Promise<void> => {
  response.status(status).set({
    'Content-Security-Policy': policy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cache-Control': cacheControl,
    Vary: 'Accept, Accept-Language, Accept-Encoding',
    ...(language && { 'Content-Language': language }),
    ...(location !== undefined && { 'Content-Location': location }),
  });
  const tag = hash('sha256', text, 'base64url').slice(0, 22);
  return writeAnswer(request, response, {
    type: `${type}; charset=utf-8`,
    text,
    most: Infinity,
    ...(status === 200 && { tag }),
  });
};

const wantsMarkdown = (request: Request): boolean => request.accepts(['html', 'text/markdown']) === 'text/markdown';

const isLanguage = (text: string | undefined): text is Language => languages.some((language) => language === text);

interface Place {
  language: Language;
  path: string;
}

const placeOf = (request: Request, rest: string): Place => {
  const [first, ...more] = rest.split('/');
  if (isLanguage(first)) return { language: first, path: more.join('/') };
  const { lang } = request.query;
  const asked = typeof lang === 'string' && isLanguage(lang) ? lang : undefined;
  return { language: asked ?? negotiateLanguage(request.headers['accept-language']), path: rest };
};

const queryOf = ({ query: { q } }: Request): string => (typeof q === 'string' ? q : '');

const assetFolder = new URL('./browser/', import.meta.url);

/** Everything below `/developers`, loaded at the first request: a process that serves no documentation needs no memory for it. */
const loadSite = async (surroundings: Surroundings) => {
  const { openBook } = await import('./book.ts');
  const { exampleFile, examples } = await import('./facts.ts');
  const { layoutOf } = await import('./layout.ts');
  const { llmsFullTxt, llmsTxt, robotsTxt, sitemap } = await import('./for-programs.ts');
  const { searchOf } = await import('./search.ts');

  const { publicUrl } = surroundings;
  const book: Book = openBook(surroundings);
  const assets = new Map<string, File>();
  const asset = (name: string, type: string): string => {
    const text = readFileSync(new URL(name, assetFolder), 'utf8');
    const [stem, extension] = name.split('.');
    const address = `/developers/assets/${stem}.${hash('sha256', text, 'hex').slice(0, 12)}.${extension}`;
    assets.set(address, { type, text, cacheControl: forEver });
    return address;
  };
  const layout = layoutOf(book, publicUrl, {
    css: asset('site.css', 'text/css'),
    js: asset('site.js', 'text/javascript'),
  });
  const search = searchOf(book);

  const pageFile = (page: Page, isMarkdown: boolean): File => {
    const { language, path, markdown } = page;
    const location = `/developers/${language}/${path}`;
    return isMarkdown
      ? { type: 'text/markdown', text: markdown, language, location: `${location}.md` }
      : { type: 'text/html', text: layout.page(page), language, location };
  };

  const singleFiles: Readonly<Record<string, () => string | Promise<string>>> = {
    '/llms.txt': () => llmsTxt(book, publicUrl),
    '/developers/llms.txt': () => llmsTxt(book, publicUrl),
    '/llms-full.txt': () => llmsFullTxt(book),
    '/robots.txt': () => robotsTxt(publicUrl),
    '/sitemap.xml': () => sitemap(book, publicUrl),
  };

  const showResults = async (request: Request, { language }: Place): Promise<File> => {
    const query = queryOf(request);
    const hits = query === '' ? [] : await search(query, language);
    const shared = { cacheControl: 'no-cache', language };
    return request.accepts(['html', 'json']) === 'json'
      ? { ...shared, type: 'application/json', text: JSON.stringify({ hits }) }
      : { ...shared, type: 'text/html', text: layout.results(query, hits, language) };
  };

  return async (request: Request, response: Response): Promise<void> => {
    const single = singleFiles[request.path];
    if (single) {
      const type = request.path.endsWith('.xml') ? 'application/xml' : 'text/plain';
      return send(request, response, { type, text: await single() });
    }
    const file = assets.get(request.path);
    if (file) return send(request, response, file);

    const rest = request.path.slice('/developers'.length).replace(/^\//, '');
    const [folder, name = ''] = rest.split('/');
    if (folder === 'examples' && examples.has(name))
      return send(request, response, { type: 'text/plain', text: exampleFile(name) });

    const place = placeOf(request, rest.replace(/\.md$/, ''));
    if (place.path === 'search') return send(request, response, await showResults(request, place));
    const { language } = place;
    const page = book.page(place.path || frontPage, language);
    if (page) return send(request, response, pageFile(page, rest.endsWith('.md') || wantsMarkdown(request)));
    const missing = { type: 'text/html', text: layout.missing(language), cacheControl: 'no-cache', language };
    await send(request, response, missing, 404);
  };
};

const rootFiles = ['/llms.txt', '/llms-full.txt', '/robots.txt', '/sitemap.xml'];

/** Whether a request is for the documentation, which has its own page for unknown paths. */
const isOurs = ({ path, method }: Request): boolean =>
  ['GET', 'HEAD'].includes(method) &&
  (path === '/developers' || path === '/developers.md' || path.startsWith('/developers/') || rootFiles.includes(path));

/** The documentation for customers' developers. */
export const developerSite = (surroundings: Surroundings): RequestHandler => {
  let loading: ReturnType<typeof loadSite> | undefined;
  return async (request, response, next) => {
    if (!isOurs(request)) return next();
    loading ??= loadSite(surroundings);
    await (
      await loading
    )(request, response);
  };
};
