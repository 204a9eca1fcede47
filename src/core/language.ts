import Negotiator from 'negotiator';
import { TtlMap } from './ttl-map.ts';

export const languages = ['de', 'en'] as const;
export type Language = (typeof languages)[number];

/** A text in every language of the product. */
export type Texts = Readonly<Record<Language, string>>;

const defaultLanguage: Language = 'de';

/** Clients send few different headers: each is parsed once. */
const negotiated = new TtlMap<Language>({ capacity: 500 });
const longestKept = 200;

/** The best language for an `Accept-Language` header with its quality values and ranges; German if it names none of ours. */
export const negotiateLanguage = (header: string | undefined): Language => {
  if (header === undefined) return defaultLanguage;
  const known = negotiated.get(header);
  if (known !== undefined) return known;
  const [wanted] = new Negotiator({ headers: { 'accept-language': header } }).languages([...languages]);
  const language = wanted === 'en' ? 'en' : defaultLanguage;
  if (header.length <= longestKept) negotiated.set(header, language);
  return language;
};

/** The same for assistants, which usually send no `Accept-Language` or `*`: English if the header names none of ours. */
export const languageOfAssistant = (header: string | undefined): Language => {
  const [wanted] = new Negotiator({ headers: { 'accept-language': header ?? '*' } }).languages(['en', 'de']);
  return wanted === 'de' ? 'de' : 'en';
};
