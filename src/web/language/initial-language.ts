import type { Language } from '../../core/language.ts';

export const languageKey = 'language';

const isLanguage = (text: string | null): text is Language => text === 'de' || text === 'en';

/** The language chosen in this browser before, else the browser's own, else German. */
export const initialLanguage = (): Language => {
  const stored = localStorage.getItem(languageKey);
  if (isLanguage(stored)) return stored;
  return navigator.language.startsWith('en') ? 'en' : 'de';
};
