import type { Language, Texts } from '../../core/language.ts';
import { escapeHtml } from '../../core/html.ts';
import { serviceName } from '../../core/product.ts';
import type { Book, DocumentationPage } from './documentation.ts';
import { referencePage } from './contents.ts';
import type { Hit } from './search.ts';

// The HTML around the text of a page. Everything works without JavaScript, which only adds convenience.

export interface Assets {
  /** The address of the font, if there is one. */
  font: string | undefined;
  /** The URLs of the stylesheet and the script, with a hash of their content. */
  css: string;
  js: string;
}

const words = {
  docs: { de: 'Entwickler', en: 'Developers' },
  skip: { de: 'Zum Inhalt', en: 'Skip to content' },
  menu: { de: 'Menü', en: 'Menu' },
  pages: { de: 'Seiten', en: 'Pages' },
  searchKeys: { de: 'Suchen (Strg K)', en: 'Search (Ctrl K)' },
  searchDocs: { de: 'Dokumentation durchsuchen', en: 'Search the documentation' },
  app: { de: 'Zur App', en: 'Open the app' },
  theme: { de: 'Hell oder dunkel', en: 'Light or dark' },
  other: { de: 'English', en: 'Deutsch' },
  contents: { de: 'Auf dieser Seite', en: 'On this page' },
  previous: { de: 'Zurück', en: 'Previous' },
  next: { de: 'Weiter', en: 'Next' },
  asMarkdown: { de: 'Diese Seite als Markdown', en: 'This page as Markdown' },
  forPrograms: { de: 'Alle Seiten für KI-Assistenten', en: 'All pages, for AI assistants' },
  around: { de: 'Vorige und nächste Seite', en: 'Previous and next page' },
  results: { de: 'Suchergebnisse', en: 'Search results' },
  nothing: { de: 'Nichts gefunden. Versuchen Sie es mit einem anderen Wort.', en: 'Nothing found. Try another word.' },
  missing: { de: 'Seite nicht gefunden', en: 'Page not found' },
  missingText: {
    de: 'Die Adresse ist falsch oder die Seite ist umgezogen. Suchen Sie danach, oder beginnen Sie mit der Übersicht.',
    en: 'The address is wrong, or the page has moved. Search for it, or start with the overview.',
  },
  overview: { de: 'Zur Übersicht', en: 'Go to the overview' },
} as const satisfies Record<string, Texts>;

const otherLanguage = (language: Language): Language => (language === 'de' ? 'en' : 'de');

export const addressOf = (path: string, language: Language): string => `/developers/${language}/${path}`;

interface Shell {
  language: Language;
  title: string;
  description?: string;
  /** The path of a page below `/developers/en/` and `/developers/de/`; undefined for the search and unknown paths. */
  path?: string;
  /** The text in the search field. */
  query?: string;
  main: string;
  contents?: string;
  /** The address of the same content in the other language. */
  otherAddress: string;
}

/** A page of the reference has the same parts for each operation, so its table of contents leaves them out. */
const tableOfContents = ({ headings, path, language }: DocumentationPage): string => {
  const deepest = path.startsWith(`${referencePage}/`) ? 2 : 3;
  const shown = headings.filter(({ depth }) => depth <= deepest);
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ id, depth, text }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<details class="contents"><summary>${words.contents[language]}</summary><ul>${items.join('')}</ul></details>`;
};

export const layoutOf = (book: Book, publicUrl: string, assets: Assets) => {
  // Loaded together with the stylesheet, because a font that comes later moves the text.
  const fontLink =
    assets.font === undefined
      ? ''
      : `<link rel="preload" href="${assets.font}" as="font" type="font/woff2" crossorigin>\n`;
  const navigation = (language: Language, current: string | undefined): string =>
    book
      .navigation(language)
      .map(({ title, items }) => {
        const links = items.map(({ path, title: text }) => {
          const marks = path === current ? ' aria-current="page"' : '';
          const inner = path.includes('/') ? ' class="inner"' : '';
          return `<li${inner}><a href="${addressOf(path, language)}"${marks}>${escapeHtml(text)}</a></li>`;
        });
        return `<h2>${escapeHtml(title)}</h2><ul>${links.join('')}</ul>`;
      })
      .join('');

  const shell = ({
    language,
    title,
    description,
    path,
    query = '',
    main,
    contents = '',
    otherAddress,
  }: Shell): string => {
    const other = otherLanguage(language);
    const meta =
      path === undefined
        ? '<meta name="robots" content="noindex">'
        : `<meta name="description" content="${escapeHtml(description ?? '')}">
