import { Button, Group, Stack, Switch } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { Hint } from '../../kit/text/text.tsx';
import { BarChart } from '../../kit/charts/bar-chart.tsx';
import { OutcomeLegend, requestOutcomes } from '../../kit/charts/outcomes.tsx';
import { ChartState, TableSwitch } from '../../kit/charts/parts.tsx';
import { PeriodChoice, periodNames, useIntervals } from '../../kit/charts/period.tsx';
import { spanOf, type Period, type Span } from '../../kit/charts/periods.ts';
import { isEmptyList } from '../../kit/list/list-rules.ts';
import { ProblemAlert } from '../../kit/page/messages.tsx';
import { Page, Panel } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import { app, client, nextPage, usePages } from '../../server/server.ts';
import { isSearch } from './filter-values.ts';
import { RequestFilterBar, timeNames, useRequestFilter } from './request-filters.tsx';
import { RequestTable } from './request-table.tsx';

const refreshMs = 5_000;

export default function RequestsPage() {
  const filter = useRequestFilter();
  const { filters, query } = filter;
  const queries = useQueryClient();
  const [isLive, setLive] = useState(false);
  const list = usePages(
    app.requests.list.infiniteQueryOptions(query, { ...nextPage, refetchInterval: isLive && refreshMs }),
  );
  const { rows, hasNextPage, isFetchingNextPage, isRefetching, error } = list;
  const loadOlder = () => {
    // Rows that the reader is looking at must not move.
    setLive(false);
    return list.fetchNextPage();
  };
  const isUnfinished = isSearch(query) && hasNextPage;
  return (
    <Page
      title={t('Anfragen', 'Request log')}
      actions={
        <Group gap="md">
          <Switch
            label={t('Automatisch aktualisieren', 'Auto-refresh')}
            checked={isLive}
            onChange={() => setLive(!isLive)}
          />
          <Button
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={isRefetching && !isFetchingNextPage && !isLive}
            onClick={() => void queries.refetchQueries({ type: 'active' })}
          >
            {t('Aktualisieren', 'Refresh')}
          </Button>
        </Group>
      }
    >
      <RequestFilterBar filters={filters} rows={rows}>
        {/* One request needs no chart, and a team without requests has none. */}
        {query.request_id === undefined && !isEmptyList(rows, filters) && <RequestVolume {...filter} isLive={isLive} />}
        {rows && !isUnfinished && <ProblemAlert error={error} retry={() => void list.refetch()} />}
        <RequestTable
          label={t('Anfragen', 'Requests')}
          csv={{ read: (page) => client.app.requests.list.query({ ...query, ...page }) }}
          list={{ ...list, fetchNextPage: loadOlder }}
          withKey
          filters={{ ...filters, what: t('Anfragen', 'requests') }}
          none={t('Noch keine Anfragen', 'No requests yet')}
          hint={t(
            'API-Anfragen Ihres Teams erscheinen hier innerhalb weniger Sekunden.',
            'Your team’s API requests appear here within seconds.',
          )}
          action={
            <Button variant="filled" component={Link} to="/keys">
              {t('API-Schlüssel öffnen', 'Open API keys')}
            </Button>
          }
          search={{ isUnfinished, filters: query }}
        />
      </RequestFilterBar>
    </Page>
  );
}

/** The chart is so low that the first requests are visible without scrolling. */
const height = 120;

const dateOf = (text: string | undefined): Date | undefined => (text === undefined ? undefined : new Date(text));

type RequestFilter = ReturnType<typeof useRequestFilter>;

/**
 * The number of requests over time. The list has the same period, and a span that is selected in the chart becomes the
 * list's time filter.
 */
const RequestVolume = ({ filters, query, period, times, isLive }: RequestFilter & { isLive: boolean }) => {
  const series = requestOutcomes();
  const { since: _since, until: _until, request_id: _one, ...filter } = query;
  const range = { since: dateOf(times.since), until: dateOf(times.until) };
  const [asTable, setAsTable] = useState(false);
  const { starts, wanted, points, labels } = useIntervals(period);
  const volume = useQuery(
    app.requests.volume.queryOptions(
      { ...filter, ...wanted },
      { placeholderData: keepPreviousData, ...(isLive && { refetchInterval: refreshMs }) },
    ),
  );
  const { data } = volume;
  // If there were no requests, the answer has no intervals. An answer with another number of intervals belongs to
  // another period.
  const values = data && [0, starts.length].includes(data.data.length) ? data.data : undefined;
  const isQuiet = values?.every((one) => series.every(({ key }) => one[key] === 0)) ?? true;
  const show = (next: Period, span: Span | null) => {
    for (const name of timeNames) filters.set(name, null);
    filters.set('period', next);
    if (span === null) return;
    filters.set('since', starts[span.from]?.toISOString() ?? null);
    filters.set('until', starts[span.to + 1]?.toISOString() ?? null);
  };
  const select = (span: Span | null) => show(period, span);
  return (
    <Panel
      title={t('Anfragen im Zeitverlauf', 'Requests over time')}
      actions={
        <Group gap="xs">
          <PeriodChoice names={periodNames()} value={period} onChange={(next) => show(next, null)} />
          <TableSwitch asTable={asTable} onChange={setAsTable} />
        </Group>
      }
    >
      <Stack gap="sm">
        <ChartState
          height={height}
          pending={values ? undefined : volume}
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
            <OutcomeLegend counts={values ?? []} />
            {times.since === undefined && times.until === undefined ? (
              <Hint size="xs">
                {t(
                  'Ziehen Sie über eine Zeitspanne, um die Liste zu filtern.',
                  'Drag over a time span to filter the list.',
                )}
              </Hint>
            ) : (
              <Button size="compact-sm" onClick={() => select(null)}>
                {t('Zeitspanne aufheben', 'Clear the time span')}
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Panel>
  );
};
