import type { Language } from '../../core/language.ts';

// Texts in the reader's language. This file needs neither a browser nor React, so that functions of pages about
// figures, dates and rights can be tested without them.

let current: Language = 'de';

export const currentLanguage = (): Language => current;

/** Only for `chooseLanguage`, which also changes the page and the stored language. */
export const setCurrentLanguage = (language: Language): void => {
  current = language;
};

const isLanguage = (text: string | null): text is Language => text === 'de' || text === 'en';

/** The language chosen in this browser before; without one, English if it is the browser's language, else German. */
export const languageAtFirst = (stored: string | null, browser: string): Language => {
  if (isLanguage(stored)) return stored;
  return browser.startsWith('en') ? 'en' : 'de';
};

export type Translate = <T>(de: T, en: T) => T;

/**
 * Picks the text in the reader's language. Both texts are written side by side where they are shown, inside of a
 * function.
 */
export const t: Translate = (de, en) => (current === 'de' ? de : en);

const locales = { de: 'de-DE', en: 'en-GB' } as const;

/** The locale for numbers and times. */
export const locale = (): (typeof locales)[Language] => locales[current];
