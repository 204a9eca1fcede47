import type { Dimension, Item } from '../../../modules/catalog/schema.ts';
import { currentLanguage } from '../../language/texts.ts';

/** An item’s name in the reader’s language, else in the other one, else its key. */
export const itemName = ({ name, key }: Pick<Item, 'name' | 'key'>): string => {
  const language = currentLanguage();
  const other = language === 'de' ? 'en' : 'de';
  return name[language] ?? name[other] ?? key;
};

/** An item’s name in the other language, if it has another one there. */
export const otherName = (item: Pick<Item, 'name' | 'key'>): { lang: 'de' | 'en'; name: string } | undefined => {
  const lang = currentLanguage() === 'de' ? 'en' : 'de';
  const name = item.name[lang];
  return name === null || name === itemName(item) ? undefined : { lang, name };
};

/** The draft of an item, or of a new one of the dimension. */
export const itemDraft = (target: { dimension: Dimension; item?: Pick<Item, 'id'> | undefined }): string =>
  target.item ? `item ${target.item.id}` : `new ${target.dimension}`;

/** A name that was typed, null for none. */
export const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** The form of an item. A new one is published. */
export const itemValues = (item: Pick<Item, 'name' | 'icon' | 'published'> | undefined) => ({
  de: item?.name.de ?? '',
  en: item?.name.en ?? '',
  icon: item?.icon ?? null,
  published: item?.published ?? true,
});
