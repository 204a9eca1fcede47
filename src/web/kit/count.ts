import { useLocale } from '../language/language.ts';

/** A number with the word for what is counted, for one and for any other number. */
export const useCount = (): ((count: number, one: string, other: string) => string) => {
  const locale = useLocale();
  const rules = new Intl.PluralRules(locale);
  return (count, one, other) => `${count.toLocaleString(locale)} ${rules.select(count) === 'one' ? one : other}`;
};
