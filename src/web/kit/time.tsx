import { Tooltip } from '@mantine/core';
import { useLocale } from '../language/language.ts';

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
