import { escapeHtml } from '../core/name-text.ts';
import type { Language, Texts } from '../core/language.ts';
import { problemCodes, problems } from '../core/problem.ts';
import type { ProblemCode } from '../core/problem.ts';
import { page } from './page.ts';

const intro: Texts = {
  de: 'Jede Fehlerantwort nennt in „code“ einen dieser Fehler. Verlassen Sie sich auf „code“: er ändert sich nie. Die „request_id“ hilft dem Support.',
  en: 'Every error answer names one of these in “code”. Rely on “code”: it never changes. The “request_id” helps support.',
};

const entry = (code: ProblemCode, language: Language): string => {
  const { status, title, advice } = problems[code];
  return `<section id="${code}" aria-labelledby="${code}-title">
<h2 id="${code}-title"><a href="#${code}"><code>${code}</code></a> <span class="status">${status}</span></h2>
<p class="name">${escapeHtml(title[language])}</p>
<p>${escapeHtml(advice[language])}</p>
</section>`;
};

/** The page that every problem's `type` opens, at its code. */
export const errorPage = page({
  title: { de: 'Fehler der Team Customer API', en: 'Errors of the Team Customer API' },
  main: (language) => `<p>${intro[language]}</p>\n${problemCodes.map((code) => entry(code, language)).join('\n')}`,
});
