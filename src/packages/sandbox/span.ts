import { daysToMs, hoursToMs, secondsToMs } from '../../core/clock.ts';

const unitMs: Readonly<Record<string, number>> = {
  w: daysToMs(7),
  d: daysToMs(1),
  h: hoursToMs(1),
  m: secondsToMs(60),
  s: secondsToMs(1),
};

/** Longer than any period of the service, short enough that the daily tasks of the span run in a minute. */
export const mostDays = 400;

/** Reads `+3d`, `+1d12h` or `+90s`: milliseconds, or undefined if it is no span. */
export const readSpan = (text: string): number | undefined => {
  if (!/^\+(?:\d{1,9}[wdhms])+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+)([wdhms])/g)];
  return parts.reduce((sum, [, count = '', unit = '']) => sum + Number(count) * (unitMs[unit] ?? 0), 0);
};
