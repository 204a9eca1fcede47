import { locales, type ForEachLanguage, type Language, type Texts } from './language.ts';

// Numbers of things in sentences.

/** A noun in the singular and in the plural, in each language. */
export type Noun = ForEachLanguage<readonly [one: string, other: string]>;

/** A number as it is written in each language: `1,000`, `72.5`. */
export const numberTexts = (value: number): Texts => ({
  de: value.toLocaleString(locales.de),
  en: value.toLocaleString(locales.en),
});

/** A number with its noun: `0 members`, `1 member`, `1,000 members`. With `orMore` there may be more: `20+ members`. */
export const counted = (count: number, noun: Noun, { orMore = false } = {}): Texts => {
  const numbers = numberTexts(count);
  const form = count === 1 && !orMore ? 0 : 1;
  const textIn = (language: Language) => `${numbers[language]}${orMore ? '+' : ''} ${noun[language][form]}`;
  return { de: textIn('de'), en: textIn('en') };
};
