import { Marked, type Tokens } from 'marked';
import { escapeHtml } from '../../core/html.ts';
import type { Language, Texts } from '../../core/language.ts';
import { highlight, nameOfLanguage } from './highlight.ts';

// Renders our own Markdown as HTML. Raw HTML in it is shown as text, because facts may contain texts of other people.

export interface Heading {
  id: string;
  depth: number;
  text: string;
}

export interface Section {
  /** The heading above the paragraph; undefined before the first heading. */
  heading: Heading | undefined;
  text: string;
}

export interface RenderedPage {
  html: string;
  /** All headings except the page's title. */
  headings: Heading[];
  /** The texts of the page by their headings, for the search. */
  sections: Section[];
  title: string;
  /** The first paragraph as text, in one line. */
  description: string;
}

const anchorLabel: Texts = { de: 'Link zu diesem Abschnitt', en: 'Link to this section' };

const explicitId = / \{#([\w.-]+)\}$/;

/** Like GitHub's ids of headings, but with dots: `training.completed`. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_.-]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-');

/** Converts `quick-start.md#key` to a URL of the HTML pages. */
export const pageAddress = (href: string, language: Language): string => {
  const [, path, rest] = /^([\w/.-]+)\.md(#.*)?$/.exec(href) ?? [];
  return path === undefined ? href : `/developers/${language}/${path}${rest ?? ''}`;
};

/** The text of tokens without their marks. */
const plain = (tokens: readonly Tokens.Generic[] | undefined): string =>
  (tokens ?? [])
    .map((token) => {
      if (token['tokens']) return plain(token['tokens']);
      return typeof token['text'] === 'string' ? token['text'] : '';
    })
    .join('');

/** All text of a block, also in lists and tables. */
const readable = (token: Tokens.Generic): string => {
  if (token.type === 'table') {
    const rows: Tokens.TableCell[][] = [token['header'], ...token['rows']];
    return rows.map((cells) => cells.map((cell) => plain(cell.tokens)).join(' ')).join(' ');
  }
  if (token.type === 'list') {
    const items: Tokens.ListItem[] = token['items'];
    return items.map((item) => plain(item.tokens)).join(' ');
  }
  return plain([token]);
};

const isHeading = (token: Tokens.Generic): token is Tokens.Heading => token.type === 'heading';

export const render = (markdown: string, language: Language): RenderedPage => {
  const headings: Heading[] = [];
  const used = new Set<string>();
  const headingOf = (token: Tokens.Heading): Heading => {
    const whole = plain(token.tokens);
    const given = explicitId.exec(whole)?.[1];
    const text = whole.replace(explicitId, '');
    let id = given ?? slugOf(text);
    for (let number = 2; used.has(id); number += 1) id = `${given ?? slugOf(text)}-${number}`;
    used.add(id);
    return { id, depth: token.depth, text };
  };
  const known = new Map<Tokens.Generic, Heading>();

  const marked = new Marked({
    renderer: {
      heading(token) {
        const inner = this.parser.parseInline(token.tokens).replace(explicitId, '');
        const heading = known.get(token);
        if (token.depth === 1 || heading === undefined) return `<h1>${inner}</h1>\n`;
        const { id, depth } = heading;
        return `<h${depth} id="${id}">${inner}<a class="anchor" href="#${id}" aria-label="${anchorLabel[language]}"></a></h${depth}>\n`;
      },
      code({ text, lang = '' }) {
        const [name = '', ...rest] = lang.split(' ');
        const [kind, ...operation] = rest;
        const tries = kind === 'try';
        const title = tries ? operation.join(' ') : rest.join(' ') || nameOfLanguage(name);
        const attributes = tries ? ` data-try="${escapeHtml(operation.join(' '))}"` : '';
        return `<figure class="code"${attributes}><figcaption>${escapeHtml(title)}</figcaption><pre tabindex="0"><code class="language-${escapeHtml(name)}">${highlight(text, name)}</code></pre></figure>\n`;
      },
      table(token) {
        const row = (cells: string) => `<tr>${cells}</tr>\n`;
        const head = token.header
          .map((cell) => `<th scope="col">${this.parser.parseInline(cell.tokens)}</th>`)
          .join('');
        const rows = token.rows.map((cells) =>
          row(
            cells
              .map((cell, at) => {
                const column = escapeHtml(token.header[at]?.text ?? '');
                return `<td data-column="${column}">${this.parser.parseInline(cell.tokens)}</td>`;
              })
              .join(''),
          ),
        );
        return `<div class="table" tabindex="0"><table><thead>${row(head)}</thead><tbody>${rows.join('')}</tbody></table></div>\n`;
      },
      link({ href, tokens }) {
        const address = pageAddress(href, language);
        const outside = /^https?:/.test(address) ? ' rel="noreferrer"' : '';
        return `<a href="${escapeHtml(address)}"${outside}>${this.parser.parseInline(tokens)}</a>`;
      },
      html: ({ text }) => escapeHtml(text),
    },
  });

  const tokens = marked.lexer(markdown);
  const sections: Section[] = [{ heading: undefined, text: '' }];
  let [title, description] = ['', ''];
  for (const token of tokens) {
    if (isHeading(token)) {
      const heading = headingOf(token);
      if (heading.depth === 1) title = heading.text;
      else {
        known.set(token, heading);
        headings.push(heading);
        sections.push({ heading, text: '' });
      }
      continue;
    }
    const text = readable(token);
    if (description === '' && token.type === 'paragraph') description = text.replaceAll(/\s+/g, ' ');
    const section = sections.at(-1);
    if (section) section.text += `${text} `;
  }
  return { html: marked.parser(tokens), headings, sections, title, description };
};
