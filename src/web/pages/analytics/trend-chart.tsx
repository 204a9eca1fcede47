import { Box } from '@mantine/core';
import { Hint } from '../../kit/text/text.tsx';
import { count, number } from '../../kit/text/formats.tsx';
import { fewBelow, LineChart } from '../../kit/charts/line-chart.tsx';
import { ChartState, Legend, type Series } from '../../kit/charts/parts.tsx';
import { isLine, ticksAround } from '../../kit/charts/scale.ts';
import { locale, t } from '../../language/language.tsx';
import type { Trend } from './score-trend.tsx';

interface TrendChartProps {
  trend: Pick<Trend, 'unit' | 'starts' | 'scores' | 'counts' | 'middle'>;
  /** The name of the line of all trainings. */
  name: string;
  /** More lines. The first four have colours of their own. */
  segments: readonly (Pick<Trend['segments'][number], 'scores' | 'counts'> & { key: string; name: string })[];
  asTable: boolean;
  /** Opens the trainings from one day to another. */
  onOpen: ((from: string, to: string) => void) | undefined;
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

const dayMs = 86_400_000;
const utcDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The last day of an interval. */
const endOf = (start: string, unit: Trend['unit']): string => {
  const day = new Date(start);
  return unit === 'week'
    ? utcDay(day.getTime() + 6 * dayMs)
    : utcDay(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0));
};

/** Mean scores over time. The axis covers the values only, so that changes can be seen. */
export default function TrendChart({
  trend: { unit, starts, scores, counts, middle },
  name,
  segments,
  asTable,
  onOpen,
}: TrendChartProps) {
  const dates = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale(), { ...options, timeZone: 'UTC' });
  const short = dates(unit === 'week' ? { day: 'numeric', month: 'short' } : { month: 'short', year: '2-digit' });
  const long = dates(unit === 'week' ? { dateStyle: 'medium' } : { month: 'long', year: 'numeric' });
  const nameOf = (start: string): string =>
    unit === 'week' ? long.formatRange(new Date(start), new Date(endOf(start, unit))) : long.format(new Date(start));
  const whole: Series = {
    key: 'whole',
    name,
    ...(segments.length === 0 ? { color: '--chart-line-1' } : { color: '--chart-line-5', dashes: '3 3' }),
  };
  const shown = segments.slice(0, maxSegments);
  const series: Series[] = [
    ...shown.map((segment, at) => ({ ...(segmentLines[at] ?? segmentLines[0]), key: segment.key, name: segment.name })),
    whole,
  ];
  const area = middle?.some((one) => one !== null)
    ? {
        series: {
          key: 'middle',
          name: t('Mittlere Hälfte des Teams', 'Middle half of the team'),
          color: '--chart-line-5',
        },
        values: middle,
      }
    : undefined;
  const lines = [...shown, { key: 'whole', scores, counts }];
  const values = starts.map((_, at) => Object.fromEntries(lines.map((line) => [line.key, line.scores[at] ?? null])));
  const numbers = starts.map((_, at) => Object.fromEntries(lines.map((line) => [line.key, line.counts[at] ?? 0])));
  const areSomeOfFew = numbers.some((point) => Object.values(point).some((count) => count > 0 && count < fewBelow));
  const isEmpty = lines.every((line) => line.scores.every((score) => score === null));
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
        heading={unit === 'week' ? t('Woche', 'Week') : t('Monat', 'Month')}
        height={height}
        points={starts.map((start) => ({ key: start, short: short.format(new Date(start)), long: nameOf(start) }))}
        values={values}
        counts={numbers}
        countText={(of) => count(of, t('Training', 'training'), t('Trainings', 'trainings'))}
        namesAtEnds={shown.length > 0}
        onOpen={
          onOpen &&
          ((at) => {
            const start = starts[at];
            if (start !== undefined) onOpen(start, endOf(start, unit));
          })
        }
        series={series}
        area={area}
        // Counted back from now, so that the current interval has a label.
        labels={{ steps: [1, 2, 3, 4, 6, 12], anchor: starts.length - 1 }}
        ticksOf={ticksAround}
        format={(value) => number(value)}
        none={t('keine', 'none')}
        asTable={asTable}
      />
      {/* Where there is room, the lines have their names at their ends. */}
      {!asTable && (shown.length > 0 || area) && isLine(values) && (
        <Box {...(!area && { hiddenFrom: 'sm' })}>
          <Legend series={area ? [...series, area.series] : series} />
        </Box>
      )}
      {!asTable && areSomeOfFew && (
        <Hint size="xs">
          {t(`Hohle Punkte: weniger als ${fewBelow} Trainings.`, `Hollow points: fewer than ${fewBelow} trainings.`)}
        </Hint>
      )}
    </ChartState>
  );
}
