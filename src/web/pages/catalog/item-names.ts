import type { Dimension, ManagedItem } from '../../../modules/catalog/schema.ts';
import { currentLanguage } from '../../language/texts.ts';
import { draftOfOne } from '../../session/draft-keys.ts';

/** An item’s name in the reader’s language. Without one, the name in the other language, or else its key. */
export const itemName = ({ name, key }: Pick<ManagedItem, 'name' | 'key'>): string => {
  const language = currentLanguage();
  const other = language === 'de' ? 'en' : 'de';
  return name[language] ?? name[other] ?? key;
};

/** An item’s name in the other language, if it differs there. */
export const otherName = (item: Pick<ManagedItem, 'name' | 'key'>): { lang: 'de' | 'en'; name: string } | undefined => {
  const lang = currentLanguage() === 'de' ? 'en' : 'de';
  const name = item.name[lang];
  return name === null || name === itemName(item) ? undefined : { lang, name };
};

/** The name of the draft for an item, or for a new item of the dimension. */
export const itemDraft = (target: { dimension: Dimension; item?: Pick<ManagedItem, 'id'> | undefined }): string =>
  target.item ? draftOfOne('item', target.item.id) : `new ${target.dimension}`;

/** A name that was typed, null for none. */
export const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** The form of an item. A new item is published. */
export const itemValues = (item: Pick<ManagedItem, 'name' | 'icon' | 'published'> | undefined) => ({
  de: item?.name.de ?? '',
  en: item?.name.en ?? '',
  icon: item?.icon ?? null,
  published: item?.published ?? true,
});
