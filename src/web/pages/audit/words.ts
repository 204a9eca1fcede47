import type { AuditEntry as Entry, AuditFilters } from '../../../modules/audit/schema.ts';
import { roleNames } from '../../kit/names/member-words.ts';
import type { StateWords } from '../../kit/page/tones.ts';
import { t } from '../../language/texts.ts';
import { assignmentStates } from '../assignments/states.ts';
import { demandNames } from '../settings/demand-words.ts';
import { healthWords } from '../webhooks/health-words.ts';
import { deliveryStates } from '../webhooks/delivery-words.ts';

export type AuditEntry = Entry;
export type AuditActionName = NonNullable<AuditFilters['action']>;
type ActorKind = NonNullable<AuditFilters['actor_kind']>;
type TargetType = NonNullable<AuditFilters['target_type']>;

export const filterNames = [
  'action',
  'actor_kind',
  'actor_id',
  'target_type',
  'target_id',
  'range',
  'from',
  'to',
] as const;

export const actorKinds = (): Readonly<Record<ActorKind, string>> => ({
  person: t('Person', 'Person'),
  key: t('API-Schlüssel', 'API key'),
  operator: t('Betreiber der Plattform', 'Platform operator'),
  service: t('Automatisch', 'Automatic'),
});

export const targetTypes = (): Readonly<Record<TargetType, string>> => ({
  member: t('Mitglied', 'Member'),
  key: t('API-Schlüssel', 'API key'),
  team: t('Team', 'Team'),
  assignment: t('Aufgabe', 'Assignment'),
  case: t('Fall', 'Case'),
  training: t('Training', 'Training'),
  catalog_item: t('Katalogeintrag', 'Catalog item'),
  webhook_endpoint: t('Webhook-Endpunkt', 'Webhook endpoint'),
  webhook_delivery: t('Zustellung', 'Delivery'),
  webhook_event: t('Ereignis', 'Event'),
  crm_connection: t('CRM-Verbindung', 'CRM connection'),
});

