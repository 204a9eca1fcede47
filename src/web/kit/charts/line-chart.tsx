import { Stack } from '@mantine/core';
import { Hint } from '../text/text.tsx';
import { Facts } from '../page/facts.tsx';
import { ChartFrame, type ChartPoint, type Plot } from './frame.tsx';
import { ChartTable, TipRows, type Series } from './parts.tsx';
import { isLine, ticksUpTo } from './scale.ts';

interface LineChartProps {
  label: string;
  /** The heading of the points in the table, such as "Week from". */
  heading: string;
  points: readonly ChartPoint[];
  /** The values of each point, by series. Null is a gap. */
  values: readonly Readonly<Record<string, number | null>>[];
  series: readonly Series[];
  labels: { steps: readonly number[]; anchor: number };
  format: (value: number) => string;
  /** The text for a gap in the table. */
  none: string;
  /** The values of the y axis. Without them, the axis reaches from 0 to the largest value. */
  ticks?: readonly number[];
  height?: number;
  asTable?: boolean;
}

/** The values between gaps, each with its point. */
const runsOf = (values: readonly (number | null)[]): [point: number, value: number][][] => {
  const runs: [number, number][][] = [[]];
  for (const [point, value] of values.entries()) {
    if (value === null) runs.push([]);
    else runs.at(-1)?.push([point, value]);
  }
  return runs.filter((run) => run.length > 0);
};

interface LineProps {
  values: readonly (number | null)[];
  series: Series;
  plot: Plot;
}

/** A line with a dot at each value, if there is room for dots. A value between two gaps is always a dot. */
const Line = ({ values, series: { color, dashes }, plot: { x, y, band } }: LineProps) =>
  runsOf(values).map((run) => (
    <g key={run[0]?.[0]} stroke={`var(${color})`}>
      <path
        d={`M${run.map(([point, value]) => `${x(point).toFixed(1)} ${y(value).toFixed(1)}`).join('L')}`}
        fill="none"
        strokeWidth={2}
        strokeLinejoin="round"
        strokeLinecap="round"
        {...(dashes !== undefined && { strokeDasharray: dashes })}
      />
      {(band >= 14 || run.length === 1) &&
        run.map(([point, value]) => (
          <circle key={point} cx={x(point)} cy={y(value)} r={2.5} fill={`var(${color})`} strokeWidth={1} />
        ))}
    </g>
  ));

/** Values over time as lines. A point without a value is a gap. */
export const LineChart = ({
  series,
  values,
  format,
  none,
  ticks,
  height = 220,
  asTable = false,
  ...chart
}: LineChartProps) => {
  const valueOf = (point: number, key: string): number | null => values[point]?.[key] ?? null;
  const textOf = (point: number, key: string): string => {
    const value = valueOf(point, key);
    return value === null ? none : format(value);
  };
  const known = series.flatMap(({ key }) => values.flatMap((_, at) => valueOf(at, key) ?? []));
  const isEmpty = (point: number) => series.every(({ key }) => valueOf(point, key) === null);
  const table = { ...chart, series, valueOf: textOf, isEmpty };
  if (asTable) return <ChartTable {...table} isShown />;
  const only = isLine(values) ? undefined : chart.points.findIndex((_, at) => !isEmpty(at));
  if (only !== undefined && only >= 0) {
    return (
      <Stack gap="xs">
        <Hint>
          {chart.heading}: {chart.points[only]?.long}
        </Hint>
        <Facts sideBySide facts={series.map(({ key, name }) => ({ name, value: <b>{textOf(only, key)}</b> }))} />
      </Stack>
    );
  }
  return (
    <>
      <ChartFrame
        {...chart}
        height={height}
        marks="line"
        yTicks={ticks ?? ticksUpTo(Math.max(...known, 1))}
        formatY={format}
        tip={(at) => <TipRows rows={series.map((one) => ({ ...one, value: textOf(at, one.key) }))} />}
        sentence={(at) => series.map(({ key, name }) => `${name} ${textOf(at, key)}`).join(', ')}
        draw={(plot) =>
          series.map((one) => (
            <Line key={one.key} series={one} values={values.map((_, at) => valueOf(at, one.key))} plot={plot} />
          ))
        }
      />
      <ChartTable {...table} isShown={false} />
    </>
  );
};
