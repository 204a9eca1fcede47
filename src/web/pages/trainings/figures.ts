const twoDigits = (count: number): string => String(count).padStart(2, '0');

/** A duration such as `8:12 min` or `1:02:03 h`, without a line break. */
export const lengthOf = (seconds: number): string => {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, twoDigits(seconds % 60)];
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${rest}\u00a0h` : `${minutes}:${rest}\u00a0min`;
};

/** The filter by score: below 60, from 80 on, and in between. */
export const scoreBands = {
  low: { max_score: 59 },
  middle: { min_score: 60, max_score: 79 },
  high: { min_score: 80 },
} as const;
