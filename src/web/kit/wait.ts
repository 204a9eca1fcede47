import { useLocale } from '../language/language.tsx';

/** The time left, in words: `in 12 Minuten`. */
export const useWait = (): ((seconds: number) => string) => {
  const locale = useLocale();
  return (seconds) => {
    const words = new Intl.RelativeTimeFormat(locale, { numeric: 'always' });
    return seconds < 100 ? words.format(Math.ceil(seconds), 'second') : words.format(Math.ceil(seconds / 60), 'minute');
  };
};
