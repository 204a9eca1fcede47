import { locale, t } from '../../language/texts.ts';
import { keptFor } from './relative-time.ts';

// Times and days as texts in the reader's language and time zone. Only calendar days are the same in all zones.

const times = keptFor((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }));
const clockTimes = keptFor((locale) => new Intl.DateTimeFormat(locale, { timeStyle: 'short' }));
const dayTimes = keptFor((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }));
const days = keptFor((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }));
const calendarDays = keptFor((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }));
const weekdays = keptFor(
  (locale) => new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' }),
);

const isSameDay = (one: Date, other: Date): boolean => one.toDateString() === other.toDateString();

export const isToday = (at: string, now = new Date()): boolean => isSameDay(new Date(at), now);

/** A time to the second. */
export const exactText = (at: string): string => times(locale()).format(new Date(at));

/** The time of day of a time. */
export const clockText = (at: string): string => clockTimes(locale()).format(new Date(at));

/** A time to the minute, with its day if that is not today. */
export const minuteText = (at: string, now = new Date()): string =>
  (isToday(at, now) ? clockTimes : dayTimes)(locale()).format(new Date(at));

/** A time to the minute, with its day. */
export const shortTimeText = (time: Date): string => dayTimes(locale()).format(time);

/** The day of a time, in full: `20. November 2026`. */
export const longDayText = (time: Date): string => time.toLocaleDateString(locale(), { dateStyle: 'long' });

/** The day of a time. */
export const dayText = (at: string): string => days(locale()).format(new Date(at));

/** A calendar day (`2026-11-20`). */
export const calendarDayText = (on: string): string =>
  calendarDays(locale()).format(new Date(`${on.slice(0, 10)}T00:00:00Z`));

/** The name of a day in the reader's time zone: `Heute`, `Montag, 23. November`. */
export const dayName = (day: Date, now = new Date()): string => {
  if (isSameDay(day, now)) return t('Heute', 'Today');
  const yesterday = new Date(now);
  yesterday.setDate(now.getDate() - 1);
  return isSameDay(day, yesterday) ? t('Gestern', 'Yesterday') : weekdays(locale()).format(day);
};

/** Rows by the days of their times in the reader's time zone, in the order of the rows. */
export const byDay = <Row>(rows: readonly Row[], timeOf: (row: Row) => string): [day: Date, rows: Row[]][] => {
  const dayOf = (row: Row): string => new Date(timeOf(row)).toDateString();
  return [...new Set(rows.map(dayOf))].map((day) => [new Date(day), rows.filter((row) => dayOf(row) === day)]);
};

const dayMs = 86_400_000;

/** Whether a text is a day of the calendar, such as `2026-11-20`. */
export const isCalendarDay = (text: string): boolean => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = new Date(`${text}T00:00:00Z`);
  // A day beyond the end of a month would count as a day of the next month.
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
};

/** The number of days since a due day that is over, in UTC: at least 1. */
export const daysSince = (day: string, now = new Date()): number =>
  Math.max(1, Math.floor((now.getTime() - new Date(day).getTime()) / dayMs));

/** The calendar day after this number of days. Due days are days in UTC, wherever the reader is. */
export const dueDayIn = (days: number, now = new Date()): string =>
  new Date(now.getTime() + days * dayMs).toISOString().slice(0, 10);

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
  // While somebody types the year, it is a very early one.
  if (Number.isNaN(time.getTime()) || time.getFullYear() < 1900) return undefined;
  return (isDay ? daysInWords : dayTimesInWords)(locale()).format(time);
};

const minuteMs = 60_000;

/** A time as the value of a `datetime-local` field, in the reader's time zone; empty for an invalid time. */
export const toLocalInput = (time: Date): string =>
  Number.isNaN(time.getTime())
    ? ''
    : new Date(time.getTime() - time.getTimezoneOffset() * minuteMs).toISOString().slice(0, 16);
