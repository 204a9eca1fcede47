/**
 * The current time. It is passed in, so that a test can set it. Rate budgets use the database's clock, which is the
 * same for all processes.
 */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export const secondsToMs = (count: number): number => count * 1000;
export const minutesToMs = (count: number): number => secondsToMs(count * 60);
export const hoursToMs = (count: number): number => secondsToMs(count * 3600);
export const daysToMs = (count: number): number => hoursToMs(count * 24);

/** Whole seconds until a time, at least one: for `Retry-After`. */
export const secondsUntil = (end: Date, now: Date): number =>
  Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1000));

export const later = (from: Date, milliseconds: number): Date => new Date(from.getTime() + milliseconds);

/** The day (UTC) of a time in PostgreSQL's format: `2026-11-20`. */
export const utcDay = (time: Date): string => time.toISOString().slice(0, 10);

const shape = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** The longest text that is read as a time. No program writes a fraction of a second with that many digits. */
const longestInstant = 1_000;

const earliest = Date.parse('0001-01-01T00:00:00.000Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

const daysIn = (year: number, month: number): number => new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();

/**
 * Reads a time in the format of RFC 3339; undefined for any other text. Times are stored with milliseconds, so a finer
 * time is rounded up to the next millisecond. As a lower bound, the rounded time means the same as the given one. A
 * time that its offset moves out of the years 1 to 9999 becomes the nearest time within them.
 */
export const readInstant = (text: string): Date | undefined => {
  if (text.length > longestInstant) return undefined;
  const [, ...parts] = shape.exec(text) ?? [];
  if (parts.length === 0) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(0, 6).map(Number);
  const [fraction = '', sign = '+', offsetHour = '0', offsetMinute = '0'] = parts.slice(6);
  const [hours, minutes] = [Number(offsetHour), Number(offsetMinute)];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  // RFC 3339 allows a leap second (60). It becomes the following second, as on a computer's clock.
  if (hour > 23 || minute > 59 || second > 60 || hours > 23 || minutes > 59) return undefined;

  const digits = fraction.slice(1);
  const milliseconds = Number(digits.slice(0, 3).padEnd(3, '0')) + (/[1-9]/.test(digits.slice(3)) ? 1 : 0);
  const offset = (hours * 60 + minutes) * 60_000 * (sign === '-' ? -1 : 1);
  const midnight = new Date(0).setUTCFullYear(year, month - 1, day);
  const time = midnight + ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds - offset;
  return new Date(Math.min(Math.max(time, earliest), latest));
};
