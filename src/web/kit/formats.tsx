import { Tooltip } from '@mantine/core';
import { useLocale } from '../language/language.tsx';

const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

const relative = (at: Date, locale: string): string => {
  const seconds = (at.getTime() - Date.now()) / 1000;
  const [unit, length] = steps.find(([, long]) => Math.abs(seconds) >= long) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(Math.round(seconds / length), unit);
};

/** How long ago, and on a closer look exactly when. */
export const Time = ({ at }: { at: string }) => {
  const locale = useLocale();
  const time = new Date(at);
  const exact = time.toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium' });
  return (
    <Tooltip label={exact}>
      <time dateTime={at}>{relative(time, locale)}</time>
    </Tooltip>
  );
};

/** Exactly when. */
export const ExactTime = ({ at }: { at: string }) => (
  <time dateTime={at}>{new Date(at).toLocaleString(useLocale(), { dateStyle: 'medium', timeStyle: 'medium' })}</time>
);

/** A day of the calendar (`2026-11-20`), the same everywhere. */
export const Day = ({ on }: { on: string }) => (
  <time dateTime={on}>
    {new Date(`${on.slice(0, 10)}T00:00:00Z`).toLocaleDateString(useLocale(), { dateStyle: 'medium', timeZone: 'UTC' })}
  </time>
);

/** A number with the word for what is counted, for one and for any other number. */
export const useCount = (): ((count: number, one: string, other: string) => string) => {
  const locale = useLocale();
  const rules = new Intl.PluralRules(locale);
  return (count, one, other) => `${count.toLocaleString(locale)} ${rules.select(count) === 'one' ? one : other}`;
};

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

/** How long it still takes, in words: `in 12 Minuten`. */
export const useWait = (): ((seconds: number) => string) => {
  const locale = useLocale();
  return (seconds) => {
    const words = new Intl.RelativeTimeFormat(locale, { numeric: 'always' });
    return seconds < 100 ? words.format(Math.ceil(seconds), 'second') : words.format(Math.ceil(seconds / 60), 'minute');
  };
};

const minute = 60_000;

/** A time as a field for date and time wants it: without a zone, in the reader’s. Empty for what is no time. */
export const localOf = (time: Date): string =>
  Number.isNaN(time.getTime())
    ? ''
    : new Date(time.getTime() - time.getTimezoneOffset() * minute).toISOString().slice(0, 16);

/** Where a day of the reader's calendar begins, or one of the days after it; undefined for what is no day. */
export const startOf = (text: string, daysLater = 0): string | undefined => {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year === undefined || month === undefined || date === undefined) return undefined;
  const time = new Date(Number(year), Number(month) - 1, Number(date) + daysLater);
  return Number.isNaN(time.getTime()) || time.getFullYear() < 1900 ? undefined : time.toISOString();
};
