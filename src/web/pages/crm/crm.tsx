import { Anchor, Button, Stack, Tabs, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Connection } from '../../../modules/crm/schema.ts';
import { isKeyOf, useFilters } from '../../kit/filters.tsx';
import { Empty } from '../../kit/messages.tsx';
import { Page } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { NoApiNotice, useHasApi } from '../../session/signed-in.tsx';
import { ConnectDialog } from './connect-dialog.tsx';
import {
  ConnectionStatus,
  FeedPlace,
  isBusy,
  LastSync,
  NextSync,
  Progress,
  ProviderMark,
  Quiet,
  useConnectionName,
  useProviderName,
} from './connection-words.tsx';
import classes from './crm.module.css';
import { DealList, ObjectionList } from './deals.tsx';

export default function CrmPage() {
  const t = useText();
  const hasApi = useHasApi();
  const { data, error, refetch } = useConnections();
  const { valueOf, set } = useFilters('view');
  const [connecting, setConnecting] = useState(false);
  const views = {
    connections: t('Verbindungen', 'Connections'),
    deals: 'Deals',
    objections: t('Einwände', 'Objections'),
  };
  const wanted = valueOf('view');
  const view = isKeyOf(views, wanted) ? wanted : 'connections';
  const connections = data?.data;
  const connect = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} disabled={!hasApi} onClick={() => setConnecting(true)}>
      {t('CRM verbinden', 'Connect a CRM')}
    </Button>
  );
  const panels = {
    connections: (
      <ConnectionList connections={connections} error={error} retry={() => void refetch()} connect={connect} />
    ),
    deals: <DealList connections={connections ?? []} />,
    objections: <ObjectionList connections={connections ?? []} />,
  };
  return (
    <Page
      title="CRM"
      lead={t(
        'Deals und Einwände aus Ihrem CRM, regelmäßig abgeglichen.',
        'Deals and objections from your CRM, synced regularly.',
      )}
      actions={connections && connections.length > 0 ? connect : undefined}
    >
      <NoApiNotice about="crm" />
      <Tabs
        value={view}
        onChange={(chosen) => set('view', chosen === 'connections' ? null : chosen)}
        keepMounted={false}
      >
        <Tabs.List aria-label={t('Ansichten', 'Views')}>
          {Object.entries(views).map(([value, name]) => (
            <Tabs.Tab key={value} value={value}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(panels).map(([value, panel]) => (
          <Tabs.Panel key={value} value={value} pt="md">
            {panel}
          </Tabs.Panel>
        ))}
      </Tabs>
      <ConnectDialog opened={connecting} onClose={() => setConnecting(false)} />
    </Page>
  );
}

const Name = ({ connection }: { connection: Connection }) => {
  const providerName = useProviderName();
  const nameOf = useConnectionName();
  return (
    <span className={classes['named']}>
      <ProviderMark provider={connection.provider} />
      <span>
        <Anchor
          component={Link}
          to={`/crm/${connection.connection_id}`}
          fw={600}
          size="sm"
          style={{ overflowWrap: 'anywhere' }}
        >
          {nameOf(connection)}
        </Anchor>
        {connection.label !== null && (
          <Text span display="block" size="xs" c="dimmed" fw={400}>
            {providerName(connection.provider)}
          </Text>
        )}
        <FeedPlace connection={connection} />
      </span>
    </span>
  );
};

const State = ({ connection }: { connection: Connection }) => (
  <Stack gap={2} align="inherit">
    <span>
      <ConnectionStatus connection={connection} />
    </span>
    {connection.running && (
      <Quiet>
        <Progress running={connection.running} />
      </Quiet>
    )}
  </Stack>
);

interface ConnectionListProps {
  connections: readonly Connection[] | undefined;
  error: unknown;
  retry: () => void;
  /** The button that connects another one. */
  connect: ReactNode;
}

/** The team's connections with their state. */
const ConnectionList = ({ connections, error, retry, connect }: ConnectionListProps) => {
  const t = useText();
  const locale = useLocale();
  return (
    <DataTable
      label={t('Verbindungen', 'Connections')}
      rows={connections}
      error={error}
      retry={retry}
      keyOf={({ connection_id }) => connection_id}
      columns={[
        { label: t('Verbindung', 'Connection'), cell: (connection) => <Name connection={connection} /> },
        { label: t('Zustand', 'State'), cell: (connection) => <State connection={connection} /> },
        { label: t('Letzter Abgleich', 'Last sync'), cell: (connection) => <LastSync connection={connection} /> },
        { label: t('Nächster Abgleich', 'Next sync'), cell: (connection) => <NextSync connection={connection} /> },
        { label: 'Deals', align: 'end', cell: ({ deals }) => deals.toLocaleString(locale) },
        {
          label: t('Einwände', 'Objections'),
          align: 'end',
          cell: ({ objections }) => objections.toLocaleString(locale),
        },
      ]}
      empty={
        <Empty title={t('Noch kein CRM verbunden', 'No CRM connected yet')} action={connect}>
          {t(
            'Mit einer Verbindung übernehmen wir die Deals und Einwände aus Ihrem CRM und halten sie aktuell. Ihre Programme lesen sie über GET\u00a0/crm/deals und GET\u00a0/crm/objections. Ihr CRM wird nur gelesen. Sie brauchen ein Zugriffstoken von HubSpot oder Pipedrive, oder die Adresse eines eigenen Feeds.',
            'With a connection we copy the deals and objections of your CRM and keep them up to date. Your programs read them with GET\u00a0/crm/deals and GET\u00a0/crm/objections. Your CRM is only read. You need an access token of HubSpot or Pipedrive, or the URL of a feed of your own.',
          )}
        </Empty>
      }
    />
  );
};

const busyMs = 1_500;
const idleMs = 30_000;

const pauseUntilRefetch = (connections: readonly Connection[]): number | false => {
  if (connections.some(isBusy)) return busyMs;
  return connections.some(({ next_sync_at }) => next_sync_at !== null) ? idleMs : false;
};

/** Reloads everything on the page when a sync ends: its runs, deals and objections. */
const useRefreshAfterSync = (connections: readonly Connection[] | undefined): void => {
  const queries = useQueryClient();
  const before = useRef<string>(undefined);
  const ended = connections?.map(({ connection_id, last_sync_at }) => `${connection_id} ${last_sync_at ?? ''}`).join();
  useEffect(() => {
    if (ended === undefined) return;
    if (before.current !== undefined && before.current !== ended) void queries.invalidateQueries();
    before.current = ended;
  }, [ended, queries]);
};

/** The team's connections, polled while one of them syncs. */
const useConnections = () => {
  const answer = app.useQuery('crm.connections', {}, { refetchInterval: ({ data }) => pauseUntilRefetch(data) });
  useRefreshAfterSync(answer.data?.data);
  return answer;
};

/** One connection, polled in the same way. */
export const useConnection = (connection_id: string, { enabled }: { enabled: boolean }) => {
  const answer = app.useQuery(
    'crm.connection',
    { connection_id },
    { enabled, refetchInterval: (connection) => pauseUntilRefetch([connection]) },
  );
  useRefreshAfterSync(answer.data && [answer.data]);
  return answer;
};
