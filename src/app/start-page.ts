import { escapeHtml } from '../core/html.ts';
import type { Language, Texts } from '../core/language.ts';
import { basePath } from '../core/base-path.ts';
import { page } from './page.ts';

const lead: Texts = {
  de: 'Die öffentliche API Ihres Teams. Ein Schlüssel genügt, um zu beginnen:',
  en: 'The public API of your team. A key is all it takes to begin:',
};

const links: readonly { href: string; text: Texts }[] = [
  {
    href: `${basePath}/openapi.v1.json`,
    text: { de: 'Beschreibung der API (OpenAPI 3.1)', en: 'Description of the API (OpenAPI 3.1)' },
  },
  {
    href: '/developers/errors',
    text: { de: 'Fehler und was dann zu tun ist', en: 'Errors and what to do about them' },
  },
];

const link = (language: Language) => (entry: (typeof links)[number]) =>
  `<li><a href="${entry.href}">${entry.text[language]}</a></li>`;

/** What somebody sees who opens the service's address. */
export const startPage = (publicUrl: string) =>
  page({
    title: { de: 'Team Customer API', en: 'Team Customer API' },
    main: (language) => `<p>${lead[language]}</p>
<pre><code>curl -H "Authorization: Bearer svck_live_…" ${escapeHtml(publicUrl)}${basePath}/me</code></pre>
<ul>
${links.map(link(language)).join('\n')}
</ul>`,
  });
