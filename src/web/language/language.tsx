import { useSyncExternalStore } from 'react';
import type { Language } from '../../core/language.ts';
import { currentLanguage, languageAtFirst, setCurrentLanguage } from './texts.ts';

export type { Language };
export { currentLanguage, locale, t, type Translate } from './texts.ts';

const languageKey = 'language';

const listeners = new Set<() => void>();

/** Shows the app in this language, and stores it for the next visit with this browser. */
export const chooseLanguage = (language: Language): void => {
  setCurrentLanguage(language);
  localStorage.setItem(languageKey, language);
  document.documentElement.lang = language;
  for (const listener of listeners) listener();
};

chooseLanguage(languageAtFirst(localStorage.getItem(languageKey), navigator.language));

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/**
 * The current language. When the language changes, the component that calls this is rendered again, with everything
 * that it renders itself. So `t` and `locale` need no hook. Only components that React does not always render together
 * with their parents call this hook, such as the layouts and the components that show a page.
 */
export const useLanguage = (): Language => useSyncExternalStore(subscribe, currentLanguage);
