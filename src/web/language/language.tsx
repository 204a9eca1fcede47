import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
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

let current: Language = initialLanguage();

/** The current language, for code outside of components. */
export const languageNow = (): Language => current;

const storeLanguage = (language: Language): void => {
  current = language;
  localStorage.setItem(languageKey, language);
  document.documentElement.lang = language;
};

interface LanguageChoice {
  language: Language;
  choose: (language: Language) => void;
}

const LanguageContext = createContext<LanguageChoice>({ language: current, choose: () => undefined });

export const useLanguage = (): LanguageChoice => useContext(LanguageContext);

/** Picks the text in the reader's language. Both texts are written side by side where they are shown. */
export type Translate = <T>(de: T, en: T) => T;

export const useText = (): Translate => {
  const { language } = useLanguage();
  return (de, en) => (language === 'de' ? de : en);
};

const locales = { de: 'de-DE', en: 'en-GB' } as const;

/** The locale for numbers and times. */
export const useLocale = (): (typeof locales)[Language] => locales[useLanguage().language];

/** `useText` and `useLocale` for code outside of components. */
export const translateNow: Translate = (de, en) => (current === 'de' ? de : en);
export const localeNow = (): (typeof locales)[Language] => locales[current];

export const LanguageProvider = ({ children }: { children: ReactNode }) => {
  const [language, setLanguage] = useState<Language>(initialLanguage);
  useEffect(() => storeLanguage(language), [language]);
  const choice = useMemo(
    () => ({
      language,
      choose: (chosen: Language) => {
        storeLanguage(chosen);
        setLanguage(chosen);
      },
    }),
    [language],
  );
  return <LanguageContext value={choice}>{children}</LanguageContext>;
};
