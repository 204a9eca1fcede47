import type { Request, RequestHandler, Response } from 'express';
import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { languages, type Language } from '../../core/language.ts';
import { compressedContentOf, contentOf, sendContent, type Content } from '../http/content.ts';
import { writeAnswer, negotiateLanguage } from '../http/request-context.ts';
import { makeBook } from './documentation.ts';
import { clientTarball, clientWheel, wheelName } from './client-package.ts';
import { frontPage } from './contents.ts';
import { exampleFile, examples, sourcesPath, type Surroundings } from './facts.ts';
import { llmsFullTxt, llmsTxt, robotsTxt, sitemap } from './for-programs.ts';
import { addressOf, layoutOf } from './layout.ts';
import { makeSearch } from './search.ts';

// The addresses of the documentation:
//
//   /developers/quick-start        in the language of the client, or of ?lang=
//   /developers/en/quick-start     in one language; links between pages are of this kind
//   …/quick-start.md               the same as Markdown, as with `Accept: text/markdown`
//   /developers/en/search?q=…      the search
//   /developers/client.tgz         the client's npm package
//   /developers/client-py          leads to the wheel of the client for Python, below it
//   /developers/webhook-source-addresses.json   the addresses from which webhooks come
//   /developers/assets/…           stylesheet and script; /developers/examples/…  the code of examples, to be downloaded
//   /llms.txt, /llms-full.txt, /sitemap.xml, /robots.txt

/** No external and no inline resources. The script writes text only, never HTML. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const forAWhile = 'public, max-age=300, must-revalidate';
const forEver = 'public, max-age=31536000, immutable';

/** The headers of an answer besides those that all answers have. */
interface AnswerHeaders {
  cacheControl?: string;
  /** Absent for a file without a language. */
  language?: Language;
  /** The address of the page in this language and form. */
  location?: string;
}

const setHeaders = (response: Response, { cacheControl = forAWhile, language, location }: AnswerHeaders): void => {
  response.set({
    'Content-Security-Policy': policy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cache-Control': cacheControl,
    Vary: 'Accept, Accept-Language, Accept-Encoding',
    ...(language && { 'Content-Language': language }),
    ...(location !== undefined && { 'Content-Location': location }),
  });
};

const wantsMarkdown = (request: Request): boolean => request.accepts(['html', 'text/markdown']) === 'text/markdown';

const isLanguage = (text: string | undefined): text is Language => languages.some((language) => language === text);

interface PageAddress {
  language: Language;
  path: string;
}

const placeOf = (request: Request, rest: string): PageAddress => {
  const [first, ...more] = rest.split('/');
  if (isLanguage(first)) return { language: first, path: more.join('/') };
  const { lang } = request.query;
  const asked = typeof lang === 'string' && isLanguage(lang) ? lang : undefined;
  return { language: asked ?? negotiateLanguage(request.headers['accept-language']), path: rest };
};

const queryOf = ({ query: { q } }: Request): string => (typeof q === 'string' ? q : '');

const assetFolder = new URL('./browser/', import.meta.url);

/** The address of the app's font; nothing if the app is not built. */
const fontOf = (uiFolder: string): string | undefined => {
  const folder = join(uiFolder, 'assets');
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const file = files.find((name) => /^inter-latin-wght-normal-.*\.woff2$/.test(name));
  return file === undefined ? undefined : `/assets/${file}`;
};

const fontFace = (address: string): string =>
  `@font-face { font-family: 'Inter Variable'; font-weight: 400 700; font-display: swap; src: url('${address}') format('woff2'); }\n`;

const clientPath = '/developers/client.tgz';
const pythonClientPath = '/developers/client-py';
/** Installers need the name and version at the end of the address. */
const wheelPath = `${pythonClientPath}/${wheelName}`;

const notBuilt = (): never => {
  throw new Error('The clients’ packages are not built: run `npm run generate`.');
};

