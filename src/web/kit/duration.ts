import { useLocale } from '../language/language.ts';

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A span of time in the largest unit that says it exactly: `14 Tage`, `2 Stunden`. */
export const useDuration = (): ((seconds: number) => string) => {
  const locale = useLocale();
  return (seconds) => {
    const [unit, length] = units.find(([, long]) => seconds >= long && seconds % long === 0) ?? units[3];
    return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / length);
  };
};
