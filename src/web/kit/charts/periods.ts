// The periods that a chart over time can show, and their intervals in the reader's time zone. Pure functions.

export const periods = ['24h', '7d', '30d'] as const;
export type Period = (typeof periods)[number];

export const isPeriod = (text: string): text is Period => periods.some((period) => period === text);

const hoursOf = { '24h': 0.5, '7d': 3, '30d': 24 } as const satisfies Record<Period, number>;
const daysOf = { '24h': 1, '7d': 7, '30d': 30 } as const satisfies Record<Period, number>;

/**
 * The steps between two labels of an axis, in intervals. The chart uses the first step with enough room for the labels.
 */
export const labelSteps = {
  '24h': [4, 8, 12, 24],
  '7d': [8, 16, 24],
  '30d': [1, 2, 5, 10],
} as const satisfies Record<Period, readonly number[]>;

const minutesOf = (period: Period): number => hoursOf[period] * 60;

/**
 * The local start of the interval of `time`, or of an interval so many later (earlier, if the number is negative). An
 * interval is a day, three hours or half an hour.
 */
const startAt = (time: Date, period: Period, intervalsLater: number): Date => {
  const minutes = minutesOf(period);
  const minuteOfDay = time.getHours() * 60 + time.getMinutes();
  const begun = Math.floor(minuteOfDay / minutes) * minutes;
  // The constructor counts in local time: on the day of a clock change, a local day has 23 or 25 hours.
  return new Date(time.getFullYear(), time.getMonth(), time.getDate(), 0, begun + intervalsLater * minutes);
};

/**
 * The beginnings of the intervals of a period that ends with the interval of `now`, ascending, and the end of the last
 * one.
 */
export const intervalsOf = (period: Period, now: Date): { starts: Date[]; end: Date } => {
  const count = (daysOf[period] * 24) / hoursOf[period];
  const times = Array.from({ length: count + 1 }, (_, at) => startAt(now, period, at + 1 - count));
  // A local time that a clock change skips is the same moment as a later one.
  const moments = [...new Set(times.map((time) => time.getTime()))].toSorted((a, b) => a - b);
  const starts = moments.map((moment) => new Date(moment));
  return { starts: starts.slice(0, -1), end: starts.at(-1) ?? now };
};

/** The shortest period that still contains the time; the longest one if none does. */
export const periodWith = (time: Date, now: Date): Period =>
  periods.find((period) => (intervalsOf(period, now).starts[0]?.getTime() ?? 0) <= time.getTime()) ?? '30d';

/** The index of the first interval that begins with a local day; 0 if none does. */
export const firstMidnight = (starts: readonly Date[]): number =>
  Math.max(
    0,
    starts.findIndex((start) => start.getHours() === 0 && start.getMinutes() === 0),
  );

/** A range of intervals, both ends included. */
export interface Span {
  from: number;
  to: number;
}

/**
 * The intervals that overlap a time range, null if none does. Without an end, the range reaches to the last interval.
 */
export const spanOf = (
  starts: readonly Date[],
  { since, until }: { since: Date | undefined; until: Date | undefined },
): Span | null => {
  if (since === undefined && until === undefined) return null;
  const times = starts.map((start) => start.getTime());
  const from = since === undefined ? 0 : times.findLastIndex((time) => time <= since.getTime());
  const to = until === undefined ? times.length - 1 : times.findLastIndex((time) => time < until.getTime());
  return to < Math.max(from, 0) ? null : { from: Math.max(from, 0), to };
};
