import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import type { Language } from '../../core/language.ts';

export type { Language };

const key = 'language';

const isLanguage = (text: string | null): text is Language => text === 'de' || text === 'en';

/** What was chosen here before, or what the browser asks for; otherwise German. */
const initialLanguage = (): Language => {
  const kept = localStorage.getItem(key);
  if (isLanguage(kept)) return kept;
  return navigator.language.startsWith('en') ? 'en' : 'de';
};

let current: Language = initialLanguage();

/** The language that the server is asked to answer in. */
export const languageNow = (): Language => current;

const keepLanguage = (language: Language): void => {
  current = language;
  localStorage.setItem(key, language);
  document.documentElement.lang = language;
};

interface LanguageChoice {
  language: Language;
  choose: (language: Language) => void;
}

const LanguageContext = createContext<LanguageChoice>({ language: current, choose: () => undefined });

export const useLanguage = (): LanguageChoice => useContext(LanguageContext);

/** Says something in the reader's language; both stand side by side where it is said. */
export type Say = <T>(de: T, en: T) => T;

export const useText = (): Say => {
  const { language } = useLanguage();
  return (de, en) => (language === 'de' ? de : en);
};

const locales = { de: 'de-DE', en: 'en-GB' } as const;

/** How numbers and times are written. */
export const useLocale = (): (typeof locales)[Language] => locales[useLanguage().language];

/** The same two, for what is said outside of the page's components. */
export const sayNow: Say = (de, en) => (current === 'de' ? de : en);
export const localeNow = (): (typeof locales)[Language] => locales[current];

export const LanguageProvider = ({ children }: { children: ReactNode }) => {
  const [language, setLanguage] = useState<Language>(initialLanguage);
  useEffect(() => keepLanguage(language), [language]);
  const choice = useMemo(
    () => ({
      language,
      choose: (chosen: Language) => {
        keepLanguage(chosen);
        setLanguage(chosen);
      },
    }),
    [language],
  );
  return <LanguageContext value={choice}>{children}</LanguageContext>;
};
