import { locale, t } from '../../language/language.tsx';
import { ChartFrame, type ChartSelection } from './frame.tsx';
import { ChartTable, TipRows, type ChartProps } from './parts.tsx';
import { ticksUpTo } from './scale.ts';

interface BarChartProps extends ChartProps {
  /** The counts of each point, by series. */
  values: readonly Readonly<Record<string, number>>[];
  selecting?: ChartSelection;
}

const total = 'total';
const widest = 28;
/**
 * The minimum height, in pixels, of a part whose count is not 0, so that a single failure among thousands is visible.
 */
const minHeight = 2;

/** Counts over time as bars, in which the series are stacked from the bottom to the top. */
export const BarChart = ({ series, values, height = 220, asTable = false, ...chart }: BarChartProps) => {
  const numberOf = (point: number, key: string): number => values[point]?.[key] ?? 0;
  const sumOf = (point: number): number => series.reduce((sum, { key }) => sum + numberOf(point, key), 0);
  const short = new Intl.NumberFormat(locale(), { notation: 'compact', maximumFractionDigits: 1 });
  const textOf = (point: number, key: string) =>
    (key === total ? sumOf(point) : numberOf(point, key)).toLocaleString(locale());
  const all = { key: total, name: t('Gesamt', 'Total') };
  const table = { ...chart, series: [...series, all], valueOf: textOf, isEmpty: (point: number) => sumOf(point) === 0 };
  if (asTable) return <ChartTable {...table} isShown />;
  return (
    <>
      <ChartFrame
        {...chart}
        height={height}
        marks="column"
        yTicks={ticksUpTo(Math.max(...values.map((_, at) => sumOf(at))), { whole: true })}
        formatY={(value) => short.format(value)}
        tip={(at) => (
          <TipRows rows={[...series.toReversed(), all].map((one) => ({ ...one, value: textOf(at, one.key) }))} />
        )}
        sentence={(at) => [all, ...series].map(({ key, name }) => `${name} ${textOf(at, key)}`).join(', ')}
        draw={({ x, y, band, bottom }) => {
          const width = Math.max(Math.min(band - (band > 6 ? 2 : 1), widest), 1);
          return chart.points.map(({ key: point }, at) => {
            let base = bottom;
            return series.map(({ key, color }) => {
              const count = numberOf(at, key);
              if (count === 0) return null;
              const tall = Math.max(bottom - y(count), minHeight);
              base -= tall;
              // A line in the background's colour separates the parts of a bar.
              const gap = tall > 2 * minHeight ? 1 : 0;
              return (
                <rect
                  key={`${point} ${key}`}
                  x={x(at) - width / 2}
                  y={base}
                  width={width}
                  height={tall - gap}
                  rx={width > 6 ? 1.5 : 0}
                  fill={`var(${color})`}
                />
              );
            });
          });
        }}
      />
      <ChartTable {...table} isShown={false} />
    </>
  );
};
