import type { RequestHandler } from 'express';
import { escapeHtml } from '../core/html.ts';
import { negotiateLanguage } from '../core/language.ts';
import type { Language, Texts } from '../core/language.ts';
import { problemCodes, problems } from '../core/problem-catalogue.ts';
import type { ProblemCode } from '../core/problem-catalogue.ts';
import { readFileSync } from 'node:fs';
import { hash } from 'node:crypto';

const title: Texts = { de: 'Fehler der Team Customer API', en: 'Errors of the Team Customer API' };
const intro: Texts = {
  de: 'Jede Fehlerantwort nennt in „code“ einen dieser Fehler. Verlassen Sie sich auf „code“: er ändert sich nie. Die „request_id“ hilft dem Support.',
  en: 'Every error answer names one of these in “code”. Rely on “code”: it never changes. The “request_id” helps support.',
};
const otherLanguage: Texts = { de: 'English', en: 'Deutsch' };

const stylesheet = readFileSync(new URL('./error-page.css', import.meta.url), 'utf8');
const stylesheetHash = hash('sha256', stylesheet, 'base64');

const entry = (code: ProblemCode, language: Language): string => {
  const { status, title: name, advice } = problems[code];
  return `<section id="${code}" aria-labelledby="${code}-title">
<h2 id="${code}-title"><a href="#${code}"><code>${code}</code></a> <span class="status">${status}</span></h2>
<p class="name">${escapeHtml(name[language])}</p>
<p>${escapeHtml(advice[language])}</p>
</section>`;
};

const page = (language: Language): string => {
  const other: Language = language === 'de' ? 'en' : 'de';
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title[language]}</title>
<style>${stylesheet}</style>
</head>
<body>
<header>
<a class="language" href="?lang=${other}" lang="${other}" hreflang="${other}">${otherLanguage[language]}</a>
<h1>${title[language]}</h1>
<p>${intro[language]}</p>
</header>
<main>
${problemCodes.map((code) => entry(code, language)).join('\n')}
</main>
</body>
</html>
`;
};

const pages: Readonly<Record<Language, string>> = { de: page('de'), en: page('en') };

/** The page that every problem's `type` opens, at its code. `?lang=` wins over the browser's language. */
export const errorPage: RequestHandler = (request, response) => {
  const { lang } = request.query;
  const language = lang === 'de' || lang === 'en' ? lang : negotiateLanguage(request.headers['accept-language']);
  response.set({
    'Content-Language': language,
    'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${stylesheetHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    Vary: 'Accept-Language',
  });
  response.type('html').send(pages[language]);
};
