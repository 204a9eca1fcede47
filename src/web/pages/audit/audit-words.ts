import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { appRouter } from '../../../modules/app-router.ts';
import { useText } from '../../language/language.tsx';

export type AuditEntry = inferRouterOutputs<typeof appRouter>['audit']['list']['data'][number];
type Query = inferRouterInputs<typeof appRouter>['audit']['list'];
export type Action = NonNullable<Query['action']>;
export type ActorKind = NonNullable<Query['actor_kind']>;
export type TargetType = NonNullable<Query['target_type']>;

export const filterNames = ['action', 'actor_kind', 'target_type', 'target_id', 'range', 'from', 'to'] as const;

export const actorKinds = ['person', 'key', 'operator', 'service'] as const satisfies readonly ActorKind[];

/** What kinds of actors are called. */
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

/** What things are called that are done to. */
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
