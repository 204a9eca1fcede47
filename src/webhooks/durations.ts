// Percentiles of durations without keeping each duration: attempts are counted by class of duration (`webhook_quarter_hour`).

/** Each class ends at a duration that is this much longer than the one before. A percentile is off by a tenth at most. */
const growth = 1.2;

/** SQL: the class of a duration in milliseconds. Class 0 has everything up to a millisecond. */
export const durationClassSql = (ms: string): string =>
  `ceil(round((ln(greatest(${ms}, 1)::float8) / ln(${growth}::float8))::numeric, 9))::smallint`;

/** Attempts whose durations are in the same class. */
interface DurationCount {
  duration: number;
  attempts: number;
}

/**
 * A percentile (0 to 1) of counted durations in milliseconds; null if there are none. Assumes that durations are evenly distributed in
 * their class.
 */
export const percentileOf = (counts: readonly DurationCount[], percentile: number): number | null => {
  const sorted = counts.toSorted((a, b) => a.duration - b.duration);
  const all = sorted.reduce((sum, { attempts }) => sum + attempts, 0);
  let left = percentile * all;
  for (const { duration, attempts } of sorted) {
    if (attempts > 0 && left <= attempts) return Math.round(growth ** (duration - 1 + left / attempts));
    left -= attempts;
  }
  return null;
};
