import { Box, Button, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { Trend } from '../../../modules/analytics/schema.ts';
import { Hint } from '../../kit/text/text.tsx';
import { number } from '../../kit/text/figures.ts';
import { fewBelow, LineChart } from '../../kit/charts/line-chart.tsx';
import { ChartState, Legend } from '../../kit/charts/parts.tsx';
import { ticksAround } from '../../kit/charts/scale.ts';
import { locale, t } from '../../language/language.tsx';
import { decimal, endOf, noneScored, trainingsOf } from './trend-words.ts';

interface TrendLine extends Pick<Trend, 'scores' | 'counts'> {
  key: string;
  name: string;
}

interface SegmentLine extends TrendLine, Pick<Trend['segments'][number], 'score' | 'count'> {
  /**
   * The filters with which the list of trainings shows only the trainings of the segment; undefined if the list can't
   * be filtered like this.
   */
  trainings: Readonly<Record<string, string>> | undefined;
}

interface TrendChartProps {
  trend: Pick<Trend, 'unit' | 'starts' | 'scores' | 'counts' | 'middle'>;
  /** The name of the line of all trainings. */
  name: string;
  /** The segments. Each has a chart of its own. */
  segments?: readonly SegmentLine[];
  /** The filters of the list of trainings behind the chart; undefined if the reader may not open it. */
  trainings: Readonly<Record<string, string>> | undefined;
  height?: number;
  asTable?: boolean;
}

/** How many segments are shown at first. */
const firstSegments = 6;

/** The mean of a segment, and its last value, each with the number of trainings. */
const figuresOf = ({ score, count, scores, counts }: SegmentLine): string => {
  if (score === null) return noneScored();
  const last = scores.findLastIndex((value) => value !== null);
  const [mean, latest] = [decimal(score), number(scores[last] ?? 0)];
  const [all, ofLatest] = [trainingsOf(count), number(counts[last] ?? 0)];
  return t(
    `Ø ${mean} aus ${all}, zuletzt ${latest} aus ${ofLatest}`,
    `Average ${mean} from ${all}, latest ${latest} from ${ofLatest}`,
  );
};

/** Mean scores over time. The axis covers the values only, so that changes can be seen. */
export default function TrendChart({
  trend: { unit, starts, scores, counts, middle },
  name,
  segments = [],
  trainings,
  height = 260,
  asTable = false,
}: TrendChartProps) {
  const navigate = useNavigate();
  const [showsAll, setShowsAll] = useState(false);
  const dates = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale(), { ...options, timeZone: 'UTC' });
  const short = dates(unit === 'week' ? { day: 'numeric', month: 'short' } : { month: 'short', year: '2-digit' });
  const long = dates(unit === 'week' ? { dateStyle: 'medium' } : { month: 'long', year: 'numeric' });
  const nameOf = (start: string): string =>
    unit === 'week' ? long.formatRange(new Date(start), new Date(endOf(start, unit))) : long.format(new Date(start));
  const label =
    unit === 'week'
      ? t('Durchschnittliche Punktzahl pro Woche', 'Average score per week')
      : t('Durchschnittliche Punktzahl pro Monat', 'Average score per month');
  const whole: TrendLine = { key: 'whole', name, scores, counts };
  const behind = { color: '--chart-line-3', dashes: '3 3' };
  const shown = segments.slice(0, showsAll || asTable ? undefined : firstSegments);
  const lines = [...shown, whole];
  const area = middle?.some((one) => one !== null)
    ? {
        series: { key: 'middle', name: t('Mittlere Hälfte des Teams', 'Middle half of the team'), color: behind.color },
        values: middle,
      }
    : undefined;
  const known = [
    ...lines.flatMap((line) => line.scores),
    ...(middle ?? []).flatMap((range) => [range?.low, range?.high]),
  ].filter((value) => typeof value === 'number');
  const areSomeOfFew = lines.some((line) => line.counts.some((of) => of > 0 && of < fewBelow));
  const isDrawn = starts.filter((_, at) => lines.some((line) => typeof line.scores[at] === 'number')).length > 1;
  // All charts have the same axis, so that they can be compared.
  const ticks = known.length === 0 ? [0, 100] : ticksAround(known);

  const chartOf = (
    drawn: readonly TrendLine[],
    filters: TrendChartProps['trainings'],
    tall: number,
    ofOne?: string,
  ) => (
    <LineChart
      label={ofOne === undefined ? label : `${ofOne}: ${label}`}
      heading={unit === 'week' ? t('Woche', 'Week') : t('Monat', 'Month')}
      height={tall}
      points={starts.map((start) => ({ key: start, short: short.format(new Date(start)), long: nameOf(start) }))}
      values={starts.map((_, at) => Object.fromEntries(drawn.map((line) => [line.key, line.scores[at] ?? null])))}
      counts={starts.map((_, at) => Object.fromEntries(drawn.map((line) => [line.key, line.counts[at] ?? 0])))}
      countText={trainingsOf}
      onOpen={
        filters &&
        ((at) => {
          const from = starts[at];
          if (from === undefined) return;
          const period = { status: 'scored', range: 'own', from, to: endOf(from, unit) };
          void navigate(`/trainings?${new URLSearchParams({ ...filters, ...period }).toString()}`);
        })
      }
      series={drawn.map((line, at) => ({ ...line, ...(at === 0 ? { color: '--chart-line-1' } : behind) }))}
      area={area}
      // Labels are counted back from now, so that the current interval has one.
      labels={{ steps: [1, 2, 3, 4, 6, 12], anchor: starts.length - 1 }}
      ticks={ticks}
      format={(value) => number(value)}
      none={t('keine', 'none')}
      asTable={asTable}
    />
  );
  return (
    <ChartState height={height} empty={known.length === 0 ? noneScored() : undefined}>
      {asTable || shown.length === 0 ? (
        chartOf(lines, trainings, height)
      ) : (
        // Four charts are two rows of two.
        <SimpleGrid cols={{ base: 1, sm: 2, ...(shown.length > 4 && { xl: 3 }) }} spacing="lg" verticalSpacing="lg">
          {shown.map((segment) => (
            <Stack key={segment.key} gap={4} role="group" aria-label={segment.name}>
              <Text component="h3" size="sm" fw={600}>
                {segment.name}
              </Text>
              <Hint size="xs">{figuresOf(segment)}</Hint>
              {chartOf([segment, whole], segment.trainings, 150, segment.name)}
            </Stack>
          ))}
        </SimpleGrid>
      )}
      {!asTable && isDrawn && (shown.length > 0 || area) && (
        <Box mt="xs">
          <Legend
            series={[
              { ...whole, ...(shown.length > 0 ? behind : { color: '--chart-line-1' }) },
              ...(area ? [area.series] : []),
            ]}
          />
        </Box>
      )}
      {!asTable && areSomeOfFew && (
        <Hint size="xs">
          {t(`Hohle Punkte: weniger als ${fewBelow} Trainings.`, `Hollow points: fewer than ${fewBelow} trainings.`)}
        </Hint>
      )}
      {!asTable && segments.length > firstSegments && (
        <Button size="xs" mt="sm" w="fit-content" onClick={() => setShowsAll(!showsAll)}>
          {showsAll
            ? t('Weniger anzeigen', 'Show fewer')
            : t(`Alle ${segments.length} anzeigen`, `Show all ${segments.length}`)}
        </Button>
      )}
    </ChartState>
  );
}
