import { Button, Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { BarChart } from '../../kit/charts/bar-chart.tsx';
import { useRequestOutcomes } from '../../kit/charts/outcomes.ts';
import { ChartState, Legend, TableSwitch } from '../../kit/charts/parts.tsx';
import { PeriodChoice, useIntervals } from '../../kit/charts/period.tsx';
import { periodWith, spanOf } from '../../kit/charts/periods.ts';
import type { Period, Span } from '../../kit/charts/periods.ts';
import { Panel } from '../../kit/page.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import type { useRequestFilter } from './request-filters.tsx';

const height = 200;
const refreshMs = 5_000;

const dateOf = (text: string | undefined): Date | undefined => (text === undefined ? undefined : new Date(text));

/** The period that the reader has chosen, or else one that shows the whole time range of the filter. */
const usePeriod = (since: Date | undefined): [Period, (period: Period) => void] => {
  const [chosen, choose] = useState<Period>();
  return [chosen ?? (since === undefined ? '24h' : periodWith(since, new Date())), choose];
};

type RequestFilter = ReturnType<typeof useRequestFilter>;

/** The number of requests over time. A span that is selected in it becomes the list's time filter. */
export const RequestVolume = ({ filters, query, isLive }: RequestFilter & { isLive: boolean }) => {
  const t = useText();
  const locale = useLocale();
  const series = useRequestOutcomes();
  const { since, until, request_id: _one, ...filter } = query;
  const range = { since: dateOf(since), until: dateOf(until) };
  const [period, setPeriod] = usePeriod(range.since);
  const [asTable, setAsTable] = useState(false);
  const { starts, wanted, points, labels } = useIntervals(period);
  const { data, error, refetch } = useQuery(
    app.requests.volume.queryOptions(
      { ...filter, ...wanted },
      { placeholderData: keepPreviousData, ...(isLive && { refetchInterval: refreshMs }) },
    ),
  );
  // Without requests there are no intervals.
  const values = data && [0, starts.length].includes(data.data.length) ? data.data : undefined;
  const sumOf = (key: (typeof series)[number]['key']) => (values ?? []).reduce((sum, one) => sum + one[key], 0);
  const sums = Object.fromEntries(series.map(({ key }) => [key, sumOf(key).toLocaleString(locale)]));
  const isQuiet = series.every(({ key }) => sumOf(key) === 0);
  const select = (span: Span | null) => {
    for (const name of ['range', 'from', 'to'] as const) filters.set(name, null);
    filters.set('since', span === null ? null : (starts[span.from]?.toISOString() ?? null));
    filters.set('until', span === null ? null : (starts[span.to + 1]?.toISOString() ?? null));
  };
  return (
    <Panel
      title={t('Anfragen im Zeitverlauf', 'Requests over time')}
      actions={
        <Group gap="xs">
          <PeriodChoice value={period} onChange={setPeriod} />
          <TableSwitch asTable={asTable} onChange={setAsTable} />
        </Group>
      }
    >
      <Stack gap="sm">
        <ChartState
          height={height}
          error={error}
          retry={() => void refetch()}
          isLoading={values === undefined}
          empty={isQuiet ? t('Keine Anfragen in diesem Zeitraum', 'No requests in this period') : undefined}
        >
          <BarChart
            label={t('Anfragen im Zeitverlauf', 'Requests over time')}
            heading={t('Zeit', 'Time')}
            height={height}
            series={series}
            points={points}
            values={values ?? []}
            labels={labels}
            asTable={asTable}
            selecting={{ selected: spanOf(starts, range), onSelect: select }}
          />
        </ChartState>
        {!isQuiet && (
          <Group justify="space-between" gap="xs">
            <Legend series={series} values={sums} />
            {since === undefined && until === undefined ? (
              <Text size="xs" c="dimmed">
                {t(
                  'Ziehen Sie über eine Zeitspanne, um die Liste zu filtern.',
                  'Drag over a time span to filter the list.',
                )}
              </Text>
            ) : (
              <Button variant="default" size="compact-sm" onClick={() => select(null)}>
                {t('Zeitspanne aufheben', 'Clear the time span')}
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Panel>
  );
};
