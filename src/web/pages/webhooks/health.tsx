import { BarChart, LineChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { Box, Button, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Day as HealthDay } from '../../../modules/webhooks/schema.ts';
import { Facts } from '../../kit/facts.tsx';
import { Day } from '../../kit/formats.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { Panel } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useMilliseconds } from './words.tsx';

interface Sums {
  delivered: number;
  failed: number;
}

const sumsOf = (days: readonly HealthDay[]): Sums => ({
  delivered: days.reduce((sum, { delivered }) => sum + delivered, 0),
  failed: days.reduce((sum, { failed }) => sum + failed, 0),
});

const meanOf = (days: readonly HealthDay[], { delivered, failed }: Sums): number | undefined =>
  delivered + failed === 0
    ? undefined
    : Math.round(
        days.reduce((sum, day) => sum + (day.mean_ms ?? 0) * (day.delivered + day.failed), 0) / (delivered + failed),
      );

const Charts = ({ days, label }: { days: readonly HealthDay[]; label: string }) => {
  const t = useText();
  const locale = useLocale();
  const short = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'numeric', timeZone: 'UTC' });
  const data = days.map((day) => ({ ...day, day: short.format(new Date(day.day)) }));
  const shared = { data, dataKey: 'day', withLegend: true, legendProps: { verticalAlign: 'bottom' as const } };
  return (
    <Stack gap="lg" role="img" aria-label={label}>
      <Box aria-hidden>
        <Text size="sm" fw={600} mb="xs">
          {t('Zustellversuche am Tag', 'Attempts a day')}
        </Text>
        <BarChart
          {...shared}
          h={220}
          type="stacked"
          maxBarWidth={22}
          barChartProps={{ accessibilityLayer: false }}
          yAxisProps={{ allowDecimals: false, width: 40 }}
          series={[
            { name: 'delivered', label: t('Zugestellt', 'Delivered'), color: 'teal.6' },
            { name: 'failed', label: t('Fehlgeschlagen', 'Failed'), color: 'red.6' },
          ]}
        />
      </Box>
      <Box aria-hidden>
        <Text size="sm" fw={600} mb="xs">
          {t('Antwortzeit in Millisekunden', 'Time to answer in milliseconds')}
        </Text>
        <LineChart
          {...shared}
          h={160}
          curveType="linear"
          lineChartProps={{ accessibilityLayer: false }}
          yAxisProps={{ allowDecimals: false, width: 48 }}
          series={[
            { name: 'mean_ms', label: t('Mittel', 'Mean'), color: 'brand.5' },
            { name: 'slowest_ms', label: t('Langsamste', 'Slowest'), color: 'gray.6' },
          ]}
        />
      </Box>
    </Stack>
  );
};

const Table = ({ days, label }: { days: readonly HealthDay[]; label: string }) => {
  const t = useText();
  const locale = useLocale();
  const duration = useMilliseconds();
  const none = '–';
  return (
    <DataTable
      label={label}
      rows={days.filter(({ delivered, failed }) => delivered + failed > 0).toReversed()}
      keyOf={({ day }) => day}
      empty={null}
      columns={[
        { label: t('Tag (UTC)', 'Day (UTC)'), cell: ({ day }) => <Day on={day} /> },
        {
          label: t('Zugestellt', 'Delivered'),
          align: 'end',
          cell: ({ delivered }) => delivered.toLocaleString(locale),
        },
        { label: t('Fehlgeschlagen', 'Failed'), align: 'end', cell: ({ failed }) => failed.toLocaleString(locale) },
        {
          label: t('Antwortzeit im Mittel', 'Mean time to answer'),
          align: 'end',
          cell: ({ mean_ms: ms }) => (ms === null ? none : duration(ms)),
        },
        {
          label: t('Langsamste Antwort', 'Slowest answer'),
          align: 'end',
          cell: ({ slowest_ms: ms }) => (ms === null ? none : duration(ms)),
        },
      ]}
    />
  );
};

const History = ({ days, asTable }: { days: readonly HealthDay[]; asTable: boolean }) => {
  const t = useText();
  const locale = useLocale();
  const duration = useMilliseconds();
  const sums = sumsOf(days);
  const all = sums.delivered + sums.failed;
  const mean = meanOf(days, sums);
  if (all === 0 || mean === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {t(
          'Noch wurde ihm nichts gesendet. Ein Test zeigt, ob er erreichbar ist.',
          'Nothing was sent to it yet. A test shows whether it can be reached.',
        )}
      </Text>
    );
  }
  const share = (sums.delivered / all).toLocaleString(locale, { style: 'percent', maximumFractionDigits: 1 });
  const [delivered, failed] = [sums.delivered.toLocaleString(locale), sums.failed.toLocaleString(locale)];
  const label = t(
    `Zustellversuche: ${delivered} zugestellt, ${failed} fehlgeschlagen. Die Zahlen jedes Tages stehen in der Tabelle.`,
    `Attempts: ${delivered} delivered, ${failed} failed. The numbers of each day are in the table.`,
  );
  return (
    <Stack gap="lg">
      <Facts
        sideBySide
        facts={[
          { name: t('Versuche', 'Attempts'), value: all.toLocaleString(locale) },
          { name: t('Zugestellt', 'Delivered'), value: `${delivered} (${share})` },
          { name: t('Fehlgeschlagen', 'Failed'), value: failed },
          { name: t('Antwortzeit im Mittel', 'Mean time to answer'), value: duration(mean) },
        ]}
      />
      {asTable ? (
        <Table days={days} label={t('Zustellversuche am Tag', 'Attempts a day')} />
      ) : (
        <Charts days={days} label={label} />
      )}
    </Stack>
  );
};

/** The attempts and response times of an endpoint, by day. */
export const Health = ({ endpointId }: { endpointId: string }) => {
  const t = useText();
  const { data, error, refetch } = app.useQuery('webhookHistory.days', { endpoint_id: endpointId });
  const [asTable, setAsTable] = useState(false);
  const days = data?.data;
  const count = days?.length ?? 0;
  return (
    <Panel
      title={t('Gesundheit', 'Health')}
      actions={
        <Button variant="default" size="xs" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {t('Als Tabelle', 'As a table')}
        </Button>
      }
    >
      {error && !days && <ProblemAlert error={error} retry={() => void refetch()} />}
      {!error && !days && <Skeleton height={220} />}
      {days && (
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {t(`Die letzten ${count} Tage, nach UTC.`, `The last ${count} days, by UTC.`)}
          </Text>
          <History days={days} asTable={asTable} />
        </Stack>
      )}
    </Panel>
  );
};
