import { Stack, Text } from '@mantine/core';
import type { ProviderName } from '../../../modules/crm/providers/table.ts';
import type { Connection, Run } from '../../../modules/crm/schema.ts';
import { Status } from '../../kit/facts.tsx';
import type { Tone } from '../../kit/facts.tsx';
import { Time, useCount } from '../../kit/formats.tsx';
import { useText } from '../../language/language.tsx';
import { useHasApi } from '../../session/signed-in.tsx';
import classes from './crm.module.css';
import { isProvider } from './provider-mark.tsx';
import { Reason } from './reason.tsx';

export const useProviderName = (): ((provider: string) => string) => {
  const t = useText();
  const names: Record<ProviderName, string> = {
    feed: t('Generischer Feed', 'Generic feed'),
    hubspot: 'HubSpot',
    pipedrive: 'Pipedrive',
  };
  return (provider) => (isProvider(provider) ? names[provider] : provider);
};

/** A connection's name: the team's own, else that of the CRM. */
export const useConnectionName = (): ((connection: Pick<Connection, 'label' | 'provider'>) => string) => {
  const providerName = useProviderName();
  return ({ label, provider }) => label ?? providerName(provider);
};

const dueSoonMs = 5_000;

/** Whether a sync begins within seconds, or should have begun. */
const isDue = ({ requested, next_sync_at: next, status }: Connection): boolean =>
  requested || (status === 'active' && next !== null && Date.parse(next) - Date.now() < dueSoonMs);

export const isBusy = (connection: Connection): boolean => connection.running !== null || isDue(connection);

type State = 'running' | 'requested' | 'refused' | 'without token' | 'paused' | 'never' | 'active';

const stateOf = (connection: Connection): State => {
  if (connection.running) return 'running';
  if (connection.requested) return 'requested';
  if (connection.status === 'credentials_refused') return 'refused';
  if (connection.status === 'paused') return 'paused';
  if (!connection.has_token) return 'without token';
  return connection.last_sync_at === null ? 'never' : 'active';
};

/** The state of a connection, in words. */
export const ConnectionStatus = ({ connection }: { connection: Connection }) => {
  const t = useText();
  const words: Record<State, [Tone, string]> = {
    running: ['info', t('Wird abgeglichen', 'Syncing now')],
    requested: ['info', t('Abgleich startet', 'Sync starting')],
    refused: ['bad', t('Zugangsdaten abgelehnt', 'Credentials refused')],
    paused: ['plain', t('Pausiert', 'Paused')],
    'without token': ['warn', t('Zugriffstoken fehlt', 'No access token')],
    never: ['info', t('Noch nie abgeglichen', 'Never synced')],
    active: ['good', t('Aktiv', 'Active')],
  };
  const [tone, said] = words[stateOf(connection)];
  return <Status tone={tone}>{said}</Status>;
};

/** The result of a run, in words. */
const RunOutcome = ({ outcome }: { outcome: Run['outcome'] }) => {
  const t = useText();
  const words: Record<NonNullable<Run['outcome']> | 'running', [Tone, string]> = {
    running: ['info', t('Läuft', 'Running')],
    ok: ['good', t('Erfolgreich', 'Successful')],
    failed: ['bad', t('Fehlgeschlagen', 'Failed')],
    stopped: ['plain', t('Abgebrochen', 'Stopped')],
  };
  const [tone, said] = words[outcome ?? 'running'];
  return <Status tone={tone}>{said}</Status>;
};

interface SyncResultProps {
  outcome: Run['outcome'];
  reason: string | null;
  /** When the sync began, where nothing else says it. */
  at?: string;
  /** Shows all of a long reason, not only its first lines. */
  whole?: boolean;
}

/** How a sync ended, and why if it did not succeed. */
export const SyncResult = ({ outcome, reason, at, whole = false }: SyncResultProps) => (
  <Stack gap={2} align="inherit">
    <span>
      <RunOutcome outcome={outcome} /> {at !== undefined && <Time at={at} />}
    </span>
    {reason !== null && (
      <Text
        size={whole ? 'sm' : 'xs'}
        c={outcome === 'failed' ? 'var(--bad)' : 'dimmed'}
        className={whole ? '' : (classes['long'] ?? '')}
      >
        <Reason reason={reason} />
      </Text>
    )}
  </Stack>
);

/** The last sync of a connection: its result and when it began. */
export const LastSync = ({ connection, whole = false }: { connection: Connection; whole?: boolean }) => {
  const t = useText();
  const { last_sync_at: at, last_outcome: outcome, last_reason: reason } = connection;
  if (at === null) return t('Noch keiner', 'None yet');
  return <SyncResult outcome={outcome} reason={reason} at={at} whole={whole} />;
};

/** When the next sync is due. */
export const NextSync = ({ connection }: { connection: Connection }) => {
  const t = useText();
  const hasApi = useHasApi();
  if (!hasApi) return t('Nicht geplant', 'Not scheduled');
  if (connection.running) return t('Läuft gerade', 'Running now');
  if (isDue(connection)) return t('In wenigen Sekunden', 'Within seconds');
  if (connection.next_sync_at === null) return t('Keiner geplant', 'None scheduled');
  return <Time at={connection.next_sync_at} />;
};

/** The progress of the sync that runs now. */
export const Progress = ({ running: { deals, since } }: { running: NonNullable<Connection['running']> }) => {
  const t = useText();
  const count = useCount();
  return (
    <>
      {count(deals, t('Deal geschrieben', 'deal written'), t('Deals geschrieben', 'deals written'))}
      {t(', begonnen ', ', started ')}
      <Time at={since} />
    </>
  );
};

/** Secondary text of a table cell. */
export const Quiet = ({ children }: { children: React.ReactNode }) => (
  <Text size="xs" c="dimmed" fw={400}>
    {children}
  </Text>
);

/** The host and path of a feed, below the name of its connection: they tell feeds apart. */
export const FeedPlace = ({ connection: { provider, url } }: { connection: Connection }) => {
  if (provider !== 'feed' || url === null || !URL.canParse(url)) return null;
  const { host, pathname } = new URL(url);
  return (
    <Text span display="block" size="xs" c="dimmed" fw={400} style={{ overflowWrap: 'anywhere' }}>
      {host}
      {pathname}
    </Text>
  );
};

/** The connection of a deal or an objection. */
export const ConnectionOf = ({ connections, id }: { connections: readonly Connection[]; id: string }) => {
  const nameOf = useConnectionName();
  const connection = connections.find(({ connection_id }) => connection_id === id);
  if (!connection) return '–';
  return (
    <div>
      {nameOf(connection)}
      <FeedPlace connection={connection} />
    </div>
  );
};