<link rel="canonical" href="${publicUrl}${addressOf(path, language)}">
<link rel="alternate" hreflang="${language}" href="${publicUrl}${addressOf(path, language)}">
<link rel="alternate" hreflang="${other}" href="${publicUrl}${addressOf(path, other)}">
<link rel="alternate" hreflang="x-default" href="${publicUrl}/developers/${path}">
<link rel="alternate" type="text/markdown" href="${publicUrl}${addressOf(path, language)}.md">`;
    return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · ${serviceName}</title>
${meta}
<link rel="icon" href="/icon.svg">
${fontLink}<link rel="stylesheet" href="${assets.css}">
<script src="${assets.js}"></script>
</head>
<body>
<a class="skip" href="#content">${words.skip[language]}</a>
<header class="top">
<button class="menu" type="button" popovertarget="pages" aria-label="${words.menu[language]}">☰</button>
<a class="brand" href="/developers/${language}"><img src="/icon.svg" width="24" height="24" alt=""> ${serviceName} <span>${words.docs[language]}</span></a>
<form class="search" role="search" action="/developers/${language}/search">
<input type="search" name="q" aria-label="${words.searchDocs[language]}" placeholder="${words.searchKeys[language]}" value="${escapeHtml(query)}" maxlength="100" autocomplete="off">
</form>
<div class="tools">
<button class="theme" type="button" hidden aria-label="${words.theme[language]}"></button>
<a href="${escapeHtml(otherAddress)}" lang="${other}" hreflang="${other}">${words.other[language]}</a>
<a class="app" href="/">${words.app[language]}</a>
</div>
</header>
<div class="columns">
<main id="content" tabindex="-1">
${main}
</main>
${contents}
<nav id="pages" class="pages" popover aria-label="${words.pages[language]}">${navigation(language, path)}</nav>
</div>
</body>
</html>
`;
  };

  const aroundOf = (page: DocumentationPage): string => {
    const items = book.navigation(page.language).flatMap((group) => group.items);
    const at = items.findIndex(({ path }) => path === page.path);
    const link = (index: number, kind: 'previous' | 'next') => {
      const item = items[index];
      return item
        ? `<a class="${kind}" href="${addressOf(item.path, page.language)}"><span>${words[kind][page.language]}</span>${escapeHtml(item.title)}</a>`
        : '';
    };
    return `<nav class="around" aria-label="${words.around[page.language]}">${at > 0 ? link(at - 1, 'previous') : ''}${link(at + 1, 'next')}</nav>`;
  };

  return {
    page: (page: DocumentationPage): string => {
      const { language, path, title, description, html } = page;
      const address = addressOf(path, language);
      return shell({
        language,
        title,
        description,
        path,
        otherAddress: addressOf(path, otherLanguage(language)),
        contents: tableOfContents(page),
        main: `<article>
<p class="actions"><a href="${address}.md" title="${words.asMarkdown[language]}">Markdown</a><a href="/llms.txt" title="${words.forPrograms[language]}">llms.txt</a></p>
${html}</article>
${aroundOf(page)}`,
      });
    },

    results: (query: string, hits: readonly Hit[], language: Language): string => {
      const items = hits.map(
        ({ path, anchor, page, heading, excerpt }) =>
          `<li><a href="${addressOf(path, language)}${anchor && `#${escapeHtml(anchor)}`}">${escapeHtml(heading || page)}</a> <span>${escapeHtml(heading ? page : '')}</span><p>${excerpt.map((part, at) => (at % 2 === 1 ? `<mark>${escapeHtml(part)}</mark>` : escapeHtml(part))).join('')}</p></li>`,
      );
      return shell({
        language,
        title: words.results[language],
        query,
        otherAddress: `/developers/${otherLanguage(language)}/search?q=${encodeURIComponent(query)}`,
        main: `<h1>${words.results[language]}</h1>\n${items.length > 0 ? `<ul class="results">${items.join('')}</ul>` : `<p>${words.nothing[language]}</p>`}`,
      });
    },

    missing: (language: Language): string =>
      shell({
        language,
        title: words.missing[language],
        otherAddress: `/developers/${otherLanguage(language)}`,
        main: `<h1>${words.missing[language]}</h1>\n<p>${words.missingText[language]}</p>\n<p><a href="/developers/${language}">${words.overview[language]}</a></p>`,
      }),
  };
};