/** Everything below `/developers`. */
const makeSite = (surroundings: Surroundings, uiFolder: string) => {
  const { publicUrl } = surroundings;
  const book = makeBook(surroundings);
  const assets = new Map<string, { type: string; text: string }>();
  const asset = (name: string, type: string, before = ''): string => {
    const text = before + readFileSync(new URL(name, assetFolder), 'utf8');
    const [stem, extension] = name.split('.');
    const address = `/developers/assets/${stem}.${hash('sha256', text, 'hex').slice(0, 12)}.${extension}`;
    assets.set(address, { type, text });
    return address;
  };
  const font = fontOf(uiFolder);
  const layout = layoutOf(book, publicUrl, {
    font,
    css: asset('site.css', 'text/css', font === undefined ? '' : fontFace(font)),
    js: asset('site.js', 'text/javascript'),
  });
  const search = makeSearch(book);

  const singleFiles: Readonly<Record<string, () => string | Promise<string>>> = {
    '/llms.txt': () => llmsTxt(book, publicUrl),
    '/developers/llms.txt': () => llmsTxt(book, publicUrl),
    '/llms-full.txt': () => llmsFullTxt(book),
    '/robots.txt': () => robotsTxt(publicUrl),
    '/sitemap.xml': () => sitemap(book, publicUrl),
  };

  /** The contents by their addresses. Each is made at its first request. */
  const contents = new Map<string, Promise<Content>>();
  const contentAt = (address: string, make: () => Promise<Content>): Promise<Content> => {
    const known = contents.get(address);
    if (known) return known;
    const content = make();
    contents.set(address, content);
    content.catch(() => contents.delete(address));
    return content;
  };

  const sendResults = async (request: Request, response: Response, language: Language): Promise<void> => {
    const query = queryOf(request);
    const hits = query === '' ? [] : await search(query, language);
    setHeaders(response, { cacheControl: 'no-cache', language });
    const answer =
      request.accepts(['html', 'json']) === 'json'
        ? { type: 'application/json; charset=utf-8', text: JSON.stringify({ hits }) }
        : { type: 'text/html; charset=utf-8', text: layout.results(query, hits, language) };
    await writeAnswer(request, response, answer);
  };

  return async (request: Request, response: Response): Promise<void> => {
    const send = async (
      address: string,
      type: string,
      make: () => string | Promise<string>,
      shown: AnswerHeaders = {},
    ): Promise<void> => {
      const content = await contentAt(address, async () => contentOf(`${type}; charset=utf-8`, await make()));
      setHeaders(response, shown);
      sendContent(request, response, content);
    };
    const { path } = request;
    const single = singleFiles[path];
    if (single) return send(path, path.endsWith('.xml') ? 'application/xml' : 'text/plain', single);
    const sendPackage = async (type: string, make: () => Promise<Buffer | undefined>): Promise<void> => {
      const content = await contentAt(path, async () => compressedContentOf(type, (await make()) ?? notBuilt()));
      setHeaders(response, {});
      sendContent(request, response, content);
    };
    if (path === clientPath) return sendPackage('application/gzip', () => clientTarball(publicUrl));
    if (path === wheelPath) return sendPackage('application/zip', () => clientWheel(publicUrl));
    if (path === pythonClientPath || path === `${pythonClientPath}/`) {
      setHeaders(response, {});
      return response.redirect(302, wheelPath);
    }
    if (path === sourcesPath)
      return send(path, 'application/json', () => JSON.stringify({ addresses: surroundings.webhookSources }));
    const file = assets.get(path);
    if (file) return send(path, file.type, () => file.text, { cacheControl: forEver });

    const rest = path.slice('/developers'.length).replace(/^\//, '');
    const name = rest.replace(/^examples\//, '');
    if (name !== rest && examples.has(name)) return send(path, 'text/plain', () => exampleFile(name));

    const place = placeOf(request, rest.replace(/\.md$/, ''));
    const { language } = place;
    if (place.path === 'search') return sendResults(request, response, language);
    const page = book.page(place.path || frontPage, language);
    if (page) {
      const address = addressOf(page.path, language);
      if (!rest.endsWith('.md') && !wantsMarkdown(request))
        return send(address, 'text/html', () => layout.page(page), { language, location: address });
      const location = `${address}.md`;
      return send(location, 'text/markdown', () => page.markdown, { language, location });
    }
    setHeaders(response, { cacheControl: 'no-cache', language });
    response.status(404);
    await writeAnswer(request, response, { type: 'text/html; charset=utf-8', text: layout.missing(language) });
  };
};

const rootFiles = ['/llms.txt', '/llms-full.txt', '/robots.txt', '/sitemap.xml'];

/** Whether a request is for the documentation, which has its own page for unknown paths. */
const isOurs = ({ path, method }: Request): boolean =>
  ['GET', 'HEAD'].includes(method) &&
  (path === '/developers' || path === '/developers.md' || path.startsWith('/developers/') || rootFiles.includes(path));

/** The documentation for customers' developers, with the font of the built app. It is opened at its first request. */
export const makeDeveloperSite = (surroundings: Surroundings, uiFolder: string): RequestHandler => {
  let site: ReturnType<typeof makeSite> | undefined;
  return async (request, response, next) => {
    if (!isOurs(request)) return next();
    site ??= makeSite(surroundings, uiFolder);
    await site(request, response);
  };
};
