import { useSyncExternalStore } from 'react';
import { locale, t } from '../../language/language.tsx';
import { HoverTip } from './hover-tip.tsx';
import { keptFor, relativeTime } from './relative-time.ts';

const times = keptFor((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }));
const days = keptFor((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }));

const tickMs = 15_000;

const onTick = (listener: () => void): (() => void) => {
  const timer = setInterval(listener, tickMs);
  return () => clearInterval(timer);
};

const lastTick = (): number => Math.floor(Date.now() / tickMs) * tickMs;

/**
 * A relative time, which goes on while it is shown, with the exact time as its tooltip. Once the time is past, `past`
 * is shown instead.
 */
export const Time = ({ at, past }: { at: string; past?: string }) => {
  const time = new Date(at);
  useSyncExternalStore(onTick, lastTick);
  return (
    <HoverTip label={() => times(locale()).format(time)}>
      <time dateTime={at}>
        {past !== undefined && time.getTime() <= Date.now() ? past : relativeTime(time, locale())}
      </time>
    </HoverTip>
  );
};

export const ExactTime = ({ at }: { at: string }) => <time dateTime={at}>{times(locale()).format(new Date(at))}</time>;

const clockTimes = keptFor((locale) => new Intl.DateTimeFormat(locale, { timeStyle: 'short' }));
const dayTimes = keptFor((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }));

/** Below the name of its day: a relative time if that is today, otherwise the time of day. */
export const TimeOfDay = ({ at }: { at: string }) => {
  const time = new Date(at);
  if (time.toDateString() === new Date().toDateString()) return <Time at={at} />;
  return (
    <HoverTip label={() => times(locale()).format(time)}>
      <time dateTime={at}>{clockTimes(locale()).format(time)}</time>
    </HoverTip>
  );
};

const weekdays = keptFor(
  (locale) => new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' }),
);

/** The name of a day in the reader's time zone: `Heute`, `Montag, 23. November`. */
export const dayName = (day: Date): string => {
  const isAgo = (days: number, day: Date): boolean => {
    const other = new Date();
    other.setDate(other.getDate() - days);
    return other.toDateString() === day.toDateString();
  };

  if (isAgo(0, day)) return t('Heute', 'Today');
  return isAgo(1, day) ? t('Gestern', 'Yesterday') : weekdays(locale()).format(day);
};

/** A time to the minute, with its day if that is not today. */
export const MinuteTime = ({ at }: { at: string }) => {
  const time = new Date(at);
  const isToday = time.toDateString() === new Date().toDateString();
  return <time dateTime={at}>{(isToday ? clockTimes : dayTimes)(locale()).format(time)}</time>;
};

/** A calendar day (`2026-11-20`), the same in all time zones. */
export const Day = ({ on }: { on: string }) => (
  <time dateTime={on}>{days(locale()).format(new Date(`${on.slice(0, 10)}T00:00:00Z`))}</time>
);

const dayMs = 86_400_000;

/** The days since a due day, which is over (UTC). */
export const daysSince = (day: string): number =>
  Math.max(1, Math.floor((Date.now() - new Date(day).getTime()) / dayMs));

const dayParts = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
const daysInWords = keptFor((locale) => new Intl.DateTimeFormat(locale, dayParts));
const dayTimesInWords = keptFor(
  (locale) => new Intl.DateTimeFormat(locale, { ...dayParts, hour: '2-digit', minute: '2-digit' }),
);

/**
 * The value of a date field in words, with the time of day if it has one: `Do., 5. Nov. 2026`; undefined while it is
 * not complete.
 */
export const dayInWords = (value: string): string | undefined => {
  const isDay = !value.includes('T');
  const time = new Date(isDay ? `${value}T00:00` : value);
  // While the year is being typed, it is a very early one.
  if (Number.isNaN(time.getTime()) || time.getFullYear() < 1900) return undefined;
  return (isDay ? daysInWords : dayTimesInWords)(locale()).format(time);
};

/**
 * Formats the numbers of a column: all have one decimal if one of them has decimals, so that they stand exactly below
 * each other.
 */
export const alike = (values: readonly (number | null)[]): ((value: number | null) => string) => {
  const digits = values.every((value) => value === null || Number.isInteger(value)) ? 0 : 1;
  return (value) =>
    value?.toLocaleString(locale(), { minimumFractionDigits: digits, maximumFractionDigits: digits }) ?? '–';
};

/** Formats a number with the separators of the language: `1.234`. */
export const number = (value: number): string => value.toLocaleString(locale());

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

/** How long something took: `46 ms`, `1,2 s`, `2:05 min`. */
export const milliseconds = (took: number): string => {
  if (Math.ceil(took) < 1_000) return `${Math.ceil(took)} ms`;
  const tenths = Math.round(took / 100);
  if (tenths < 600)
    return `${(tenths / 10).toLocaleString(locale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 })} s`;
  const seconds = Math.round(took / 1_000);
  return `${Math.floor(seconds / 60).toLocaleString(locale())}:${String(seconds % 60).padStart(2, '0')} min`;
};

const minuteMs = 60_000;

/** A time as the value of a `datetime-local` field, in the reader's time zone; empty for an invalid time. */
export const toLocalInput = (time: Date): string =>
  Number.isNaN(time.getTime())
    ? ''
    : new Date(time.getTime() - time.getTimezoneOffset() * minuteMs).toISOString().slice(0, 16);

/** The time left, in words: `in 12 Minuten`. */
export const waitInWords = (seconds: number): string => {
  const words = new Intl.RelativeTimeFormat(locale(), { numeric: 'always' });
  return seconds < 100 ? words.format(Math.ceil(seconds), 'second') : words.format(Math.ceil(seconds / 60), 'minute');
};
