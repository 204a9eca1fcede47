// The ticks and labels on the axes of charts, and whether values can be drawn as a line. Pure functions.

/** Whether there is more than one point with values. A single point is shown as numbers. */
export const isLine = (values: readonly Readonly<Record<string, number | null>>[]): boolean =>
  values.filter((point) => Object.values(point).some((value) => value !== null)).length > 1;

const roundSteps = [1, 2, 2.5, 5, 10] as const;

/** Round values from 0 to at least `max`: about `count` steps. `whole` allows no fractions, for counts. */
export const ticksUpTo = (max: number, { count = 4, whole = false } = {}): number[] => {
  const rough = Math.max(max, whole ? 1 : Number.MIN_VALUE) / count;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const wanted = roundSteps.map((step) => step * magnitude).filter((step) => !whole || Number.isInteger(step));
  const step = wanted.find((one) => one >= rough - magnitude / 1e9) ?? Math.max(1, Math.ceil(rough));
  // The quotient is made a little smaller, so that its rounding error adds no further step.
  const steps = Math.max(1, Math.ceil(max / step - 1e-9));
  // The values are multiplied, not added up, because 0.1 + 0.2 would not be 0.3.
  return Array.from({ length: steps + 1 }, (_, at) => Number((at * step).toPrecision(12)));
};

/**
 * Round values of a scale from 0 to 100 around some values: about `count` steps. They span at least 10, or less at an
 * end of the scale.
 */
export const ticksAround = (values: readonly number[], { count = 4 } = {}): number[] => {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const spare = Math.max(0, 10 - (high - low)) / 2;
  const step = [2.5, 5, 10, 20, 25].find((one) => (high - low + 2 * spare) / one <= count) ?? 25;
  const first = Math.max(0, Math.floor((low - spare) / step));
  const last = Math.min(100 / step, Math.ceil((high + spare) / step));
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step);
};

interface TickPlan {
  /** The number of points. */
  points: number;
  /** Pixels from one point to the next. */
  band: number;
  /** Pixels that a label needs. */
  label: number;
  /** The allowed distances between labels, in points, ascending. */
  steps: readonly number[];
  /** A point that has a label, such as the first midnight. */
  anchor: number;
}

/** The points that have a label: as many as there is room for, at equal distances. */
export const labelledPoints = ({ points, band, label, steps, anchor }: TickPlan): number[] => {
  const step = steps.find((one) => one * band >= label) ?? points;
  return Array.from({ length: points }, (_, at) => at).filter((at) => (at - anchor) % step === 0);
};
