import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';
import { negotiateLanguage } from '../core/language.ts';
import type { Language, Texts } from '../core/language.ts';

const stylesheet = readFileSync(new URL('./page.css', import.meta.url), 'utf8');
const stylesheetHash = hash('sha256', stylesheet, 'base64');
const policy = `default-src 'none'; style-src 'sha256-${stylesheetHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const otherLanguage: Texts = { de: 'English', en: 'Deutsch' };

interface Page {
  title: Texts;
  /** HTML, made of escaped texts. */
  main: (language: Language) => string;
}

const write = ({ title, main }: Page, language: Language): string => {
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
<nav><a href="?lang=${other}" lang="${other}" hreflang="${other}">${otherLanguage[language]}</a></nav>
<h1>${title[language]}</h1>
</header>
<main>
${main(language)}
</main>
</body>
</html>
`;
};

/** A plain page in both languages, without scripts. `?lang=` wins over the browser's language. */
export const page = (content: Page): RequestHandler => {
  const written: Readonly<Record<Language, string>> = { de: write(content, 'de'), en: write(content, 'en') };
  return (request, response) => {
    const { lang } = request.query;
    const language = lang === 'de' || lang === 'en' ? lang : negotiateLanguage(request.headers['accept-language']);
    response.set({
      'Content-Language': language,
      'Content-Security-Policy': policy,
      Vary: 'Accept-Language',
    });
    response.type('html').send(written[language]);
  };
};
