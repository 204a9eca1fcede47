import { number } from '../../kit/text/formats.tsx';
import { LineChart } from '../../kit/charts/line-chart.tsx';
import { ChartState, Legend, type Series } from '../../kit/charts/parts.tsx';
import { isLine } from '../../kit/charts/scale.ts';
import { locale, t } from '../../language/language.tsx';

interface TrendChartProps {
  /** The mean score of each interval, up to the current one; null is a gap. */
  scores: readonly (number | null)[];
  name?: string;
  /** The first day of each interval; by default the last weeks. */
  starts?: readonly string[];
  unit?: 'week' | 'month';
  /** More lines. The first four have colours of their own. */
  segments?: readonly { key: string; name: string; scores: readonly (number | null)[] }[];
  asTable?: boolean;
}

const height = 260;
/** The most segments that are told apart by colour and dashes. */
const maxSegments = 4;
const segmentLines = [
  { color: '--chart-line-1' },
  { color: '--chart-line-2', dashes: '7 4' },
  { color: '--chart-line-3', dashes: '2 4' },
  { color: '--chart-line-4', dashes: '9 3 2 3' },
] as const;

/** Mean scores over time, on the whole scale from 0 to 100. */
export default function TrendChart({
  scores,
  name,
  starts = lastMondays(scores.length),
  unit = 'week',
  segments = [],
  asTable = false,
}: TrendChartProps) {
  const format = (options: Intl.DateTimeFormatOptions) => {
    const dates = new Intl.DateTimeFormat(locale(), { ...options, timeZone: 'UTC' });
    return (day: string) => dates.format(new Date(day));
  };
  const short = format(unit === 'week' ? { day: 'numeric', month: 'short' } : { month: 'short', year: '2-digit' });
  const long = format(unit === 'week' ? { dateStyle: 'medium' } : { month: 'long', year: 'numeric' });
  const whole: Series = {
    key: 'whole',
    name: name ?? t('Punktzahl', 'Score'),
    ...(segments.length === 0 ? { color: '--chart-line-1' } : { color: '--chart-line-5', dashes: '3 3' }),
  };
  const shown = segments.slice(0, maxSegments);
  const series: Series[] = [
    ...shown.map((segment, at) => ({ ...(segmentLines[at] ?? segmentLines[0]), key: segment.key, name: segment.name })),
    whole,
  ];
  const values = starts.map((_, at) => ({
    ...Object.fromEntries(shown.map((segment) => [segment.key, segment.scores[at] ?? null])),
    whole: scores[at] ?? null,
  }));
  const isEmpty = [scores, ...shown.map((segment) => segment.scores)].every((line) =>
    line.every((score) => score === null),
  );
  return (
    <ChartState
      height={height}
      empty={
        isEmpty ? t('Keine bewerteten Trainings in diesem Zeitraum.', 'No scored trainings in this period.') : undefined
      }
    >
      <LineChart
        label={
          unit === 'week'
            ? t('Durchschnittliche Punktzahl pro Woche', 'Average score per week')
            : t('Durchschnittliche Punktzahl pro Monat', 'Average score per month')
        }
        heading={unit === 'week' ? t('Woche ab', 'Week of') : t('Monat', 'Month')}
        height={height}
        points={starts.map((start) => ({ key: start, short: short(start), long: long(start) }))}
        values={values}
        series={series}
        // Counted back from now, so that the current interval has a label.
        labels={{ steps: [1, 2, 3, 4, 6, 12], anchor: starts.length - 1 }}
        ticks={[0, 25, 50, 75, 100]}
        format={(value) => number(value)}
        none={t('keine', 'none')}
        asTable={asTable}
      />
      {!asTable && shown.length > 0 && isLine(values) && <Legend series={series} />}
    </ChartState>
  );
}

const dayMs = 86_400_000;

/** The Mondays (UTC, `2026-11-16`) of the last `count` weeks. The last one is this week's. */
const lastMondays = (count: number, now = new Date()): string[] => {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const monday = today - ((now.getUTCDay() + 6) % 7) * dayMs;
  return Array.from({ length: count }, (_, index) =>
    new Date(monday - (count - 1 - index) * 7 * dayMs).toISOString().slice(0, 10),
  );
};
