import { languages, type Language } from '../../core/language.ts';
import { basePath, serviceName } from '../../core/product.ts';
import { wheelName } from './client-package.ts';
import { pagesIn, type Book, type DocumentationPage } from './documentation.ts';
import { addressOf } from './layout.ts';

// The files for programs: llms.txt, sitemap.xml and robots.txt.

const madePages = (book: Book, language: Language): Promise<DocumentationPage[]> =>
  Array.fromAsync(pagesIn(book, language));

/** All pages with descriptions, in the format of llmstxt.org. English comes first, as most assistants expect it. */
export const llmsTxt = async (book: Book, publicUrl: string): Promise<string> => {
  const german = await madePages(book, 'de');
  const made = await madePages(book, 'en');
  const item = ({ path, language, title, description }: DocumentationPage) =>
    `- [${title}](${publicUrl}${addressOf(path, language)}.md): ${description}`;
  const english = book
    .navigation('en')
    .flatMap(({ title, items }) => [
      `## ${title}`,
      '',
      ...items.flatMap(({ path }) => made.filter((page) => page.path === path)).map(item),
      '',
    ]);
  return [
    `# ${serviceName}`,
    '',
    '> The public REST API and the webhooks of one team on the sales-training platform: members, trainings and scores, assignments, cases, catalog, analytics, CRM deals.',
    '',
    `Every page is HTML at its address and Markdown at the address with \`.md\` (or with \`Accept: text/markdown\`). The API itself is described by [openapi.v1.json](${publicUrl}${basePath}/openapi.v1.json). All pages in one file: [llms-full.txt](${publicUrl}/llms-full.txt). A typed client for TypeScript and JavaScript: \`npm install ${publicUrl}/developers/client.tgz\`. One for Python: \`pip install ${publicUrl}/developers/client-py/${wheelName}\`.`,
    '',
    ...english,
    '## Deutsch',
    '',
    ...german.map(item),
    '',
  ].join('\n');
};

/** All English pages in one file. */
export const llmsFullTxt = async (book: Book): Promise<string> =>
  (await madePages(book, 'en')).map(({ markdown }) => markdown.trim()).join('\n\n---\n\n');

export const sitemap = (book: Book, publicUrl: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${languages
  .flatMap((language) => book.paths().map((path) => ({ language, path })))
  .map(({ path, language }) => `<url><loc>${publicUrl}${addressOf(path, language)}</loc></url>`)
  .join('\n')}
</urlset>
`;

/** Crawlers may read the documentation, but not the app: nearly all pages of the app need a session. */
export const robotsTxt = (publicUrl: string): string =>
  `User-agent: *
Allow: /developers
Allow: /llms.txt
Allow: /llms-full.txt
Allow: /sitemap.xml
Allow: ${basePath}/openapi.v1.json
Disallow: /

Sitemap: ${publicUrl}/sitemap.xml
`;
