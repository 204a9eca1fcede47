import type { Connection, SyncRun } from '../../../modules/crm/schema.ts';
import type { StateWords } from '../../kit/page/tones.ts';
import { t } from '../../language/texts.ts';

// The state of a connection and of its syncs, in words.

const dueSoonMs = 5_000;

type ScheduledConnection = Pick<Connection, 'running' | 'requested' | 'next_sync_at' | 'status'>;

/** Whether a sync begins within seconds, or should have begun. */
const isDue = ({ requested, next_sync_at: next, status }: ScheduledConnection, now: Date): boolean =>
  requested || (status === 'active' && next !== null && Date.parse(next) - now.getTime() < dueSoonMs);

const busyMs = 1_500;
const idleMs = 30_000;

/** How long to wait before connections are loaded again; false if their state can't change by itself. */
export const pauseUntilRefetch = (connections: readonly ScheduledConnection[], now = new Date()): number | false => {
  if (connections.some((one) => one.running !== null || isDue(one, now))) return busyMs;
  return connections.some(({ next_sync_at }) => next_sync_at !== null) ? idleMs : false;
};

/** When the next sync begins, in words; undefined if it begins at a known time that is not within seconds. */
export const nextSyncText = (
  connection: ScheduledConnection,
  hasApi: boolean,
  now = new Date(),
): string | undefined => {
  if (!hasApi) return t('Nicht geplant', 'Not scheduled');
  if (connection.running) return t('Läuft gerade', 'Running now');
  if (isDue(connection, now)) return t('In wenigen Sekunden', 'Within seconds');
  return connection.next_sync_at === null ? t('Keiner geplant', 'None scheduled') : undefined;
};

type ConnectionState =
  | 'running'
  | 'requested'
  | 'refused'
  | 'without token'
  | 'paused'
  | 'failing'
  | 'never'
  | 'active';

type ConnectionFacts = Pick<
  Connection,
  'running' | 'requested' | 'status' | 'has_token' | 'last_outcome' | 'last_sync_at'
>;

const stateOf = (connection: ConnectionFacts): ConnectionState => {
  if (connection.running) return 'running';
  if (connection.requested) return 'requested';
  if (connection.status === 'credentials_refused') return 'refused';
  if (connection.status === 'paused') return 'paused';
  if (!connection.has_token) return 'without token';
  if (connection.last_outcome === 'failed') return 'failing';
  return connection.last_sync_at === null ? 'never' : 'active';
};

const states = (): Readonly<Record<ConnectionState, StateWords>> => ({
  running: ['info', t('Wird abgeglichen', 'Syncing now')],
  requested: ['info', t('Abgleich startet', 'Sync starting')],
  refused: ['bad', t('Zugangsdaten abgelehnt', 'Credentials rejected')],
  paused: ['plain', t('Pausiert', 'Paused')],
  'without token': ['warn', t('Zugriffstoken fehlt', 'No access token')],
  failing: ['bad', t('Abgleich fehlgeschlagen', 'Sync failing')],
  never: ['info', t('Noch nicht abgeglichen', 'Not synced yet')],
  active: ['good', t('Aktiv', 'Active')],
});

export const connectionState = (connection: ConnectionFacts): StateWords => states()[stateOf(connection)];

/** How a sync ended. */
export const outcomes = (): Readonly<Record<NonNullable<SyncRun['outcome']> | 'running', StateWords>> => ({
  running: ['info', t('Läuft', 'Running')],
  ok: ['good', t('Erfolgreich', 'Successful')],
  failed: ['bad', t('Fehlgeschlagen', 'Failed')],
  stopped: ['plain', t('Abgebrochen', 'Canceled')],
});

/** Says that a connection needs a new token, with the effect on its syncs; undefined if it needs none. */
export const tokenNeeded = ({
  has_token,
  status,
}: Pick<Connection, 'has_token' | 'status'>): { title: string; what: string } | undefined => {
  if (!has_token) {
    return {
      title: t('Das Zugriffstoken fehlt', 'The access token is missing'),
      what: t(
        'Der Abgleich startet, sobald ein gültiges Token hinterlegt ist.',
        'Syncing starts once a valid token is stored.',
      ),
    };
  }
  if (status !== 'credentials_refused') return undefined;
  return {
    title: t('Das CRM hat die Zugangsdaten abgelehnt', 'The CRM rejected the credentials'),
    what: t(
      'Der automatische Abgleich ist angehalten, bis ein gültiges Token hinterlegt ist. „Jetzt abgleichen“ verwendet das aktuelle Token.',
      'Automatic syncs are on hold until a valid token is stored. “Sync now” uses the current token.',
    ),
  };
};

/** Says whether a connection has a token. `action` is the button for a new one. */
export const tokenTexts = (hasToken: boolean): { what: string; action: string } =>
  hasToken
    ? {
        what: t(
          'Das Token ist verschlüsselt gespeichert. Ein neues Token wird vor dem Speichern getestet.',
          'The token is stored encrypted. A new token is tested before it is saved.',
        ),
        action: t('Token erneuern …', 'Renew token …'),
      }
    : {
        what: t('Es ist kein Token gespeichert.', 'No token is stored.'),
        action: t('Token eingeben …', 'Enter token …'),
      };

/** The message after a new token was stored. */
export const renewedText = (status: Connection['status']): string =>
  status === 'paused'
    ? t('Token gespeichert. Die Verbindung bleibt pausiert.', 'Token saved. The connection stays paused.')
    : t('Token gespeichert. Der Abgleich startet.', 'Token saved. The sync is starting.');

/**
 * The id of the first sync of a connection, if it is among these runs, which have the newest first. The service
 * deletes old runs once the history is full.
 */
export const firstRunIn = (
  rows: readonly Pick<SyncRun, 'run_id'>[],
  { hasNextPage, kept }: { hasNextPage: boolean; kept: number },
): string | undefined => (hasNextPage || rows.length >= kept ? undefined : rows.at(-1)?.run_id);
