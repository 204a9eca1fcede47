import { Anchor, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Connection } from '../../../modules/crm/schema.ts';
import { Empty } from '../../kit/messages.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import {
  ConnectionStatus,
  FeedPlace,
  LastSync,
  NextSync,
  Progress,
  Quiet,
  useConnectionName,
  useProviderName,
} from './connection-state.tsx';
import classes from './crm.module.css';
import { ProviderMark } from './provider-mark.tsx';

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
export const ConnectionList = ({ connections, error, retry, connect }: ConnectionListProps) => {
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
