import Negotiator from 'negotiator';

export const languages = ['de', 'en'] as const;
export type Language = (typeof languages)[number];

/** A text in every language of the product. */
export type Texts = Readonly<Record<Language, string>>;

/** The best language for an `Accept-Language` header with its quality values and ranges; the usual one if it names none of ours. */
export const negotiateLanguage = (header: string | undefined, usual: Language = 'de'): Language => {
  if (header === undefined) return usual;
  const ours = languages.toSorted((a, b) => Number(b === usual) - Number(a === usual));
  const [wanted] = new Negotiator({ headers: { 'accept-language': header } }).languages(ours);
  return languages.find((language) => language === wanted) ?? usual;
};
