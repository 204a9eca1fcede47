import { createRequire } from 'node:module';
import { escapeHtml } from '../../core/html.ts';

// The library's own types would bring the types of browsers into every file of the server, so the library is loaded
// without its types.
interface Highlighter {
  registerLanguage(name: string, language: unknown): void;
  highlight(code: string, options: { language: string }): { value: string };
}
const require = createRequire(import.meta.url);
const highlighter: Highlighter = require('highlight.js/lib/core');

const languages: Readonly<Record<string, { name: string; grammar: unknown }>> = {
  sh: { name: 'Shell', grammar: require('highlight.js/lib/languages/bash') },
  go: { name: 'Go', grammar: require('highlight.js/lib/languages/go') },
  http: { name: 'HTTP', grammar: require('highlight.js/lib/languages/http') },
  ini: { name: '.env', grammar: require('highlight.js/lib/languages/ini') },
  js: { name: 'JavaScript', grammar: require('highlight.js/lib/languages/javascript') },
  json: { name: 'JSON', grammar: require('highlight.js/lib/languages/json') },
  php: { name: 'PHP', grammar: require('highlight.js/lib/languages/php') },
  python: { name: 'Python', grammar: require('highlight.js/lib/languages/python') },
  sql: { name: 'SQL', grammar: require('highlight.js/lib/languages/sql') },
  ts: { name: 'TypeScript', grammar: require('highlight.js/lib/languages/typescript') },
  yaml: { name: 'YAML', grammar: require('highlight.js/lib/languages/yaml') },
};
for (const [name, { grammar }] of Object.entries(languages)) highlighter.registerLanguage(name, grammar);

/** The display name of a code block's language. */
export const nameOfLanguage = (language: string): string => languages[language]?.name ?? '';

/** Code as HTML with classes for its parts; code in an unknown language is only escaped. */
export const highlight = (code: string, language: string): string =>
  Object.hasOwn(languages, language) ? highlighter.highlight(code, { language }).value : escapeHtml(code);
