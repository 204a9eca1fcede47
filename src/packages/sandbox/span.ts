import { daysToMs, hoursToMs, minutesToMs, secondsToMs } from '../../core/clock.ts';

// How far the clock of a sandbox is moved: `+3d`, `+1d12h` or `+90s`.

const unitMs: Readonly<Record<string, number>> = {
  w: daysToMs(7),
  d: daysToMs(1),
  h: hoursToMs(1),
  m: minutesToMs(1),
  s: secondsToMs(1),
};

/** Longer than any period of the service, short enough that the daily tasks of the span run in a minute. */
export const maxDays = 400;

/** Reads a span: milliseconds, or undefined if it is none, nothing, or longer than the clock may be moved. */
export const readSpan = (text: string): number | undefined => {
  if (!/^\+(?:\d{1,9}[wdhms])+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d{1,9})([wdhms])/g)];
  const span = parts.reduce((sum, [, count = '', unit = '']) => sum + Number(count) * (unitMs[unit] ?? 0), 0);
  return span > 0 && span <= daysToMs(maxDays) ? span : undefined;
};
