import { Button, Group, Switch } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { IconRefresh } from '@tabler/icons-react';
import { Link } from 'react-router';
import { Empty, ProblemAlert } from '../../kit/messages.tsx';
import { Page } from '../../kit/page.tsx';
import { SearchFurther } from '../../kit/table.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { RequestFilterBar, useRequestFilter } from './request-filters.tsx';
import { RequestTable } from './request-table.tsx';

const refreshMs = 5_000;

const NoRequests = () => {
  const t = useText();
  return (
    <Empty
      title={t('Noch keine Anfrage', 'No request yet')}
      action={
        <Button component={Link} to="/keys">
          {t('Zu den API-Schlüsseln', 'To the API keys')}
        </Button>
      }
    >
      {t(
        'Jede Anfrage mit einem Schlüssel Ihres Teams steht hier innerhalb von Sekunden.',
        'Every request with a key of your team shows here within seconds.',
      )}
    </Empty>
  );
};

export default function RequestsPage() {
  const t = useText();
  const { filters, query } = useRequestFilter();
  const list = app.usePages('requests.list', query);
  const { rows, hasNextPage, isFetchingNextPage, isRefetching, error } = list;
  const refreshing = useInterval(() => {
    if (document.visibilityState === 'visible') void list.refetch();
  }, refreshMs);
  /** With filters other than the key, the server searches a limited number of rows for each page. */
  const isSearch = Object.keys(query).some((name) => name !== 'key_id');
  const loadOlder = () => {
    // Older rows must not move while somebody reads them.
    refreshing.stop();
    return list.fetchNextPage();
  };
  const isUnfinished = isSearch && hasNextPage;
  return (
    <Page
      title={t('Anfragen', 'Request log')}
      lead={t(
        'Alle Anfragen mit den Schlüsseln Ihres Teams und die Antworten darauf, die neuesten zuerst.',
        'All requests with your team’s keys and the answers to them, newest first.',
      )}
      actions={
        <Group gap="md">
          <Switch
            label={t('Laufend aktualisieren', 'Keep up to date')}
            checked={refreshing.active}
            onChange={refreshing.active ? refreshing.stop : refreshing.start}
          />
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={isRefetching && !isFetchingNextPage && !refreshing.active}
            onClick={() => void list.refetch()}
          >
            {t('Aktualisieren', 'Refresh')}
          </Button>
        </Group>
      }
    >
      <RequestFilterBar filters={filters} />
      {rows && <ProblemAlert error={error} retry={() => void list.refetch()} />}
      {!(isUnfinished && rows?.length === 0) && (
        <RequestTable
          label={t('Anfragen', 'Requests')}
          rows={rows}
          error={error}
          retry={() => void list.refetch()}
          withKey
          {...(!isSearch && { more: { hasNextPage, isFetchingNextPage, fetchNextPage: loadOlder } })}
          empty={
            isSearch || filters.isSet ? (
              <Empty title={t('Keine Anfragen entsprechen den Filtern', 'No requests match these filters')}>
                {t('Ändern Sie den Filter oder heben Sie ihn auf.', 'Change the filters or clear them.')}
              </Empty>
            ) : (
              <NoRequests />
            )
          }
        />
      )}
      {isUnfinished && (
        <SearchFurther
          key={JSON.stringify(query)}
          none={t('Unter den neuesten Anfragen ist keine passende', 'None of the newest requests matches')}
          some={t('Weiter zurück wurde noch nicht gesucht', 'Older requests have not been searched yet')}
          hint={t(
            'Ältere Anfragen können passen. Mit einem Zeitraum im Filter geht die Suche schneller.',
            'Older requests may match. A time range in the filter makes the search faster.',
          )}
          found={rows?.length ?? 0}
          hasNextPage={hasNextPage}
          isFetchingNextPage={isFetchingNextPage}
          fetchNextPage={loadOlder}
          failed={error !== null}
        />
      )}
    </Page>
  );
}
