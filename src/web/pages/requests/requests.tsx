import { Button, Group, Switch } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { IconRefresh } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Empty, ProblemAlert } from '../../kit/messages.tsx';
import { Page } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { app, client, nextPage, usePages } from '../../server/server.ts';
import { RequestFilterBar, useRequestFilter } from './request-filters.tsx';
import { RequestTable } from './request-table.tsx';
import { RequestVolume } from './volume.tsx';

const refreshMs = 5_000;

const NoRequests = () => {
  const t = useText();
  return (
    <Empty
      title={t('Noch keine Anfragen', 'No requests yet')}
      action={
        <Button component={Link} to="/keys">
          {t('API-Schlüssel öffnen', 'Open API keys')}
        </Button>
      }
    >
      {t(
        'API-Anfragen Ihres Teams erscheinen hier innerhalb weniger Sekunden.',
        'Your team’s API requests appear here within seconds.',
      )}
    </Empty>
  );
};

export default function RequestsPage() {
  const t = useText();
  const { filters, query } = useRequestFilter();
  const queries = useQueryClient();
  const list = usePages(app.requests.list.infiniteQueryOptions(query, nextPage));
  const { rows, hasNextPage, isFetchingNextPage, isRefetching, error } = list;
  const refreshing = useInterval(() => {
    if (document.visibilityState === 'visible') void list.refetch();
  }, refreshMs);
  /** With filters other than the key, the server searches a limited number of rows for each page. */
  const isSearch = Object.keys(query).some((name) => name !== 'key_id');
  const loadOlder = () => {
    // Rows that the reader is looking at must not move.
    refreshing.stop();
    return list.fetchNextPage();
  };
  const isUnfinished = isSearch && hasNextPage;
  return (
    <Page
      title={t('Anfragen', 'Request log')}
      actions={
        <Group gap="md">
          <Switch
            label={t('Automatisch aktualisieren', 'Auto-refresh')}
            checked={refreshing.active}
            onChange={refreshing.active ? refreshing.stop : refreshing.start}
          />
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={isRefetching && !isFetchingNextPage && !refreshing.active}
            onClick={() => void queries.refetchQueries({ type: 'active' })}
          >
            {t('Aktualisieren', 'Refresh')}
          </Button>
        </Group>
      }
    >
      <RequestFilterBar filters={filters} />
      {/* One request needs no chart, and a team without requests has none. */}
      {query.request_id === undefined && !(rows?.length === 0 && !filters.isSet) && (
        <RequestVolume filters={filters} query={query} isLive={refreshing.active} />
      )}
      {rows && !isUnfinished && <ProblemAlert error={error} retry={() => void list.refetch()} />}
      <RequestTable
        label={t('Anfragen', 'Requests')}
        csv={{ read: (page) => client.app.requests.list.query({ ...query, ...page }) }}
        list={{ ...list, fetchNextPage: loadOlder }}
        withKey
        empty={
          isSearch || filters.isSet ? (
            <Empty title={t('Keine Anfragen entsprechen den Filtern', 'No requests match these filters')}>
              {t('Ändern Sie die Filter oder setzen Sie sie zurück.', 'Change the filters or clear them.')}
            </Empty>
          ) : (
            <NoRequests />
          )
        }
        search={{
          isUnfinished,
          filters: query,
          none: t('Keine Treffer unter den neuesten Anfragen', 'No matches among the newest requests'),
          some: t('Ältere Anfragen wurden noch nicht durchsucht', 'Older requests have not been searched yet'),
          hint: t(
            'Durchsuchen Sie ältere Anfragen oder grenzen Sie den Zeitraum ein.',
            'Search older requests or narrow the time range.',
          ),
        }}
      />
    </Page>
  );
}
