import { Stack } from '@mantine/core';
import { Hint } from '../text/text.tsx';
import classes from './charts.module.css';

interface SparkBarsProps {
  /** The days from left to right: the total of each day, and the number of failures in it. */
  days: readonly { all: number; bad: number }[];
  /** For screen readers. */
  label: string;
  /** A short form of the label, below the bars. */
  caption: string;
}

const step = 4;
const height = 18;

/** A bar chart in the size of a word. Failures are at the bottom, where their heights are easiest to compare. */
export const SparkBars = ({ days, label, caption }: SparkBarsProps) => {
  const max = Math.max(...days.map(({ all }) => all), 1);
  // The bar of a day with a single request is still visible.
  const tall = (count: number) => (count === 0 ? 0 : Math.max((count / max) * (height - 1), 2));
  const width = days.length * step;
  return (
    <Stack gap={2} align="flex-start">
      <svg className={classes['spark']} width={width} height={height} role="img" aria-label={label}>
        <rect x={0} y={height - 1} width={width} height={1} fill="var(--line)" />
        {days.map(({ all, bad }, at) => (
          <g key={at}>
            <rect
              x={at * step}
              y={height - tall(all)}
              width={step - 1}
              height={tall(all)}
              fill="var(--chart-answered)"
            />
            <rect x={at * step} y={height - tall(bad)} width={step - 1} height={tall(bad)} fill="var(--chart-failed)" />
          </g>
        ))}
      </svg>
      <Hint size="xs" lh={1.3} aria-hidden style={{ whiteSpace: 'nowrap' }}>
        {caption}
      </Hint>
    </Stack>
  );
};
