import { currentLanguage, t } from '../../language/language.tsx';
import type { AppInputs, AppOutputs } from '../../server/server.ts';

export type AuditEntry = AppOutputs['audit']['list']['data'][number];
type Query = AppInputs['audit']['list'];
export type Action = NonNullable<Query['action']>;
type ActorKind = NonNullable<Query['actor_kind']>;
type TargetType = NonNullable<Query['target_type']>;

export const filterNames = ['action', 'actor_kind', 'target_type', 'target_id', 'range', 'from', 'to'] as const;

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

/** The names of the most frequent fields of the log. Other fields are shown with their own name. */
const words = new Map<string, { de: string; en: string }>(
  Object.entries({
    client_id: { de: 'Client-ID', en: 'Client ID' },
    added: { de: 'Hinzugefügt', en: 'Added' },
    added_total: { de: 'Hinzugefügt (gesamt)', en: 'Added (total)' },
    after: { de: 'Nachher', en: 'After' },
    api_version: { de: 'API-Version', en: 'API version' },
    assignment_id: { de: 'Aufgabe', en: 'Assignment' },
    assignments_revoked: { de: 'Zurückgezogene Aufgaben', en: 'Assignments withdrawn' },
    assistant: { de: 'Assistent', en: 'Assistant' },
    before: { de: 'Vorher', en: 'Before' },
    blocked: { de: 'Gesperrt', en: 'Blocked' },
    blocked_total: { de: 'Gesperrt (gesamt)', en: 'Blocked (total)' },
    changed: { de: 'Geändert', en: 'Changed' },
    completed_training_id: { de: 'Abschließendes Training', en: 'Completing training' },
    delivery_id: { de: 'Zustellung', en: 'Delivery' },
    description: { de: 'Beschreibung', en: 'Description' },
    domain_added: { de: 'Domain hinzugefügt', en: 'Domain added' },
    domain_proven: { de: 'Domain bestätigt', en: 'Domain confirmed' },
    domain_removed: { de: 'Domain entfernt', en: 'Domain removed' },
    due_date: { de: 'Fällig am', en: 'Due date' },
    dimension: { de: 'Dimension', en: 'Dimension' },
    duration_s: { de: 'Dauer (Sekunden)', en: 'Duration (seconds)' },
    endpoint_id: { de: 'Endpunkt', en: 'Endpoint' },
    enabled: { de: 'Aktiviert', en: 'Enabled' },
    event_id: { de: 'Ereignis', en: 'Event' },
    event_type: { de: 'Ereignistyp', en: 'Event type' },
    events: { de: 'Ereignisse', en: 'Events' },
    failing_since: { de: 'Fehler seit', en: 'Failing since' },
    focus_dimension: { de: 'Schwerpunkt', en: 'Focus' },
    from: { de: 'Von', en: 'From' },
    grace_seconds: { de: 'Übergangsfrist (Sekunden)', en: 'Grace period (seconds)' },
    host: { de: 'Rechner', en: 'Host' },
    interval_seconds: { de: 'Abstand der Abgleiche in Sekunden', en: 'Seconds between syncs' },
    issuer: { de: 'Anbieter', en: 'Provider' },
    item_id: { de: 'Eintrag', en: 'Item' },
    kind: { de: 'Art', en: 'Kind' },
    icon: { de: 'Symbol', en: 'Icon' },
    key: { de: 'Schlüssel', en: 'Key' },
    label: { de: 'Bezeichnung', en: 'Label' },
    language: { de: 'Sprache', en: 'Language' },
    leaderboard_enabled: { de: 'Rangliste', en: 'Leaderboard' },
    member_detail_enabled: { de: 'Personenbezogene Daten', en: 'Individual data' },
    member_id: { de: 'Mitglied', en: 'Member' },
    member_removed: { de: 'Mitglied entfernt', en: 'Member removed' },
    name: { de: 'Name', en: 'Name' },
    name_de: { de: 'Name (Deutsch)', en: 'Name (German)' },
    name_en: { de: 'Name (Englisch)', en: 'Name (English)' },
    note: { de: 'Hinweis', en: 'Note' },
    owner: { de: 'Inhaber', en: 'Owner' },
    plan: { de: 'Tarif', en: 'Plan' },
    position: { de: 'Position', en: 'Position' },
    private: { de: 'Privat', en: 'Private' },
    provider: { de: 'Anbieter', en: 'Provider' },
    published: { de: 'Veröffentlicht', en: 'Published' },
    rate_limit: { de: 'Limit pro Minute', en: 'Limit per minute' },
    recovered: { de: 'Nachgeholt', en: 'Recovered' },
    released: { de: 'Freigegeben', en: 'Allowed' },
    released_total: { de: 'Freigegeben (gesamt)', en: 'Allowed (total)' },
    removed: { de: 'Entfernt', en: 'Removed' },
    removed_total: { de: 'Entfernt (gesamt)', en: 'Removed (total)' },
    rights: { de: 'Berechtigungen im Team', en: 'Rights in the team' },
    role: { de: 'Rolle', en: 'Role' },
    scopes: { de: 'Berechtigungen', en: 'Scopes' },
    seats: { de: 'Plätze', en: 'Seats' },
    settings: { de: 'Einstellungen', en: 'Settings' },
    since: { de: 'Seit', en: 'Since' },
    source: { de: 'Herkunft', en: 'Source' },
    status: { de: 'Status', en: 'Status' },
    title: { de: 'Titel', en: 'Title' },
    to: { de: 'Nach', en: 'To' },
    url: { de: 'Adresse', en: 'Address' },
    user_id: { de: 'Person', en: 'Person' },
  }),
);

/** Returns the name of a field of the log. */
export const dataName = (key: string): string => {
  const language = currentLanguage();
  return words.get(key)?.[language] ?? key;
};
