import { Stack } from '@mantine/core';
import { Hint } from '../text/text.tsx';
import { Facts } from '../page/facts.tsx';
import { ChartFrame, type Plot } from './frame.tsx';
import { ChartTable, TipRows, type ChartProps, type Series } from './parts.tsx';
import { isLine, ticksUpTo } from './scale.ts';

interface LineChartProps extends ChartProps {
  /** The values of each point, by series. Null is a gap. */
  values: readonly Readonly<Record<string, number | null>>[];
  /** An area behind the lines, with the least and the greatest value of each point. */
  area?: { series: Series; values: readonly ({ low: number; high: number } | null)[] } | undefined;
  format: (value: number) => string;
  /** The text for a gap in the table. */
  none: string;
  /** The values of the y axis. Without them, the axis reaches from 0 to at least the largest value. */
  ticks?: readonly number[];
  /** The number of things of which each value is the mean, by series. Means of few things are hollow dots. */
  counts?: readonly Readonly<Record<string, number>>[];
  /** A count in words, such as "12 trainings". */
  countText?: (count: number) => string;
  onOpen?: ((point: number) => void) | undefined;
}

/** The runs of values between gaps. Each value has the index of its point. */
const runsOf = <Value,>(values: readonly (Value | null)[]): [point: number, value: Value][][] => {
  const runs: [number, Value][][] = [[]];
  for (const [point, value] of values.entries()) {
    if (value === null) runs.push([]);
    else runs.at(-1)?.push([point, value]);
  }
  return runs.filter((run) => run.length > 0);
};

/** Means of fewer things than this are hollow dots. */
export const fewBelow = 5;

interface LineProps {
  values: readonly (number | null)[];
  isOfFew: (point: number) => boolean;
  series: Series;
  plot: Plot;
}

/**
 * A line. It has a dot at each value if it has no dashes and there is room. A value between two gaps always has a dot.
 */
const Line = ({ values, isOfFew, series: { color, dashes }, plot: { x, y, band } }: LineProps) =>
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
      {((band >= 14 && dashes === undefined) || run.length === 1) &&
        run.map(([point, value]) => (
          <circle
            key={point}
            cx={x(point)}
            cy={y(value)}
            r={isOfFew(point) ? 3.5 : 2.5}
            fill={isOfFew(point) ? 'var(--mantine-color-body)' : `var(${color})`}
            strokeWidth={isOfFew(point) ? 1.5 : 1}
          />
        ))}
    </g>
  ));

/** The area between low and high values. A single value between two gaps is drawn as wide as its column. */
const Area = ({
  series: { color },
  values,
  plot: { x, y, band },
}: NonNullable<LineChartProps['area']> & { plot: Plot }) =>
  runsOf(values).map((run) => {
    const half = run.length === 1 ? band / 2 : 0;
    const edge = (of: 'low' | 'high') =>
      run.flatMap(([point, value]) => [`${x(point) - half} ${y(value[of])}`, `${x(point) + half} ${y(value[of])}`]);
    return (
      <path
        key={run[0]?.[0]}
        d={`M${[...edge('high'), ...edge('low').toReversed()].join('L')}Z`}
        fill={`var(${color})`}
        opacity={0.14}
      />
    );
  });

/** Values over time as lines. Earlier lines are drawn over later ones. A point without a value is a gap. */
export const LineChart = ({
  series,
  values,
  format,
  none,
  ticks,
  counts,
  countText = () => '',
  area,
  onOpen,
  height = 220,
  asTable = false,
  ...chart
}: LineChartProps) => {
  const valueOf = (point: number, key: string): number | null => values[point]?.[key] ?? null;
  const textOf = (point: number, key: string): string => {
    const range = key === area?.series.key ? area.values[point] : undefined;
    if (range) return `${format(range.low)}–${format(range.high)}`;
    const value = valueOf(point, key);
    return value === null ? none : format(value);
  };
  const countOf = (point: number, key: string): number | undefined => counts?.[point]?.[key];
  /** The value, and the number of things of which it is the mean. */
  const wholeText = (point: number, key: string): string => {
    const count = countOf(point, key);
    return count === undefined || valueOf(point, key) === null
      ? textOf(point, key)
      : `${textOf(point, key)} (${countText(count)})`;
  };
  const all = area ? [...series, area.series] : series;
  const isEmpty = (point: number) => series.every(({ key }) => valueOf(point, key) === null);
  const table = { ...chart, series: all, valueOf: wholeText, isEmpty };
  if (asTable) return <ChartTable {...table} isShown />;
  const only = isLine(values) ? undefined : chart.points.findIndex((_, at) => !isEmpty(at));
  if (only !== undefined && only >= 0) {
    return (
      <Stack gap="xs">
        <Hint>
          {chart.heading}: {chart.points[only]?.long}
        </Hint>
        <Facts sideBySide facts={all.map(({ key, name }) => ({ name, value: <b>{wholeText(only, key)}</b> }))} />
      </Stack>
    );
  }
  return (
    <>
      <ChartFrame
        {...chart}
        height={height}
        marks="line"
        yTicks={ticks ?? ticksUpTo(Math.max(...values.flatMap((point) => Object.values(point).map(Number)), 1))}
        onOpen={onOpen}
        formatY={format}
        tip={(at) => <TipRows rows={all.map((one) => ({ ...one, value: wholeText(at, one.key) }))} />}
        sentence={(at) => all.map(({ key, name }) => `${name} ${wholeText(at, key)}`).join(', ')}
        draw={(plot) => (
          <>
            {area && <Area {...area} plot={plot} />}
            {series.toReversed().map((one) => (
              <Line
                key={one.key}
                series={one}
                values={values.map((_, at) => valueOf(at, one.key))}
                isOfFew={(at) => (countOf(at, one.key) ?? fewBelow) < fewBelow}
                plot={plot}
              />
            ))}
          </>
        )}
      />
      <ChartTable {...table} isShown={false} />
    </>
  );
};
