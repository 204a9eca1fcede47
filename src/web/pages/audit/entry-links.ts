import type { IndividualTarget } from '../../../core/privacy.ts';
import type { AuditEntry } from '../../../modules/audit/schema.ts';
import { t } from '../../language/texts.ts';
import { providerName } from '../crm/connection-name.ts';

// Names of the actor and the target of an audit entry, and links to their pages. The overview loads this file, so it
// imports no words that only the audit log needs.

/** A CRM connection without a name of its own gets the name of its CRM. */
export const targetName = ({ type, name }: AuditEntry['target']): string | null =>
  type === 'crm_connection' && name !== null ? providerName(name) : name;

export const actorName = ({ actor: { kind, name } }: Pick<AuditEntry, 'actor'>): string => {
  if (kind === 'service') return t('Automatisch', 'Automatic');
  if (kind === 'operator') return t('Betreiber der Plattform', 'Platform operator');
  if (kind === 'key') return name === null ? t('API-Schlüssel', 'API key') : t(`Schlüssel „${name}“`, `Key “${name}”`);
  return name ?? t('Mitglied des Teams', 'Team member');
};

/**
 * The key of an entry in its list. It contains the time of the entry, by which an entry can be found that the list has
 * not loaded.
 */
export const entryKey = ({ id, created_at }: Pick<AuditEntry, 'id' | 'created_at'>): string => `${created_at} ${id}`;

/** The id in the key of an entry, and filters for the entries of its time; undefined for any other text. */
export const entryOfKey = (key: string): { id: string; since: string; until: string } | undefined => {
  const [since = '', id = ''] = key.split(' ');
  const time = Date.parse(since);
  return Number.isNaN(time) ? undefined : { id, since, until: new Date(time + 1).toISOString() };
};

const textIn = ({ data }: Pick<AuditEntry, 'data'>, key: string): string | undefined => {
  const value = data[key];
  return typeof value === 'string' ? value : undefined;
};

const people = (name: string | null): string | undefined =>
  name === null ? undefined : `/members?search=${encodeURIComponent(name)}`;

export const actorPage = ({ actor: { kind, id, name } }: Pick<AuditEntry, 'actor'>): string | undefined => {
  if (kind === 'key' && id !== null) return `/keys/${id}`;
  return kind === 'person' ? people(name) : undefined;
};

const deliveryPage = (endpointId: string | undefined, deliveryId: string | undefined): string | undefined =>
  endpointId === undefined || deliveryId === undefined ? undefined : `/webhooks/${endpointId}/deliveries/${deliveryId}`;

/** Targets whose pages are closed while member-level data is hidden. */
const ofPeople: ReadonlySet<string> = new Set(['assignment', 'case', 'training'] satisfies IndividualTarget[]);

/** The page of the target; undefined if it has none, is closed to the reader, or is known to exist no longer. */
export const targetPage = (
  entry: Pick<AuditEntry, 'action' | 'target' | 'data'>,
  showsPeople: boolean,
): string | undefined => {
  const { action, target } = entry;
  if (target.id === null) return undefined;
  if (ofPeople.has(target.type) && !showsPeople) return undefined;
  if (action === 'policy.team_changed') return '/catalog';
  if (action === 'policy.member_changed') return `/catalog?member=${target.id}`;
  if (target.type === 'team') return '/settings';
  if (target.type === 'training') return `/trainings/${target.id}`;
  if (target.type === 'member') return people(target.name);
  if (target.type === 'webhook_delivery') return deliveryPage(textIn(entry, 'endpoint_id'), target.id);
  if (target.type === 'webhook_event') return `/webhooks/events/${target.id}`;
  // A target without a name no longer exists.
  if (target.name === null) return undefined;
  if (target.type === 'key') return `/keys/${target.id}`;
  if (target.type === 'assignment') return `/assignments?assignment_id=${target.id}`;
  if (target.type === 'crm_connection') return `/crm/${target.id}`;
  if (target.type === 'case') return `/cases?case_id=${target.id}`;
  if (target.type === 'catalog_item') return '/catalog';
  return target.type === 'webhook_endpoint' ? `/webhooks/${target.id}` : undefined;
};
