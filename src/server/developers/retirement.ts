import type { Language, Texts } from '../../core/language.ts';
import type { Retirement } from '../../core/product.ts';
import { timeIn } from './words.ts';

const none: Texts = {
  de: 'Aktuell ist `v1`. Ein Ende ist nicht angekündigt.',
  en: 'The current version is `v1`. No end is announced.',
};

/** The state of v1, for the page to which the headers of a deprecated version link. */
export const announcement = (language: Language, retirement: Retirement | undefined): string => {
  if (!retirement) return none[language];
  const { deprecatedAt, sunsetAt, successorUrl } = retirement;
  const german = language === 'de';
  const since = timeIn(language, deprecatedAt);
  const lines = [german ? `\`v1\` gilt ab dem ${since} als veraltet.` : `\`v1\` is deprecated as of ${since}.`];
  if (sunsetAt) {
    const end = timeIn(language, sunsetAt);
    lines.push(german ? `Ab dem ${end} antwortet sie möglicherweise nicht mehr.` : `It may stop answering on ${end}.`);
  }
  if (successorUrl !== undefined) {
    lines.push(german ? `Ersetzt wird sie durch <${successorUrl}>.` : `It is replaced by <${successorUrl}>.`);
  }
  return lines.join(' ');
};
