import { Code, Group, List, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { KeyDay } from '../../../modules/keys/schema.ts';
import type { KeyUses } from '../../../modules/requests/schema.ts';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { DaysChart, OutcomeLegend } from '../../kit/charts/outcomes.tsx';
import { TableSwitch } from '../../kit/charts/parts.tsx';
import { PeriodChoice } from '../../kit/charts/period.tsx';
import { Facts } from '../../kit/page/facts.tsx';
import { number, sumOf } from '../../kit/text/figures.ts';
import { Time } from '../../kit/text/formats.tsx';
import { CsvButton } from '../../kit/list/list-tools.tsx';
import { Empty } from '../../kit/page/messages.tsx';
import { Panel, Pending } from '../../kit/page/page.tsx';
import { DataTable, type Column } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { Route } from '../requests/request-parts.tsx';
import { moreRoutesText, noRoutesText, othersText, requestsText } from './figures.ts';
import { requestsTo, routeName } from './route-use.ts';

type RouteUse = KeyUses['routes'][number];
type KeyCaller = KeyUses['callers'][number];

const routeColumns = (keyId: string): readonly Column<RouteUse>[] => [
  {
    label: t('Route', 'Route'),
    cell: (use) => (
      <TextLink to={requestsTo(keyId, use)} ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        <Route text={routeName(use)} />
      </TextLink>
    ),
  },
  { label: t('Anfragen', 'Requests'), align: 'end', cell: ({ requests }) => number(requests) },
  { label: t('Abgelehnt', 'Rejected'), align: 'end', cell: ({ refused }) => number(refused) },
  { label: t('Rate-Limit', 'Rate limited'), align: 'end', cell: ({ limited }) => number(limited) },
  { label: t('Fehlgeschlagen', 'Failed'), align: 'end', cell: ({ failed }) => number(failed) },
  { label: t('Zuletzt', 'Last request'), value: ({ last_used_at }) => last_used_at, cell: 'time' },
];

const callerColumns = (): readonly Column<KeyCaller>[] => [
  { label: t('IP-Adresse', 'IP address'), cell: ({ address }) => <Code>{address}</Code> },
  {
    label: 'User-Agent',
    cell: ({ user_agent: agent }) => <span style={{ overflowWrap: 'anywhere' }}>{agent ?? '–'}</span>,
  },
  { label: t('Anfragen', 'Requests'), align: 'end', cell: ({ requests }) => number(requests) },
  { label: t('Zuletzt', 'Last request'), value: ({ last_used_at }) => last_used_at, cell: 'time' },
];

/** The use of a key: its requests by route, and the programs that sent the newest of them. */
export const UsesPanel = ({ keyId }: { keyId: string }) => {
  const query = useQuery(app.requests.ofKey.queryOptions({ key_id: keyId }));
  const { data } = query;
  const days = data?.days ?? 30;
  return (
    <Panel title={t('Aufgerufene Routen', 'Routes called')}>
      {!data && <Pending query={query} height={160} />}
      {data && (
        <Stack gap="md">
          <Hint>
            {t(
              `Anfragen der letzten ${days} Tage nach Route. Diese Aufrufe schlagen fehl, wenn Sie den Schlüssel widerrufen.`,
              `Requests of the last ${days} days by route. These calls will fail if you revoke the key.`,
            )}
          </Hint>
          <DataTable
            label={t('Anfragen nach Route', 'Requests by route')}
            columns={routeColumns(keyId)}
            list={{ rows: data.routes }}
            keyOf={({ method, route }) => `${method} ${route ?? ''}`}
            none={noRoutesText({ others: data.other_requests, days })}
          />
          {data.other_requests > 0 && (
            <Hint>
              {t('Dazu kommen ', 'In addition: ')}
              {othersText(data.other_requests)}.
            </Hint>
          )}
          {data.callers.length > 0 && (
            <>
              <Title order={3} size="h5">
                {t('Letzte Aufrufer', 'Latest callers')}
              </Title>
              <DataTable
                label={t('Letzte Aufrufer', 'Latest callers')}
                columns={callerColumns()}
                list={{ rows: data.callers }}
                keyOf={({ address, user_agent: agent }) => `${address} ${agent ?? ''}`}
              />
            </>
          )}
        </Stack>
      )}
    </Panel>
  );
};

/** The maximum number of calls and callers in the confirmation before a key is revoked. */
const named = 5;

export const WouldBreak = ({ keyId }: { keyId: string }) => {
  const { data } = useQuery(app.requests.ofKey.queryOptions({ key_id: keyId }));
  if (!data) return null;
  const { routes, callers, days, other_requests: others } = data;
  if (routes.length === 0 && others === 0) {
    return (
      <Text size="sm" mt="xs">
        {t(`In den letzten ${days} Tagen wurde er nicht verwendet.`, `It was not used in the last ${days} days.`)}
      </Text>
    );
  }
  const more = routes.length - named;
  return (
    <Stack gap={4} mt="xs">
      <Text size="sm" fw={600}>
        {t(
          `Diese Aufrufe der letzten ${days} Tage schlagen danach fehl:`,
          `These calls of the last ${days} days will fail:`,
        )}
      </Text>
      <List size="sm">
        {routes.slice(0, named).map((use) => (
          <List.Item key={`${use.method} ${use.route ?? ''}`}>
            <Code>{routeName(use)}</Code> {requestsText(use.requests)}
            {t(', zuletzt ', ', last ')}
            <Time at={use.last_used_at} />
          </List.Item>
        ))}
        {others > 0 && <List.Item>{othersText(others)}</List.Item>}
        {more > 0 && <List.Item>{moreRoutesText(more)}</List.Item>}
      </List>
      {callers[0] && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {t('Letzter Aufrufer: ', 'Latest caller: ')}
          {callers[0].address}
          {callers[0].user_agent !== null && ` (${callers[0].user_agent})`}.
        </Text>
      )}
    </Stack>
  );
};

