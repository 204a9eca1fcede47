import { useEffect, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { initialLanguage, keepLanguage, LanguageContext } from './language.ts';
import type { Language } from './language.ts';

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
