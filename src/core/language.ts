import Negotiator from 'negotiator';

export const languages = ['de', 'en'] as const;
export type Language = (typeof languages)[number];

/** A text in every language of the product. */
export type Texts = Readonly<Record<Language, string>>;

const defaultLanguage: Language = 'de';

/** The best language for an `Accept-Language` header with its quality values and ranges; German if it names none of ours. */
export const negotiateLanguage = (header: string | undefined): Language => {
  if (header === undefined) return defaultLanguage;
  const [wanted] = new Negotiator({ headers: { 'accept-language': header } }).languages([...languages]);
  return wanted === 'en' ? 'en' : defaultLanguage;
};

/** The same for assistants, which usually send no `Accept-Language` or `*`: English if the header names none of ours. */
export const languageOfAssistant = (header: string | undefined): Language => {
  const [wanted] = new Negotiator({ headers: { 'accept-language': header ?? '*' } }).languages(['en', 'de']);
  return wanted === 'de' ? 'de' : 'en';
};