type Count = Exclude<keyof KeyDay, 'day'>;
const counts = ['requests', 'refused', 'limited', 'failed'] as const satisfies readonly Count[];

const countNames = (): Record<Count, string> => ({
  requests: t('Anfragen', 'Requests'),
  refused: t('Abgelehnt (4xx)', 'Rejected (4xx)'),
  limited: t('Rate-Limit (429)', 'Rate limited (429)'),
  failed: t('Fehlgeschlagen (5xx)', 'Failed (5xx)'),
});

/** The names of the periods, by their days. */
const periodNames = () => ({
  7: t('7 Tage', '7 days'),
  30: t('30 Tage', '30 days'),
  90: t('90 Tage', '90 days'),
});

export const UsagePanel = ({ keyId }: { keyId: string }) => {
  const [period, setPeriod] = useState<'7' | '30' | '90'>('30');
  const [asTable, setAsTable] = useState(false);
  const query = useQuery(
    app.keys.usage.queryOptions({ key_id: keyId, days: Number(period) }, { placeholderData: keepPreviousData }),
  );
  const names = countNames();
  const { data } = query;
  const isQuiet = data !== undefined && sumOf(data.days, 'requests') === 0;
  return (
    <Panel
      title={t('Nutzung', 'Usage')}
      actions={
        <Group gap="xs">
          <PeriodChoice names={periodNames()} value={period} onChange={setPeriod} />
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
        <Stack gap="sm">
          <Facts
            sideBySide
            facts={counts.map((count) => ({ name: names[count], value: number(sumOf(data.days, count)) }))}
          />
          <DaysChart
            label={t('Anfragen pro Tag', 'Requests per day')}
            days={data.days}
            steps={[1, 2, 5, 7, 10, 15, 30]}
            asTable={asTable}
          />
          {!asTable && <OutcomeLegend />}
        </Stack>
      )}
    </Panel>
  );
};
