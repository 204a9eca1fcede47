import type { Item } from '../../../modules/catalog/schema.ts';
import { useLanguage } from '../../language/language.tsx';

/** What an item is called: in the reader’s language, else in the other one; its key where it has no name. */
export const useNameOf = (): ((item: Item) => string) => {
  const { language } = useLanguage();
  const other = language === 'de' ? 'en' : 'de';
  return ({ name, key }) => name[language] ?? name[other] ?? key;
};
