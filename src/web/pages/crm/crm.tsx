import { Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode } from 'react';
import type { Connection } from '../../../modules/crm/schema.ts';
import { TextLink } from '../../kit/text/text.tsx';
import { Lines, TextInCell } from '../../kit/text/cut.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { WaitingDrafts } from '../../kit/form/waiting-drafts.tsx';
import { CreateButton } from '../../kit/page/create-button.tsx';
import { Page } from '../../kit/page/page.tsx';
import { DataTable, type List } from '../../kit/list/table.tsx';
import { ViewTabs } from '../../kit/page/view-tabs.tsx';
import { t } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { NoApiNotice, useHasApi } from '../../session/signed-in.tsx';
import { ConnectForm } from './connect-form.tsx';
import { connectionName, providerName } from './connection-name.ts';
import { ConnectionStatus, feedPlace, LastSync, NextSync, Progress, ProviderMark } from './connection-words.tsx';
import { pauseUntilRefetch } from './connection-state.ts';
import { DealList, ObjectionList } from './deals.tsx';

export default function CrmPage() {
  const hasApi = useHasApi();
  const { data, error, refetch } = useConnections();
  const [connecting, { open, close }] = useDisclosure();
  const connections = data?.data;
  const connect = <CreateButton label={t('CRM verbinden', 'Connect a CRM')} disabled={!hasApi} onClick={open} />;
  return (
    <Page
      title="CRM"
      lead={t(
        'Deals und Einwände aus Ihrem CRM, automatisch abgeglichen.',
        'Deals and objections from your CRM, synced automatically.',
      )}
      actions={connections && connections.length > 0 ? connect : undefined}
    >
      <WaitingDrafts of={[{ name: 'connection', what: t('CRM verbinden', 'Connect a CRM'), open }]} />
      <NoApiNotice about="crm" />
      <ViewTabs
        label={t('Ansichten', 'Views')}
        views={[
          {
            value: 'connections',
            label: t('Verbindungen', 'Connections'),
            content: <ConnectionList list={{ rows: connections, error, refetch }} connect={connect} />,
          },
          { value: 'deals', label: 'Deals', content: <DealList connections={connections ?? []} /> },
          {
            value: 'objections',
            label: t('Einwände', 'Objections'),
            content: <ObjectionList connections={connections ?? []} />,
          },
        ]}
      />
      <Dialog title={t('CRM verbinden', 'Connect a CRM')} opened={connecting} onClose={close} size="lg">
        <ConnectForm onClose={close} />
      </Dialog>
    </Page>
  );
}

const Name = ({ connection }: { connection: Connection }) => (
  <Group gap={10} wrap="nowrap">
    <ProviderMark provider={connection.provider} size={28} />
    <Lines
      below={[connection.label !== null && providerName(connection.provider), feedPlace(connection)]
        .filter(Boolean)
        .join(' · ')}
    >
      <TextLink to={`/crm/${connection.connection_id}`} fw={600}>
        <TextInCell text={connectionName(connection)} />
      </TextLink>
    </Lines>
  </Group>
);

const State = ({ connection }: { connection: Connection }) => (
  <Lines below={connection.running && <Progress running={connection.running} />}>
    <ConnectionStatus connection={connection} />
  </Lines>
);

interface ConnectionListProps {
  list: List<Connection>;
  /** The button that connects another CRM. */
  connect: ReactNode;
}

const ConnectionList = ({ list, connect }: ConnectionListProps) => (
  <DataTable
    label={t('Verbindungen', 'Connections')}
    csv={{}}
    list={list}
    keyOf={({ connection_id }) => connection_id}
    columns={[
      { label: t('Verbindungs-ID', 'Connection ID'), value: ({ connection_id }) => connection_id },
      { label: 'CRM', value: ({ provider }) => provider },
      {
        label: t('Verbindung', 'Connection'),
        name: 'name',
        value: ({ label }) => label,
        cell: (connection) => <Name connection={connection} />,
      },
      {
        label: t('Status', 'Status'),
        name: 'status',
        alwaysShown: true,
        value: ({ status }) => status,
        cell: (connection) => <State connection={connection} />,
      },
      {
        label: t('Letzter Abgleich', 'Last sync'),
        name: 'last_sync',
        value: ({ last_sync_at }) => last_sync_at,
        cell: (connection) => <LastSync connection={connection} />,
      },
      { label: t('Ergebnis', 'Result'), value: ({ last_outcome }) => last_outcome },
      { label: t('Grund', 'Reason'), value: ({ last_reason, last_reason_de }) => t(last_reason_de, last_reason) },
      {
        label: t('Nächster Abgleich', 'Next sync'),
        value: ({ next_sync_at }) => next_sync_at,
        priority: 1,
        cell: (connection) => <NextSync connection={connection} />,
      },
      { label: 'Deals', name: 'deals', value: ({ deals }) => deals, priority: 2, cell: 'number' },
      {
        label: t('Einwände', 'Objections'),
        name: 'objections',
        value: ({ objections }) => objections,
        priority: 3,
        cell: 'number',
      },
      { label: t('Angelegt', 'Created'), value: ({ created_at }) => created_at },
    ]}
    none={t('Noch kein CRM verbunden', 'No CRM connected yet')}
    hint={t(
      'Verbinden Sie HubSpot, Pipedrive oder einen eigenen Feed, um Deals und Einwände automatisch zu übernehmen. Über die API lesen Sie sie mit GET\u00a0/crm/deals und GET\u00a0/crm/objections. Auf Ihr CRM wird nur lesend zugegriffen.',
      'Connect HubSpot, Pipedrive or your own feed to import deals and objections automatically. Read them through the API with GET\u00a0/crm/deals and GET\u00a0/crm/objections. Access to your CRM is read-only.',
    )}
    action={connect}
  />
);

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

/** The team's connections, polled while their state can change by itself: more often while one of them syncs. */
const useConnections = () => {
  const answer = useQuery(
    app.crm.connections.queryOptions(
      {},
      { refetchInterval: ({ state: { data } }) => pauseUntilRefetch(data?.data ?? []) },
    ),
  );
  useRefreshAfterSync(answer.data?.data);
  return answer;
};

/** One connection, polled in the same way. */
export const useConnection = (connection_id: string, { enabled }: { enabled: boolean }) => {
  const answer = useQuery(
    app.crm.connection.queryOptions(
      { connection_id },
      { enabled, refetchInterval: ({ state: { data } }) => pauseUntilRefetch(data ? [data] : []) },
    ),
  );
  useRefreshAfterSync(answer.data && [answer.data]);
  return answer;
};