/** The names of the most frequent fields of the log. */
const fieldNames = (): Readonly<Record<string, string>> => ({
  client_id: t('Client-ID', 'Client ID'),
  added: t('Hinzugefügt', 'Added'),
  added_total: t('Hinzugefügt (gesamt)', 'Added (total)'),
  after: t('Nachher', 'After'),
  api_version: t('API-Version', 'API version'),
  assignment_id: t('Aufgabe', 'Assignment'),
  assignments_revoked: t('Zurückgezogene Aufgaben', 'Assignments withdrawn'),
  assistant: t('Assistent', 'Assistant'),
  before: t('Vorher', 'Before'),
  blocked: t('Gesperrt', 'Blocked'),
  blocked_total: t('Gesperrt (gesamt)', 'Blocked (total)'),
  changed: t('Geändert', 'Changed'),
  completed_training_id: t('Abschließendes Training', 'Completing training'),
  delivery_id: t('Zustellung', 'Delivery'),
  description: t('Beschreibung', 'Description'),
  document_host: t('Angaben von', 'Details from'),
  domain_added: t('Domain hinzugefügt', 'Domain added'),
  domain_proven: t('Domain bestätigt', 'Domain confirmed'),
  domain_removed: t('Domain entfernt', 'Domain removed'),
  demand: t('Anmelderichtlinie', 'Sign-in policy'),
  due_date: t('Fällig am', 'Due date'),
  dimension: t('Dimension', 'Dimension'),
  duration_s: t('Dauer (Sekunden)', 'Duration (seconds)'),
  endpoint_id: t('Endpunkt', 'Endpoint'),
  enabled: t('Aktiviert', 'Enabled'),
  event_id: t('Ereignis', 'Event'),
  event_type: t('Ereignistyp', 'Event type'),
  events: t('Ereignisse', 'Events'),
  failing_since: t('Fehler seit', 'Failing since'),
  focus_dimension: t('Schwerpunkt', 'Focus'),
  from: t('Von', 'From'),
  grace_seconds: t('Übergangsfrist (Sekunden)', 'Grace period (seconds)'),
  headers: t('Eigene Header', 'Headers of your own'),
  holds_from: t('Gilt ab', 'Takes effect'),
  host: t('Rechner', 'Host'),
  interval_seconds: t('Abstand der Abgleiche in Sekunden', 'Seconds between syncs'),
  issuer: t('Anbieter', 'Provider'),
  item_id: t('Eintrag', 'Item'),
  kind: t('Art', 'Kind'),
  icon: t('Symbol', 'Icon'),
  key: t('Schlüssel', 'Key'),
  label: t('Bezeichnung', 'Label'),
  language: t('Sprache', 'Language'),
  leaderboard_enabled: t('Rangliste', 'Leaderboard'),
  member_detail_enabled: t('Personenbezogene Daten', 'Member-level data'),
  member_id: t('Mitglied', 'Member'),
  member_removed: t('Mitglied entfernt', 'Member removed'),
  name: t('Name', 'Name'),
  name_de: t('Name (Deutsch)', 'Name (German)'),
  name_en: t('Name (Englisch)', 'Name (English)'),
  note: t('Hinweis', 'Note'),
  owner: t('Inhaber', 'Owner'),
  plan: t('Tarif', 'Plan'),
  position: t('Position', 'Position'),
  private: t('Privat', 'Private'),
  provider: t('Anbieter', 'Provider'),
  published: t('Veröffentlicht', 'Published'),
  rate_limit: t('Limit pro Minute', 'Limit per minute'),
  recovered: t('Nachgeholt', 'Recovered'),
  released: t('Freigegeben', 'Allowed'),
  released_total: t('Freigegeben (gesamt)', 'Allowed (total)'),
  reminders_enabled: t('Automatische Erinnerungen', 'Automatic reminders'),
  removed: t('Entfernt', 'Removed'),
  removed_total: t('Entfernt (gesamt)', 'Removed (total)'),
  rights: t('Berechtigungen im Team', 'Rights in the team'),
  role: t('Rolle', 'Role'),
  scopes: t('Berechtigungen', 'Scopes'),
  seats: t('Plätze', 'Seats'),
  settings: t('Einstellungen', 'Settings'),
  since: t('Seit', 'Since'),
  source: t('Herkunft', 'Source'),
  status: t('Status', 'Status'),
  title: t('Titel', 'Title'),
  to: t('Nach', 'To'),
  url: t('Adresse', 'Address'),
  user_id: t('Person', 'Person'),
});

const wordsOf = (states: Readonly<Record<string, StateWords>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(states).map(([state, [, word]]) => [state, word]));

/** The words for the values of a field. The log has these values as the service stores them. */
const valueNames = (): Readonly<Record<string, Readonly<Record<string, string>>>> => ({
  role: roleNames(),
  rights: { schnittstellen: t('API-Schlüssel', 'API keys') },
  language: { de: t('Deutsch', 'German'), en: t('Englisch', 'English') },
  demand: demandNames(),
  // These words can share one list, because assignments, deliveries and endpoints have no equal status with different
  // words.
  status: {
    ...wordsOf(assignmentStates()),
    ...wordsOf(deliveryStates()),
    active: t('Aktiv', 'Active'),
    disabled: healthWords().disabled[1],
    disabled_failures: healthWords().paused[1],
  },
});

/** The word for a value of a field, if there is one. */
export const valueName = (field: string, value: string): string | undefined => {
  const names = valueNames()[field] ?? {};
  return Object.hasOwn(names, value) ? names[value] : undefined;
};

/** The name of a field of the log. A rare field is shown with its own name. */
export const dataName = (key: string): string => {
  const names = fieldNames();
  return (Object.hasOwn(names, key) ? names[key] : undefined) ?? key;
};
