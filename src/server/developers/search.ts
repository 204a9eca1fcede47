import MiniSearch from 'minisearch';
import type { Language } from '../../core/language.ts';
import { pagesIn, type Book } from './documentation.ts';

export interface Hit {
  path: string;
  /** The section of the page; empty for its beginning. */
  anchor: string;
  page: string;
  heading: string;
  /** The words around the first match. Every second part is a match. */
  excerpt: string[];
}

interface SearchEntry extends Omit<Hit, 'excerpt'> {
  id: number;
  text: string;
}

export const longestQuery = 100;
const max = 20;
const excerptCharacters = 160;

/** Splits a text at some words: every second part is one of them. The words have only letters and digits. */
const markedParts = (text: string, words: readonly string[]): string[] => {
  if (words.length === 0) return [text];
  // The longest word first, so that a match is as long as possible.
  const alternatives = words.toSorted((one, other) => other.length - one.length).join('|');
  return text.split(new RegExp(`(${alternatives})`, 'giu'));
};

/** The words around the first match of one of the terms. */
const excerptOf = (text: string, terms: readonly string[]): string[] => {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const from = Math.max(0, Math.min(...places, text.length) - 50);
  const start = places.length === 0 || from === 0 ? 0 : text.indexOf(' ', from) + 1;
  const cut = text.slice(start, start + excerptCharacters).trim();
  const excerpt = `${start > 0 ? '… ' : ''}${cut}${start + excerptCharacters < text.length ? ' …' : ''}`;
  return markedParts(excerpt, terms);
};

/** A page whose title is exactly the query comes first, then a section with such a heading. */
const rankOf = ({ anchor, page, heading }: Pick<Hit, 'anchor' | 'page' | 'heading'>, query: string): number => {
  const isIt = (title: string): boolean => title.toLowerCase() === query.trim().toLowerCase();
  if (anchor === '' && isIt(page)) return 0;
  return isIt(heading) ? 1 : 2;
};

const indexOf = async (book: Book, language: Language): Promise<MiniSearch<SearchEntry>> => {
  const index = new MiniSearch<SearchEntry>({
    fields: ['heading', 'page', 'text'],
    storeFields: ['path', 'anchor', 'page', 'heading', 'text'],
    // `member_detail_enabled` is one word; hyphens, dots and slashes separate words, as in routes.
    tokenize: (text) => text.split(/[^\p{L}\p{N}_]+/u).filter(Boolean),
    searchOptions: {
      boost: { heading: 3, page: 2 },
      prefix: (term) => term.length > 1,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: 'AND',
    },
  });
  let id = 0;
  for await (const { path, title, sections } of pagesIn(book, language)) {
    for (const { heading, text } of sections) {
      index.add({ id: (id += 1), path, anchor: heading?.id ?? '', page: title, heading: heading?.text ?? '', text });
    }
  }
  return index;
};

/** The full-text search, by language. An index is built at the first use. */
export const makeSearch = (book: Book) => {
  const indexes = new Map<Language, Promise<MiniSearch<SearchEntry>>>();
  return async (query: string, language: Language): Promise<Hit[]> => {
    const index = indexes.get(language) ?? indexOf(book, language);
    indexes.set(language, index);
    return (await index)
      .search(query.slice(0, longestQuery))
      .map(({ path, anchor, page, heading, text, terms }) => ({
        path: String(path),
        anchor: String(anchor),
        page: String(page),
        heading: String(heading),
        text: String(text),
        terms,
      }))
      .toSorted((one, other) => rankOf(one, query) - rankOf(other, query))
      .slice(0, max)
      .map(({ text, terms, ...hit }) => ({ ...hit, excerpt: excerptOf(text, terms) }));
  };
};
