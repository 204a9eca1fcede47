import { locale } from '../../language/texts.ts';
import { keptFor } from './relative-time.ts';

// Numbers, and texts with a number in them, in the reader's language.

/**
 * Formats the numbers of a column. If one of them has decimals, all have one decimal, so that their digits are below
 * each other.
 */
export const alike = (values: readonly (number | null)[]): ((value: number | null) => string) => {
  const digits = values.every((value) => value === null || Number.isInteger(value)) ? 0 : 1;
  return (value) =>
    value?.toLocaleString(locale(), { minimumFractionDigits: digits, maximumFractionDigits: digits }) ?? '–';
};

/** Formats a number with the separators of the language: `1.234`. */
export const number = (value: number): string => value.toLocaleString(locale());

/** Adds up one figure over several things. */
export const sumOf = <Name extends string>(all: readonly Readonly<Record<Name, number>>[], name: Name): number =>
  all.reduce((sum, one) => sum + one[name], 0);

const plurals = keptFor((locale) => new Intl.PluralRules(locale));

/** A number with its noun in the singular or plural: `3 Deals`. */
export const count = (found: number, one: string, other: string): string =>
  `${number(found)} ${plurals(locale()).select(found) === 'one' ? one : other}`;

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A duration in the largest unit that divides it: `14 Tage`, `2 Stunden`. */
export const durationInWords = (seconds: number): string => {
  const [unit, length] = units.find(([, long]) => seconds >= long && seconds % long === 0) ?? units[3];
  return new Intl.NumberFormat(locale(), { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / length);
};

/** A duration in words: `46 ms`, `1,2 s`, `2:05 min`. */
export const milliseconds = (took: number): string => {
  if (Math.ceil(took) < 1_000) return `${Math.ceil(took)} ms`;
  const tenths = Math.round(took / 100);
  if (tenths < 600)
    return `${(tenths / 10).toLocaleString(locale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 })} s`;
  const seconds = Math.round(took / 1_000);
  return `${Math.floor(seconds / 60).toLocaleString(locale())}:${String(seconds % 60).padStart(2, '0')} min`;
};

/** The time left, in words: `in 12 Minuten`. */
export const waitInWords = (seconds: number): string => {
  const words = new Intl.RelativeTimeFormat(locale(), { numeric: 'always' });
  return seconds < 100 ? words.format(Math.ceil(seconds), 'second') : words.format(Math.ceil(seconds / 60), 'minute');
};
