import { SegmentedControl } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { locale, t } from '../../language/language.tsx';
import { optionsOf } from '../list/filters.tsx';
import type { ChartPoint } from './frame.tsx';
import { firstMidnight, intervalsOf, labelSteps, type Period } from './periods.ts';

const minuteMs = 60_000;

/** The intervals of the period that ends with the current interval, for the request and for the chart. */
export const useIntervals = (period: Period) => {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const clock = setInterval(() => setNow(new Date()), minuteMs);
    return () => clearInterval(clock);
  }, []);

  const end = intervalsOf(period, now).end.getTime();
  return useMemo(() => {
    const intervals = intervalsOf(period, new Date(end - 1));
    const day = new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short' });
    const dayInFull = new Intl.DateTimeFormat(locale(), { weekday: 'short', day: 'numeric', month: 'short' });
    const time = new Intl.DateTimeFormat(locale(), { hour: '2-digit', minute: '2-digit' });
    const points = intervals.starts.map((start, at): ChartPoint => {
      const until = time.format(intervals.starts[at + 1] ?? intervals.end);
      return {
        key: start.toISOString(),
        short: period === '24h' ? time.format(start) : day.format(start),
        long: period === '30d' ? dayInFull.format(start) : `${dayInFull.format(start)}, ${time.format(start)}–${until}`,
      };
    });
    return {
      starts: intervals.starts,
      /** The starts of the intervals, and the end of the last one, for a query. */
      wanted: { starts: intervals.starts.map((start) => start.toISOString()), end: intervals.end.toISOString() },
      points,
      labels: { steps: labelSteps[period], anchor: firstMidnight(intervals.starts) },
    };
  }, [period, end, locale()]);
};

export const periodNames = (): Readonly<Record<Period, string>> => ({
  '24h': t('24 Stunden', '24 hours'),
  '7d': t('7 Tage', '7 days'),
  '30d': t('30 Tage', '30 days'),
});

interface PeriodChoiceProps<Name extends string> {
  names: Readonly<Record<Name, string>>;
  value: Name;
  onChange: (period: Name) => void;
}

export const PeriodChoice = <Name extends string>({ names, value, onChange }: PeriodChoiceProps<Name>) => (
  <SegmentedControl
    size="xs"
    aria-label={t('Zeitraum im Diagramm', 'Period of the chart')}
    value={value}
    onChange={onChange}
    data={optionsOf(names)}
  />
);
