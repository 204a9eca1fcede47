import { daysToMs, hoursToMs, minutesToMs, secondsToMs } from '../../core/clock.ts';

// How far the clock of a sandbox is moved: `+3d`, `+1d12h` or `+90s`.

const unitMs: Readonly<Record<string, number>> = {
  w: daysToMs(7),
  d: daysToMs(1),
  h: hoursToMs(1),
  m: minutesToMs(1),
  s: secondsToMs(1),
};

/** Longer than any period of the service, but so short that the daily tasks of this time run in a minute. */
export const maxDays = 400;

/** Reads a span as milliseconds. Undefined for any other text, and if the span is zero or longer than `maxDays`. */
export const readSpan = (text: string): number | undefined => {
  if (!/^\+(?:\d{1,9}[wdhms])+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d{1,9})([wdhms])/g)];
  const span = parts.reduce((sum, [, count = '', unit = '']) => sum + Number(count) * (unitMs[unit] ?? 0), 0);
  return span > 0 && span <= daysToMs(maxDays) ? span : undefined;
};
