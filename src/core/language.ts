import Negotiator from 'negotiator';

export const languages = ['de', 'en'] as const;
export type Language = (typeof languages)[number];

/** A text in every language the product speaks. */
export type Texts = Readonly<Record<Language, string>>;

const defaultLanguage: Language = 'de';

// Clients send a handful of distinct headers; a bounded memory spares parsing them on every request.
const negotiated = new Map<string, Language>();

/** The language an `Accept-Language` header asks for: quality values and ranges count, anything unknown is German. */
export const negotiateLanguage = (header: string | undefined): Language => {
  if (header === undefined) return defaultLanguage;
  const known = negotiated.get(header);
  if (known !== undefined) return known;
  const [wanted] = new Negotiator({ headers: { 'accept-language': header } }).languages([...languages]);
  const language = wanted === 'en' ? 'en' : defaultLanguage;
  if (negotiated.size < 500 && header.length < 200) negotiated.set(header, language);
  return language;
};
