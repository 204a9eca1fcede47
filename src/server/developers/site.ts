import type { Request, RequestHandler, Response } from 'express';
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { languages, negotiateLanguage } from '../../core/language.ts';
import type { Language } from '../../core/language.ts';
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
  cacheControl: string;
  headers?: Readonly<Record<string, string>>;
  /** Compressed at the first request for this encoding. */
  compressed: Map<string, Promise<Buffer>>;
}

const fileOf = (type: string, text: string, cacheControl = forAWhile, headers: File['headers'] = {}): File => ({
  type: `${type}; charset=utf-8`,
  text,
  cacheControl,
  headers,
  compressed: new Map(),
});

const brotli = promisify(brotliCompress);
const codings: Readonly<Record<string, (text: string) => Promise<Buffer>>> = {
  br: (text) => brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: promisify<string, Buffer>(gzip),
  identity: (text) => Promise.resolve(Buffer.from(text)),
};

const send = async (request: Request, response: Response, file: File, status = 200): Promise<void> => {
  const wanted = request.acceptsEncodings(['br', 'gzip', 'identity']);
  const coding = wanted === 'br' || wanted === 'gzip' ? wanted : 'identity';
  const encode = codings[coding];
  const body = file.compressed.get(coding) ?? encode?.(file.text) ?? Buffer.from(file.text);
  if (body instanceof Promise) file.compressed.set(coding, body);
  response.status(status).set({
    'Content-Type': file.type,
    'Content-Security-Policy': policy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cache-Control': file.cacheControl,
    Vary: 'Accept, Accept-Language, Accept-Encoding',
    ...file.headers,
  });
  if (coding !== 'identity') response.set('Content-Encoding', coding);
  // A strong ETag identifies exact bytes, so each encoding has its own.
  response.set('ETag', `"${hash('sha256', file.text, 'base64url').slice(0, 22)}-${coding}"`);
  if (status === 200 && request.fresh) response.status(304).end();
  else response.send(await body);
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
const exampleFolder = new URL('./examples/', import.meta.url);

/** Everything below `/developers`, loaded at the first request: a process that serves no documentation needs no memory for it. */
const loadSite = async (surroundings: Surroundings) => {
  const { openBook } = await import('./book.ts');
  const { exampleFile, examplesElsewhere } = await import('./facts.ts');
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
    assets.set(address, fileOf(type, text, forEver));
    return address;
  };
  const layout = layoutOf(book, publicUrl, {
    css: asset('site.css', 'text/css'),
    js: asset('site.js', 'text/javascript'),
  });
  const search = searchOf(book);

  const files = new Map<string, File>();
  const kept = (name: string, make: () => File): File => {
    const file = files.get(name) ?? make();
    files.set(name, file);
    return file;
  };

  const pageFile = (page: Page, markdown: boolean): File => {
    const { language, path } = page;
    const headers = {
      'Content-Language': language,
      'Content-Location': `/developers/${language}/${path}${markdown ? '.md' : ''}`,
    };
    return kept(`${language}/${path}${markdown ? '.md' : ''}`, () =>
      markdown
        ? fileOf('text/markdown', page.markdown, forAWhile, headers)
        : fileOf('text/html', layout.page(page), forAWhile, headers),
    );
  };

  const singleFiles: Readonly<Record<string, () => Promise<string>>> = {
    '/llms.txt': () => llmsTxt(book, publicUrl),
    '/developers/llms.txt': () => llmsTxt(book, publicUrl),
    '/llms-full.txt': () => llmsFullTxt(book),
    '/robots.txt': () => Promise.resolve(robotsTxt(publicUrl)),
    '/sitemap.xml': () => Promise.resolve(sitemap(book, publicUrl)),
  };

  const examples = new Set([...readdirSync(exampleFolder), ...examplesElsewhere]);
  const exampleOf = (name: string): File | undefined =>
    examples.has(name)
      ? kept(`examples/${name}`, () => fileOf('text/plain', exampleFile(name).replaceAll('../../receivers/', './')))
      : undefined;

  const showResults = async (request: Request, { language }: Place): Promise<File> => {
    const query = queryOf(request);
    const hits = query === '' ? [] : await search(query, language);
    const headers = { 'Content-Language': language };
    return request.accepts(['html', 'json']) === 'json'
      ? fileOf('application/json', JSON.stringify({ hits }), 'no-cache', headers)
      : fileOf('text/html', layout.results(query, hits, language), 'no-cache', headers);
  };

  const missing = (language: Language): File =>
    fileOf('text/html', layout.missing(language), 'no-cache', { 'Content-Language': language });

  return async (request: Request, response: Response): Promise<void> => {
    const single = singleFiles[request.path];
    if (single) {
      const text = files.get(request.path)?.text ?? (await single());
      const type = request.path.endsWith('.xml') ? 'application/xml' : 'text/plain';
      return send(
        request,
        response,
        kept(request.path, () => fileOf(type, text)),
      );
    }
    const file = assets.get(request.path);
    if (file) return send(request, response, file);

    const rest = request.path.slice('/developers'.length).replace(/^\//, '');
    const [folder, name] = rest.split('/');
    const code = folder === 'examples' ? exampleOf(name ?? '') : undefined;
    if (code) return send(request, response, code);

    const place = placeOf(request, rest.replace(/\.md$/, ''));
    if (place.path === 'search') return send(request, response, await showResults(request, place));
    const page = book.page(place.path || frontPage, place.language);
    if (page === undefined) return send(request, response, missing(place.language), 404);
    await send(request, response, pageFile(page, rest.endsWith('.md') || wantsMarkdown(request)));
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
