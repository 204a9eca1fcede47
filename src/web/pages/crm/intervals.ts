const minuteSeconds = 60;
const hourSeconds = 60 * minuteSeconds;

/** The offered intervals, besides the shortest, the default and the longest. */
const usualIntervals = [10 * minuteSeconds, 30 * minuteSeconds, hourSeconds, 4 * hourSeconds, 12 * hourSeconds];

interface IntervalLimits {
  readonly min: number;
  readonly default: number;
  readonly max: number;
}

/** The intervals to choose from, in seconds. The chosen one is among them, as the command line can set any interval. */
export const offeredIntervals = (limits: IntervalLimits | undefined, chosen: number | undefined): number[] =>
  [
    ...new Set([
      ...(limits ? [limits.min, limits.default, limits.max, ...usualIntervals] : []),
      ...(chosen === undefined ? [] : [chosen]),
    ]),
  ].toSorted((one, other) => one - other);
