/** The value that this part of all values is below; NaN of nothing. */
export const quantile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);
