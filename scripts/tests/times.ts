import { join } from 'node:path';

/** Where each run of the tests writes the seconds of its files. */
export const lastTimes = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'test-times.json');

/** A file that took longer than before, measured by what the run's other files took. */
export interface Dearer {
  readonly file: string;
  readonly before: number;
  readonly now: number;
  /** How many times the share that it had before. */
  readonly times: number;
}

/** Files that take less are not compared: their times are mostly chance. */
const least = 3;

/**
 * The files that got more than 30 % dearer. Machines differ in speed, so the times of a run are first divided by its own speed: the
 * median of how much longer the files of both runs took.
 */
export const dearerFiles = (
  before: Readonly<Record<string, number>>,
  now: Readonly<Record<string, number>>,
): Dearer[] => {
  const both = Object.entries(now).flatMap(([file, seconds]) => {
    const former = before[file];
    return former === undefined || former < least
      ? []
      : [{ file, before: former, now: seconds, ratio: seconds / former }];
  });
  const ratios = both.map(({ ratio }) => ratio).toSorted((a, b) => a - b);
  const speed = ratios[Math.floor((ratios.length - 1) / 2)] ?? 1;
  return both
    .map(({ ratio, ...file }) => ({ ...file, times: ratio / speed }))
    .filter(({ times }) => times > 1.3)
    .toSorted((a, b) => b.times - a.times);
};
