import type { RequestHandler } from 'express';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { escapeHtml } from '../core/name-text.ts';
import { negotiateLanguage } from '../core/language.ts';
import type { Language, Texts } from '../core/language.ts';
import { problemCodes, problems } from '../core/problem.ts';
import type { ProblemCode } from '../core/problem.ts';
import { monthsInParallel } from '../core/product.ts';
import type { Retirement } from '../core/product.ts';

const stylesheet = readFileSync(new URL('./page.css', import.meta.url), 'utf8');
const stylesheetHash = hash('sha256', stylesheet, 'base64');
const policy = `default-src 'none'; style-src 'sha256-${stylesheetHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const otherLanguage: Texts = { de: 'English', en: 'Deutsch' };

interface Page {
  title: Texts;
  /** HTML with escaped texts. */
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

/** A static page in both languages, without scripts. `?lang=` overrides the browser's language. */
const page = (content: Page): RequestHandler => {
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

const intro: Texts = {
  de: 'Jede Fehlerantwort nennt in „code“ einen dieser Fehler. Verlassen Sie sich auf „code“: er ändert sich nie. Die „request_id“ hilft dem Support.',
  en: 'Every error answer has one of these codes in “code”. Rely on “code”: it never changes. The “request_id” helps support.',
};

const entry = (code: ProblemCode, language: Language): string => {
  const { status, title, advice } = problems[code];
  return `<section id="${code}" aria-labelledby="${code}-title">
<h2 id="${code}-title"><a href="#${code}"><code>${code}</code></a> <span class="status">${status}</span></h2>
<p class="name">${escapeHtml(title[language])}</p>
<p>${escapeHtml(advice[language])}</p>
</section>`;
};

/** The page that the `type` of every problem links to, at its code. */
export const errorPage = page({
  title: { de: 'Fehler der Team Customer API', en: 'Errors of the Team Customer API' },
  main: (language) => `<p>${intro[language]}</p>\n${problemCodes.map((code) => entry(code, language)).join('\n')}`,
});

const promise: Readonly<Record<Language, readonly string[]>> = {
  de: [
    'Die Version steht im Pfad: <code>v1</code>. Innerhalb einer Version kommt nur Neues hinzu: Felder, Routen, Ereignisse und Werte. Ignorieren Sie, was Sie nicht kennen.',
    `Was bestehende Clients stören würde, erscheint als neue Version neben der alten, und beide laufen mindestens ${monthsInParallel} Monate parallel. Das Ende einer Version kündigen die Header <code>Deprecation</code> (RFC 9745), <code>Sunset</code> (RFC 8594) und <code>Link</code> jeder Antwort an, und eine E-Mail an Inhaber und Admins der Teams, die sie nutzen.`,
  ],
  en: [
    'The version is part of the path: <code>v1</code>. Inside a version only additions are made: fields, routes, events and values. Ignore what you do not know.',
    `A breaking change appears as a new version beside the old one, and both run in parallel for at least ${monthsInParallel} months. The end of a version is announced by the headers <code>Deprecation</code> (RFC 9745), <code>Sunset</code> (RFC 8594) and <code>Link</code> on every answer, and by an email to the owner and the admins of the teams that use it.`,
  ],
};

const current: Texts = {
  de: 'Aktuell ist <code>v1</code>. Ein Ende ist nicht angekündigt.',
  en: 'The current version is <code>v1</code>. No end is announced.',
};

const locale: Readonly<Record<Language, string>> = { de: 'de-DE', en: 'en-GB' };
const format = { day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const;

const timeIn = (language: Language, time: Date): string =>
  `${time.toLocaleString(locale[language], { ...format, timeZone: 'UTC' })} UTC`;

const announcement = (language: Language, { deprecatedAt, sunsetAt, successorUrl }: Retirement): string => {
  const german = language === 'de';
  const since = timeIn(language, deprecatedAt);
  const lines = [
    german ? `<code>v1</code> gilt ab dem ${since} als veraltet.` : `<code>v1</code> is deprecated as of ${since}.`,
  ];
  if (sunsetAt) {
    const end = timeIn(language, sunsetAt);
    lines.push(german ? `Ab dem ${end} antwortet sie möglicherweise nicht mehr.` : `It may stop answering on ${end}.`);
  }
  if (successorUrl !== undefined) {
    const link = `<a href="${escapeHtml(successorUrl)}">${escapeHtml(successorUrl)}</a>`;
    lines.push(german ? `Ersetzt wird sie durch ${link}.` : `It is replaced by ${link}.`);
  }
  return lines.join(' ');
};

/** The page that the headers of a deprecated version link to. */
export const versionsPage = (retirement: Retirement | undefined): RequestHandler =>
  page({
    title: { de: 'Versionen der Team Customer API', en: 'Versions of the Team Customer API' },
    main: (language) => {
      const now = retirement ? announcement(language, retirement) : current[language];
      return [now, ...promise[language]].map((text) => `<p>${text}</p>`).join('\n');
    },
  });
