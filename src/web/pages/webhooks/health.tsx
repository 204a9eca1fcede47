import { Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { BarChart } from '../../kit/charts/bar-chart.tsx';
import { LineChart } from '../../kit/charts/line-chart.tsx';
import { ChartState, Legend, TableSwitch, type Series } from '../../kit/charts/parts.tsx';
import { PeriodChoice, periodNames, useIntervals } from '../../kit/charts/period.tsx';
import type { Period } from '../../kit/charts/periods.ts';
import { isLine } from '../../kit/charts/scale.ts';
import { Facts } from '../../kit/page/facts.tsx';
import { milliseconds, number } from '../../kit/text/figures.ts';
import { Panel } from '../../kit/page/page.tsx';
import { locale, t } from '../../language/language.tsx';
import { app } from '../../server/server.ts';

const outcomeSeries = () =>
  [
    { key: 'delivered', name: t('Zugestellt', 'Delivered'), color: '--chart-answered' },
    { key: 'failed', name: t('Fehlgeschlagen', 'Failed'), color: '--chart-failed' },
  ] as const satisfies readonly Series[];

const percentileSeries = () =>
  [
    { key: 'p50_ms', name: t('Median (p50)', 'Median (p50)'), color: '--chart-line-1' },
    { key: 'p95_ms', name: t('95. Perzentil (p95)', '95th percentile (p95)'), color: '--chart-line-2', dashes: '5 3' },
  ] as const satisfies readonly Series[];

interface HealthProps {
  /** The endpoint. Without it, all endpoints of the team are shown. */
  endpointId?: string;
}

/** How attempts ended and how long they took, over time. */
export const Health = ({ endpointId }: HealthProps) => {
  const [period, setPeriod] = useState<Period>('7d');
  const [asTable, setAsTable] = useState(false);
  const { starts, wanted, points, labels } = useIntervals(period);
  const outcomes = outcomeSeries();
  const percentiles = percentileSeries();
  const query = useQuery(
    app.webhookHistory.health.queryOptions(
      { ...wanted, ...(endpointId !== undefined && { endpoint_id: endpointId }) },
      { placeholderData: keepPreviousData },
    ),
  );
  const { data } = query;
  const shown = data?.intervals.length === starts.length ? data : undefined;
  const { delivered, failed, p50_ms, p95_ms } = shown?.total ?? { delivered: 0, failed: 0, p50_ms: null, p95_ms: null };
  const all = delivered + failed;
  const none = '–';
  const time = (name: string, ms: number | null) => ({ name, value: ms === null ? none : milliseconds(ms) });
  const heading = t('Zeit', 'Time');
  const share =
    all === 0 ? none : (delivered / all).toLocaleString(locale(), { style: 'percent', maximumFractionDigits: 2 });
  const attempts = t('Zustellversuche', 'Delivery attempts');
  const times = t('Antwortzeit', 'Response time');
  const intervals = shown?.intervals ?? [];
  const latencies = intervals.map((one) => ({ p50_ms: one.p50_ms, p95_ms: one.p95_ms }));
  return (
    <Panel
      title={t('Zustellstatistik', 'Delivery statistics')}
      actions={
        <Group gap="xs">
          <PeriodChoice names={periodNames()} value={period} onChange={setPeriod} />
          <TableSwitch asTable={asTable} onChange={setAsTable} />
        </Group>
      }
    >
      <ChartState
        height={420}
        pending={shown ? undefined : query}
        empty={
          all === 0
            ? endpointId === undefined
              ? t('Keine Zustellungen in diesem Zeitraum.', 'No deliveries in this period.')
              : t(
                  'Keine Zustellungen in diesem Zeitraum. Prüfen Sie die Verbindung mit einem Testereignis.',
                  'No deliveries in this period. Send a test event to check the connection.',
                )
            : undefined
        }
      >
        <Stack gap="lg">
          <Facts
            sideBySide
            facts={[
              { name: attempts, value: number(all) },
              { name: t('Erfolgsquote', 'Success rate'), value: share },
              ...(all === 1
                ? [time(times, p50_ms)]
                : [
                    time(t('Antwortzeit p50', 'Response time p50'), p50_ms),
                    time(t('Antwortzeit p95', 'Response time p95'), p95_ms),
                  ]),
            ]}
          />
          <Stack gap="xs">
            <Text size="sm" fw={600}>
              {attempts}
            </Text>
            <BarChart
              label={attempts}
              heading={heading}
              height={180}
              series={outcomes}
              points={points}
              values={intervals.map((one) => ({ delivered: one.delivered, failed: one.failed }))}
              labels={labels}
              asTable={asTable}
            />
            <Legend series={outcomes} values={{ delivered: number(delivered), failed: number(failed) }} />
          </Stack>
          {/* With a single interval, the chart would show the same times as the text above. */}
          {isLine(latencies) && (
            <Stack gap="xs">
              <Text size="sm" fw={600}>
                {times}
              </Text>
              <LineChart
                label={times}
                heading={heading}
                height={160}
                series={percentiles}
                points={points}
                values={latencies}
                labels={labels}
                format={milliseconds}
                none={none}
                asTable={asTable}
              />
              <Legend series={percentiles} />
            </Stack>
          )}
        </Stack>
      </ChartState>
    </Panel>
  );
};
