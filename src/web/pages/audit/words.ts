import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { appRouter } from '../../../modules/app-router.ts';
import { useLanguage, useText } from '../../language/language.tsx';

export type AuditEntry = inferRouterOutputs<typeof appRouter>['audit']['list']['data'][number];
type Query = inferRouterInputs<typeof appRouter>['audit']['list'];
export type Action = NonNullable<Query['action']>;
type ActorKind = NonNullable<Query['actor_kind']>;
type TargetType = NonNullable<Query['target_type']>;

export const filterNames = ['action', 'actor_kind', 'target_type', 'target_id', 'range', 'from', 'to'] as const;

export const actorKinds = ['person', 'key', 'operator', 'service'] as const satisfies readonly ActorKind[];

/** The names of the kinds of actors. */
export const useActorWords = (): Readonly<Record<ActorKind, string>> => {
  const t = useText();
  return {
    person: t('Person', 'Person'),
    key: t('API-Schlüssel', 'API key'),
    operator: t('Betreiber', 'Operator'),
    service: t('Dienst', 'Service'),
  };
};

export const targetTypes = [
  'member',
  'key',
  'team',
  'assignment',
  'case',
  'training',
  'catalog_item',
  'webhook_endpoint',
  'webhook_delivery',
  'webhook_event',
  'crm_connection',
] as const satisfies readonly TargetType[];

/** The names of the kinds of targets. */
export const useTargetWords = (): Readonly<Record<TargetType, string>> => {
  const t = useText();
  return {
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
  };
};

/** The names of the most frequent fields of the log. Other fields are shown with their own name. */
const words = new Map<string, { de: string; en: string }>(
  Object.entries({
    added: { de: 'Hinzugefügt', en: 'Added' },
    added_total: { de: 'Hinzugefügt insgesamt', en: 'Added in total' },
    after: { de: 'Nachher', en: 'After' },
    api_version: { de: 'API-Version', en: 'API version' },
    assignment_id: { de: 'Aufgabe', en: 'Assignment' },
    assignments_revoked: { de: 'Zurückgezogene Aufgaben', en: 'Assignments revoked' },
    before: { de: 'Vorher', en: 'Before' },
    blocked: { de: 'Gesperrt', en: 'Blocked' },
    blocked_total: { de: 'Gesperrt insgesamt', en: 'Blocked in total' },
    changed: { de: 'Geändert', en: 'Changed' },
    delivery_id: { de: 'Zustellung', en: 'Delivery' },
    duration_s: { de: 'Dauer in Sekunden', en: 'Duration in seconds' },
    endpoint_id: { de: 'Endpunkt', en: 'Endpoint' },
    event_id: { de: 'Ereignis', en: 'Event' },
    event_type: { de: 'Art des Ereignisses', en: 'Type of event' },
    events: { de: 'Ereignisse', en: 'Events' },
    failing_since: { de: 'Ohne Erfolg seit', en: 'Failing since' },
    from: { de: 'Von', en: 'From' },
    grace_seconds: { de: 'Frist in Sekunden', en: 'Grace period in seconds' },
    label: { de: 'Bezeichnung', en: 'Label' },
    language: { de: 'Sprache', en: 'Language' },
    leaderboard_enabled: { de: 'Rangliste', en: 'Leaderboard' },
    left_out: { de: 'Nicht aufgeführt', en: 'Not listed' },
    member_detail_enabled: { de: 'Angaben zu einzelnen Personen', en: 'Details about individual people' },
    member_id: { de: 'Mitglied', en: 'Member' },
    member_removed: { de: 'Mitglied entfernt', en: 'Member removed' },
    name: { de: 'Name', en: 'Name' },
    plan: { de: 'Tarif', en: 'Plan' },
    private: { de: 'Privat', en: 'Private' },
    provider: { de: 'Anbieter', en: 'Provider' },
    rate_limit: { de: 'Limit je Minute', en: 'Limit a minute' },
    recovered: { de: 'Nachgeholt', en: 'Recovered' },
    released: { de: 'Freigegeben', en: 'Released' },
    released_total: { de: 'Freigegeben insgesamt', en: 'Released in total' },
    removed: { de: 'Entfernt', en: 'Removed' },
    removed_total: { de: 'Entfernt insgesamt', en: 'Removed in total' },
    role: { de: 'Rolle', en: 'Role' },
    scopes: { de: 'Berechtigungen', en: 'Scopes' },
    seats: { de: 'Plätze', en: 'Seats' },
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
export const useDataWords = (): ((key: string) => string) => {
  const { language } = useLanguage();
  return (key) => words.get(key)?.[language] ?? key;
};
