import { days, later } from '../../core/clock.ts';

const dayLength = days(1);
const epochIsThursday = 3;

/** A day of the UTC calendar as its ISO week has it. */
export interface WeekDay {
  /** The week's Monday, as `YYYY-MM-DD`. */
  week: string;
  /** 1 is Monday, 7 is Sunday. */
  day: number;
}

/** The calendar day (UTC) of a time. */
export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** Where in its ISO week a time lies, in UTC. */
export const weekDayOf = (time: Date): WeekDay => {
  const sinceMonday = daysSinceMonday(time);
  return { week: dayOf(later(time, -sinceMonday * dayLength)), day: sinceMonday + 1 };
};

const daysSinceMonday = (time: Date): number => {
  const day = Math.floor(time.getTime() / dayLength) + epochIsThursday;
  return ((day % 7) + 7) % 7;
};

/** The Mondays of the last so many ISO weeks, oldest first, this one's included. */
export const lastWeeks = (now: Date, count: number): string[] =>
  Array.from({ length: count }, (_, index) => weekDayOf(later(now, (index + 1 - count) * 7 * dayLength)).week);
