import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Language } from '../../core/language.ts';
import { basePath } from '../../core/product.ts';
import { groups, referencePage, writtenPages } from './contents.ts';
import { factsOf, type Surroundings } from './facts.ts';
import { render, type RenderedPage } from './markdown.ts';
import { tagsOf, type Tag } from './openapi.ts';
import { tagPage, titleOf } from './reference.ts';

/** A page in one language. */
export interface DocumentationPage extends RenderedPage {
  readonly path: string;
  readonly language: Language;
  /** The form of the page for programs: Markdown with absolute links. */
  readonly markdown: string;
}

export interface NavigationItem {
  path: string;
  title: string;
}

export interface Book {
  /** All paths, in the order of the navigation. */
  readonly paths: () => readonly string[];
  readonly page: (path: string, language: Language) => DocumentationPage | undefined;
  readonly navigation: (language: Language) => readonly { title: string; items: readonly NavigationItem[] }[];
}

const written = (path: string, language: Language): string =>
  readFileSync(new URL(`./pages/${language}/${path}.md`, import.meta.url), 'utf8');

const pointer = {
  de: (url: string) => `> Alle Seiten dieser Dokumentation: ${url}/llms.txt`,
  en: (url: string) => `> All pages of this documentation: ${url}/llms.txt`,
} as const;

/**
 * Links to other pages become absolute, and explicit ids of headings become HTML, because this Markdown is read outside
 * of the site.
 */
const portable = (markdown: string, publicUrl: string, language: Language): string =>
  markdown
    .split(/(^```[^]*?^```$)/m)
    .map((part) =>
      part.startsWith('```')
        ? part.replace(/^```sh try .*$/m, '```sh')
        : part
            .replaceAll(/\]\(([\w/-]+)\.md(#[^()\s]+)?\)/g, `](${publicUrl}/developers/${language}/$1.md$2)`)
            .replaceAll(/\]\((\/[^()]*)\)/g, `](${publicUrl}$1)`)
            .replaceAll(/^(#+ .*) \{#([\w.-]+)\}$/gm, '<a id=$2></a>\n\n$1'),
    )
    .join('')
    .replace(/^(# .*)$/m, `$1\n\n${pointer[language](publicUrl)}`);

/** The documentation of this installation. A page is rendered at its first request, and cached. */
export const makeBook = (surroundings: Surroundings): Book => {
  const { publicUrl } = surroundings;
  let known: Tag[] | undefined;
  const tags = () => (known ??= tagsOf(surroundings.document()).filter(({ operations }) => operations.length > 0));
  const expand = factsOf(surroundings, tags);
  const made = new Map<string, DocumentationPage>();

  const sourceOf = (path: string, language: Language): string | undefined => {
    if (writtenPages.includes(path)) return written(path, language);
    const tag = tags().find(({ name }) => path === `${referencePage}/${name}`);
    return tag && tagPage(tag, `${publicUrl}${basePath}`, language);
  };

  const page = (path: string, language: Language): DocumentationPage | undefined => {
    const key = `${language}/${path}`;
    const kept = made.get(key);
    if (kept) return kept;
    const source = sourceOf(path, language);
    if (source === undefined) return undefined;
    const expanded = expand(source, language);
    const rendered = render(expanded, language);
    const markdown = portable(expanded, publicUrl, language);
    const result = { ...rendered, path, language, markdown };
    made.set(key, result);
    return result;
  };

  /** The titles of written pages, which are found without rendering the pages. */
  const titles = new Map<string, string>();
  const titleIn = (path: string, language: Language): string => {
    const key = `${language}/${path}`;
    const title = titles.get(key) ?? /^# (.*)$/m.exec(written(path, language))?.[1] ?? path;
    titles.set(key, title);
    return title;
  };
  const generated = (language: Language) =>
    tags().map((tag) => ({ path: `${referencePage}/${tag.name}`, title: titleOf(tag, language) }));

  return {
    paths: () => [...writtenPages, ...generated('en').map(({ path }) => path)],
    page,
    navigation: (language) =>
      groups.map(({ title, pages }) => ({
        title: title[language],
        items: pages.flatMap((path) => [
          { path, title: titleIn(path, language) },
          ...(path === referencePage ? generated(language) : []),
        ]),
      })),
  };
};

/**
 * All pages of a language. Other requests are served between two pages, because rendering one takes some milliseconds.
 */
export async function* pagesIn(book: Book, language: Language): AsyncGenerator<DocumentationPage> {
  for (const path of book.paths()) {
    const page = book.page(path, language);
    if (page) yield page;
    await nextTurn();
  }
}
