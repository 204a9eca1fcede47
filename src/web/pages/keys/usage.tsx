import { BarChart } from '@mantine/charts';
import '@mantine/charts/styles.css';
import { Box, Group, SegmentedControl, SimpleGrid, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import type { KeyDay } from '../../../modules/keys/schema.ts';
import { Day } from '../../kit/formats.tsx';
import { Empty, ProblemAlert } from '../../kit/messages.tsx';
import { Panel } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table.tsx';
import type { Column } from '../../kit/table.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';

type Count = Exclude<keyof KeyDay, 'day'>;
const counts = ['requests', 'refused', 'limited', 'failed'] as const satisfies readonly Count[];

const useCountNames = (): Record<Count, string> => {
  const t = useText();
  return {
    requests: t('Anfragen', 'Requests'),
    refused: t('Abgelehnt (4xx)', 'Refused (4xx)'),
    limited: t('Gebremst (429)', 'Limited (429)'),
    failed: t('Fehlgeschlagen (5xx)', 'Failed (5xx)'),
  };
};

const sumOf = (days: readonly KeyDay[], count: Count): number => days.reduce((sum, day) => sum + day[count], 0);

const Sums = ({ days }: { days: readonly KeyDay[] }) => {
  const names = useCountNames();
  const locale = useLocale();
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} mb="lg">
      {counts.map((count) => (
        <div key={count}>
          <Text size="xs" c="dimmed">
            {names[count]}
          </Text>
          <Text fw={650} size="lg">
            {sumOf(days, count).toLocaleString(locale)}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
};

const Chart = ({ days }: { days: readonly KeyDay[] }) => {
  const t = useText();
  const locale = useLocale();
  const names = useCountNames();
  const data = days.map(({ day, requests, ...others }) => ({
    day: new Date(day).toLocaleDateString(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
    answered: requests - others.refused - others.limited - others.failed,
    ...others,
  }));
  return (
    <Box role="img" aria-label={t('Anfragen je Tag als Diagramm', 'Requests a day as a chart')}>
      <BarChart
        h={240}
        data={data}
        dataKey="day"
        type="stacked"
        withLegend
        legendProps={{ itemSorter: null }}
        maxBarWidth={28}
        valueFormatter={(value) => value.toLocaleString(locale)}
        series={[
          { name: 'answered', label: t('Beantwortet', 'Answered'), color: 'brand.5' },
          { name: 'refused', label: names.refused, color: 'orange.6' },
          { name: 'limited', label: names.limited, color: 'gray.6' },
          { name: 'failed', label: names.failed, color: 'red.8' },
        ]}
        barProps={{ isAnimationActive: false }}
        barChartProps={{ accessibilityLayer: false }}
        yAxisProps={{ allowDecimals: false, width: 44 }}
      />
    </Box>
  );
};

const DayTable = ({ days }: { days: readonly KeyDay[] }) => {
  const t = useText();
  const locale = useLocale();
  const names = useCountNames();
  const columns: Column<KeyDay>[] = [
    { label: t('Tag (UTC)', 'Day (UTC)'), cell: ({ day }) => <Day on={day} /> },
    ...counts.map((count): Column<KeyDay> => ({
      label: names[count],
      align: 'end',
      cell: (day) => day[count].toLocaleString(locale),
    })),
  ];
  return (
    <DataTable
      label={t('Anfragen je Tag', 'Requests a day')}
      columns={columns}
      rows={days.toReversed()}
      keyOf={({ day }) => day}
      empty={null}
    />
  );
};

const reaches = ['7', '30', '90'];

/** The requests with a key, by day and outcome. */
export const UsagePanel = ({ keyId }: { keyId: string }) => {
  const t = useText();
  const [reach, setReach] = useState('30');
  const [form, setForm] = useState('chart');
  const { data, error, refetch } = app.useQuery(
    'keys.usage',
    { key_id: keyId, days: Number(reach) },
    { keepPrevious: true },
  );
  const isQuiet = data !== undefined && sumOf(data.days, 'requests') === 0;
  return (
    <Panel
      title={t('Nutzung', 'Usage')}
      actions={
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label={t('Zeitraum', 'Period')}
            value={reach}
            onChange={setReach}
            data={reaches.map((days) => ({ value: days, label: t(`${days} Tage`, `${days} days`) }))}
          />
          <SegmentedControl
            size="xs"
            aria-label={t('Darstellung', 'Shown as')}
            value={form}
            onChange={setForm}
            data={[
              { value: 'chart', label: t('Diagramm', 'Chart') },
              { value: 'table', label: t('Tabelle', 'Table') },
            ]}
          />
        </Group>
      }
    >
      {data === undefined && error !== null && <ProblemAlert error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && (
        <Skeleton height={240} role="status" aria-label={t('Wird geladen', 'Loading')} />
      )}
      {isQuiet && (
        <Empty title={t('Keine Anfragen in dieser Zeit', 'No requests in this time')}>
          {t(
            'Anfragen mit diesem Schlüssel erscheinen hier innerhalb von Sekunden.',
            'Requests with this key appear here within seconds.',
          )}
        </Empty>
      )}
      {data !== undefined && !isQuiet && (
        <>
          <Sums days={data.days} />
          {form === 'chart' ? <Chart days={data.days} /> : <DayTable days={data.days} />}
        </>
      )}
    </Panel>
  );
};
