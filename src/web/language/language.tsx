import { useSyncExternalStore } from 'react';
import type { Language } from '../../core/language.ts';

export type { Language };

const languageKey = 'language';

const isLanguage = (text: string | null): text is Language => text === 'de' || text === 'en';

/** The language chosen in this browser before, else the browser's own, else German. */
const initialLanguage = (): Language => {
  const stored = localStorage.getItem(languageKey);
  if (isLanguage(stored)) return stored;
  return navigator.language.startsWith('en') ? 'en' : 'de';
};

let current: Language;
const listeners = new Set<() => void>();

/** Shows the app in this language, and keeps it for the next visit with this browser. */
export const chooseLanguage = (language: Language): void => {
  current = language;
  localStorage.setItem(languageKey, language);
  document.documentElement.lang = language;
  for (const listener of listeners) listener();
};

chooseLanguage(initialLanguage());

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const currentLanguage = (): Language => current;

/**
 * The current language. The component that calls this is rendered again when the language changes, with everything that
 * it renders itself, so `t` and `locale` need no hook. Only components that React does not render together with their
 * parents call it: the layouts, and whatever shows a page.
 */
export const useLanguage = (): Language => useSyncExternalStore(subscribe, currentLanguage);

export type Translate = <T>(de: T, en: T) => T;

/**
 * Picks the text in the reader's language. Both texts are written side by side where they are shown, inside of a
 * function.
 */
export const t: Translate = (de, en) => (current === 'de' ? de : en);

const locales = { de: 'de-DE', en: 'en-GB' } as const;

/** The locale for numbers and times. */
export const locale = (): (typeof locales)[Language] => locales[current];
