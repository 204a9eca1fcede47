import classes from './sparkline.module.css';

interface SparklineProps {
  /** From left to right; null is a gap. */
  values: readonly (number | null)[];
  /** What it shows, for those who can’t see it. */
  label: string;
  height?: number;
}

const width = 100;
const margin = 4;

/** Neighbouring values, each with where it stands; a gap begins a new run. */
const runsOf = (values: readonly (number | null)[]): [index: number, value: number][][] => {
  const runs: [number, number][][] = [[]];
  for (const [index, value] of values.entries()) {
    if (value === null) runs.push([]);
    else runs.at(-1)?.push([index, value]);
  }
  return runs.filter((run) => run.length > 0);
};

/** A line of a few numbers, from the least of them to the most. A single number between gaps is a dot. */
export const Sparkline = ({ values, label, height = 48 }: SparklineProps) => {
  const numbers = values.filter((value) => value !== null);
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const tall = height - 2 * margin;
  const x = (index: number) => (index / Math.max(values.length - 1, 1)) * width;
  const y = (value: number) => margin + (most === least ? tall / 2 : ((most - value) / (most - least)) * tall);
  const at = ([index, value]: [number, number]) => `${x(index).toFixed(2)} ${y(value).toFixed(2)}`;
  return (
    <svg
      className={classes['sparkline']}
      viewBox={`0 0 ${width} ${height}`}
      height={height}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {runsOf(values).map((run) => (
        <path key={at(run[0] ?? [0, 0])} d={`M${run.map(at).join('L')}${run.length === 1 ? 'h0.01' : ''}`} />
      ))}
    </svg>
  );
};
