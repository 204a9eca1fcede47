import { daysToMs, later, utcDay, type Clock } from '../core/clock.ts';

// Rows older than `RETENTION_DAYS` are deleted in batches. Large tables are cleared team by team, because each
// statement then finds the old rows by the primary key.

export interface Retention {
  /** How many days are kept. */
  days: number;
  /**
   * When deleting ends (`performance.now()`), even if old rows are left for the next run. Without it, all old rows are
   * deleted.
   */
  until?: number;
}

/** The earliest time that is kept: the beginning of a day (UTC). */
export const firstKept = (clock: Clock, days: number): Date => new Date(utcDay(later(clock.now(), -daysToMs(days))));

/** The sums of a day are small, and people need them for longer than the details. */
const minDaysOfSums = 90;

/** The first day whose sums are kept. */
export const firstKeptSums = (clock: Clock, days: number): Date => firstKept(clock, Math.max(days, minDaysOfSums));

/** How many rows one statement deletes: so few that another statement that needs one of them hardly waits. */
const batch = 5_000;

/** Deletes old rows in batches, as long as there is time. */
export const deleteOldRows = async (
  until: number | undefined,
  deleteSome: (limit: number) => Promise<{ count: number }>,
): Promise<void> => {
  let count = batch;
  while (count === batch && performance.now() < (until ?? Infinity)) ({ count } = await deleteSome(batch));
};
