import { useLanguage } from '../../language/language.tsx';
import { inGerman } from './german-reasons.ts';

/** Why a sync or a try failed. Sentences without a translation, above all those on a field of the data, are shown in English. */
export const Reason = ({ reason }: { reason: string }) => {
  const { language } = useLanguage();
  const translated = language === 'de' ? inGerman(reason) : undefined;
  return translated ?? <span lang="en">{reason}</span>;
};
