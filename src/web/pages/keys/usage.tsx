import { Group, SegmentedControl, SimpleGrid, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { KeyDay } from '../../../modules/keys/schema.ts';
import { DaysChart, OutcomeLegend } from '../../kit/charts/outcomes.tsx';
import { TableSwitch } from '../../kit/charts/parts.tsx';
import { CsvButton } from '../../kit/list-tools.tsx';
import { Empty } from '../../kit/messages.tsx';
import { Panel, Pending } from '../../kit/page.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';

type Count = Exclude<keyof KeyDay, 'day'>;
const counts = ['requests', 'refused', 'limited', 'failed'] as const satisfies readonly Count[];

const useCountNames = (): Record<Count, string> => {
  const t = useText();
  return {
    requests: t('Anfragen', 'Requests'),
    refused: t('Abgelehnt (4xx)', 'Rejected (4xx)'),
    limited: t('Rate-Limit (429)', 'Rate limited (429)'),
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

/** In days. */
const periods = ['7', '30', '90'];

/** The requests with a key, by day and outcome. */
export const UsagePanel = ({ keyId }: { keyId: string }) => {
  const t = useText();
  const [period, setPeriod] = useState('30');
  const [asTable, setAsTable] = useState(false);
  const query = useQuery(
    app.keys.usage.queryOptions({ key_id: keyId, days: Number(period) }, { placeholderData: keepPreviousData }),
  );
  const names = useCountNames();
  const { data } = query;
  const isQuiet = data !== undefined && sumOf(data.days, 'requests') === 0;
  return (
    <Panel
      title={t('Nutzung', 'Usage')}
      actions={
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label={t('Zeitraum', 'Period')}
            value={period}
            onChange={setPeriod}
            data={periods.map((days) => ({ value: days, label: t(`${days} Tage`, `${days} days`) }))}
          />
          <TableSwitch asTable={asTable} onChange={setAsTable} />
          <CsvButton
            label={t('Nutzung', 'Usage')}
            rows={data?.days}
            columns={[
              { label: t('Tag (UTC)', 'Day (UTC)'), value: ({ day }) => day },
              ...counts.map((count) => ({ label: names[count], value: (day: KeyDay) => day[count] })),
            ]}
          />
        </Group>
      }
    >
      {!data && <Pending query={query} height={240} />}
      {isQuiet && (
        <Empty title={t('Keine Anfragen in diesem Zeitraum', 'No requests in this period')}>
          {t('Neue Anfragen erscheinen hier innerhalb weniger Sekunden.', 'New requests appear here within seconds.')}
        </Empty>
      )}
      {data !== undefined && !isQuiet && (
        <>
          <Sums days={data.days} />
          <DaysChart
            label={t('Anfragen pro Tag', 'Requests per day')}
            days={data.days}
            steps={[1, 2, 5, 7, 10, 15, 30]}
            asTable={asTable}
          />
          {!asTable && <OutcomeLegend />}
        </>
      )}
    </Panel>
  );
};
