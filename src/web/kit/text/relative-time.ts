/** Keeps one formatter for each locale: creating one is slow, and a long list needs one for each row. */
export const keptFor = <Formatter>(make: (locale: string) => Formatter): ((locale: string) => Formatter) => {
  const made = new Map<string, Formatter>();
  return (locale) => {
    const former = made.get(locale);
    if (former) return former;
    const formatter = make(locale);
    made.set(locale, formatter);
    return formatter;
  };
};

type UnitStep = readonly [unit: Intl.RelativeTimeFormatUnit, length: number];

const dayMs = 86_400_000;
/** The units smaller than a day, in milliseconds. */
const short: readonly UnitStep[] = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];
/** The units of a day and more, in days. */
const long: readonly UnitStep[] = [
  ['year', 365],
  ['month', 30],
  ['week', 7],
  ['day', 1],
];

const named = keptFor((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }));
/** Weeks and longer units are always numbers, because seven days ago was not always “last week”. */
const counted = keptFor((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'always' }));

const midnight = (time: Date): number => new Date(time).setHours(0, 0, 0, 0);

const stepFor = (length: number, steps: readonly UnitStep[]): UnitStep =>
  steps.find(([, min]) => Math.abs(length) >= min) ?? steps.at(-1) ?? ['second', 1];

/**
 * How long ago a time was, or when it will be. Less than a day is counted in whole units. More is counted in days of
 * the reader's calendar, so that yesterday is never two days ago.
 */
export const relativeTime = (at: Date, locale: string, now = new Date()): string => {
  const ms = at.getTime() - now.getTime();
  if (Math.abs(ms) < dayMs) {
    const [unit, length] = stepFor(ms, short);
    return named(locale).format(ms < 0 ? Math.trunc(ms / length) : Math.round(ms / length), unit);
  }
  // Rounded, because a day of 23 or 25 hours may be in between.
  const days = Math.round((midnight(at) - midnight(now)) / dayMs);
  const [unit, length] = stepFor(days, long);
  return (unit === 'day' ? named : counted)(locale).format(Math.trunc(days / length), unit);
};
