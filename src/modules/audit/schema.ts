import { z } from 'zod';
import type { Texts } from '../../core/language.ts';
import { PageQuery, pageOf } from '../../platform/paging.ts';
import { Instant, Time } from '../../platform/values.ts';

/** All actions that can be recorded, as `thing.done`, with their names in the app. */
export const actions = {
  'assignment.created': { de: 'Aufgabe angelegt', en: 'Assignment created' },
  'assignment.changed': { de: 'Aufgabe geändert', en: 'Assignment changed' },
  'assignment.reminded': { de: 'An Aufgabe erinnert', en: 'Reminded of assignment' },
  'assignment.deleted': { de: 'Aufgabe gelöscht', en: 'Assignment deleted' },
  'assistant.connected': { de: 'Assistent verbunden', en: 'Assistant connected' },
  'assistant.disconnected': { de: 'Assistent getrennt', en: 'Assistant disconnected' },
  'case.created': { de: 'Fall angelegt', en: 'Case created' },
  'case.changed': { de: 'Fall geändert', en: 'Case changed' },
  'case.shared': { de: 'Fall mit dem Team geteilt', en: 'Case shared with the team' },
  'case.deleted': { de: 'Fall gelöscht', en: 'Case deleted' },
  'case.private_cases_deleted': {
    de: 'Private Fälle eines früheren Mitglieds gelöscht',
    en: 'Private cases of a former member deleted',
  },
  'catalog.item_created': { de: 'Katalogeintrag angelegt', en: 'Catalog item created' },
  'catalog.item_changed': { de: 'Katalogeintrag geändert', en: 'Catalog item changed' },
  'catalog.rules_changed': { de: 'Katalogregeln geändert', en: 'Catalog rules changed' },
  'company_sign_in.set_up': { de: 'Firmenkonto eingerichtet', en: 'Company account set up' },
  'company_sign_in.changed': { de: 'Firmenkonto geändert', en: 'Company account changed' },
  'company_sign_in.removed': { de: 'Firmenkonto entfernt', en: 'Company account removed' },
  'crm_connection.created': { de: 'CRM verbunden', en: 'CRM connected' },
  'crm_connection.changed': { de: 'CRM-Verbindung geändert', en: 'CRM connection changed' },
  'crm_connection.token_renewed': {
    de: 'Zugriffstoken der CRM-Verbindung erneuert',
    en: 'Access token of the CRM connection renewed',
  },
  'crm_connection.sync_requested': { de: 'CRM-Abgleich angefordert', en: 'CRM sync requested' },
  'crm_connection.paused': { de: 'CRM-Abgleich pausiert', en: 'CRM sync paused' },
  'crm_connection.resumed': { de: 'CRM-Abgleich fortgesetzt', en: 'CRM sync resumed' },
  'crm_connection.credentials_refused': {
    de: 'Zugriffstoken vom CRM abgelehnt',
    en: 'Access token rejected by the CRM',
  },
  'crm_connection.disconnected': { de: 'CRM getrennt', en: 'CRM disconnected' },
  'evaluation.saved': { de: 'Bewertung gespeichert', en: 'Evaluation saved' },
  'evaluation.corrected': { de: 'Bewertung korrigiert', en: 'Evaluation corrected' },
  'invitation.queued': { de: 'Einladungen vorgemerkt', en: 'Invitations queued' },
  'invitation.canceled': { de: 'Vorgemerkte Einladungen gelöscht', en: 'Queued invitations canceled' },
  'key.created': { de: 'Schlüssel angelegt', en: 'Key created' },
  'key.reported': { de: 'Schlüssel als gefunden gemeldet', en: 'Key reported as found' },
  'key.rotated': { de: 'Schlüssel rotiert', en: 'Key rotated' },
  'key.revoked': { de: 'Schlüssel widerrufen', en: 'Key revoked' },
  'member.joined': { de: 'Mitglied hinzugefügt oder eingeladen', en: 'Member added or invited' },
  'member.invited_again': { de: 'Einladung erneut gesendet', en: 'Invitation resent' },
  'member.accepted': { de: 'Einladung angenommen', en: 'Invitation accepted' },
  'member.role_changed': { de: 'Rolle geändert', en: 'Role changed' },
  'member.external_id_changed': { de: 'Externe ID geändert', en: 'External ID changed' },
  'member.rights_changed': { de: 'Berechtigungen geändert', en: 'Permissions changed' },
  'member.password_link_made': {
    de: 'Link zum Zurücksetzen des Passworts erstellt',
    en: 'Password reset link created',
  },
  'member.erased': { de: 'Person gelöscht', en: 'Person erased' },
  'member.removed': { de: 'Mitglied entfernt', en: 'Member removed' },
  'passkey.added': { de: 'Passkey hinzugefügt', en: 'Passkey added' },
  'passkey.removed': { de: 'Passkey entfernt', en: 'Passkey removed' },
  'password.reset': { de: 'Passwort zurückgesetzt', en: 'Password reset' },
  'policy.team_changed': { de: 'Freigaben des Teams geändert', en: 'Team policy changed' },
  'policy.member_changed': { de: 'Freigaben eines Mitglieds geändert', en: 'Member policy changed' },
  'second_factor.locked': {
    de: 'Zwei-Faktor-Anmeldung nach zu vielen Fehlversuchen gesperrt',
    en: 'Two-factor sign-in locked after too many failed attempts',
  },
  'sign_in.demand_called_off': {
    de: 'Geplante Anmelderichtlinie aufgehoben',
    en: 'Planned sign-in policy called off',
  },
  'sign_in.demand_planned': { de: 'Anmelderichtlinie geplant', en: 'Sign-in policy planned' },
  'sign_in.demand_changed': { de: 'Anmelderichtlinie geändert', en: 'Sign-in policy changed' },
  'sign_in.locked': {
    de: 'Anmeldung nach zu vielen Fehlversuchen gesperrt',
    en: 'Sign-in locked after too many failed attempts',
  },
  'team.created': { de: 'Team angelegt', en: 'Team created' },
  'team.changed': { de: 'Einstellungen des Teams geändert', en: 'Team settings changed' },
  'team.exported': { de: 'Daten des Teams exportiert', en: 'Team data exported' },
  'team.handed_over': { de: 'Team übergeben', en: 'Team transferred' },
  'training.started': { de: 'Training begonnen', en: 'Training started' },
  'training.ended': { de: 'Training abgeschlossen', en: 'Training completed' },
  'training.aborted': { de: 'Training abgebrochen', en: 'Training canceled' },
  'webhook_deliveries.given_up': { de: 'Ausstehende Zustellungen abgebrochen', en: 'Pending deliveries canceled' },
  'webhook_delivery.retried': { de: 'Zustellung erneut versucht', en: 'Delivery retried' },
  'webhook_endpoint.created': { de: 'Webhook-Endpunkt angelegt', en: 'Webhook endpoint created' },
  'webhook_endpoint.changed': { de: 'Webhook-Endpunkt geändert', en: 'Webhook endpoint changed' },
  'webhook_endpoint.deleted': { de: 'Webhook-Endpunkt gelöscht', en: 'Webhook endpoint deleted' },
  'webhook_endpoint.tested': { de: 'Webhook-Endpunkt getestet', en: 'Webhook endpoint tested' },
  'webhook_endpoint.checked': { de: 'Webhook-Empfänger geprüft', en: 'Webhook receiver checked' },
  'webhook_endpoint.warned': {
    de: 'Warnung zu fehlgeschlagenen Webhook-Zustellungen gesendet',
    en: 'Warning about failing webhook deliveries sent',
  },
  'webhook_endpoint.paused': { de: 'Webhook-Endpunkt pausiert', en: 'Webhook endpoint paused' },
  'webhook_endpoint.recovered': { de: 'Verpasste Ereignisse nachgeholt', en: 'Missed events recovered' },
  'webhook_event.replayed': { de: 'Ereignis als neue Zustellung gesendet', en: 'Event replayed' },
} as const satisfies Readonly<Record<string, Texts>>;

export type AuditActionName = keyof typeof actions;

const isAction = (text: string): text is AuditActionName => Object.hasOwn(actions, text);

export const allActions: readonly AuditActionName[] = Object.keys(actions).filter(isAction);

/** The types of an action's target. */
export const targetTypes = [
  'assignment',
  'case',
  'catalog_item',
  'crm_connection',
  'key',
  'member',
  'team',
  'training',
  'webhook_delivery',
  'webhook_endpoint',
  'webhook_event',
] as const;
export type TargetType = (typeof targetTypes)[number];

const actorKinds = ['key', 'person', 'operator', 'service'] as const;

const actorKind = z.enum(actorKinds).meta({
  id: 'AuditActorKind',
  description:
    '`operator`: the operator of the service. `service`: the service itself, for instance its recurring jobs.',
});

const hiddenNames = 'Null for a person while `member_detail_enabled` is off.';

const AuditActor = z
  .object({
    kind: actorKind,
    id: z.string().nullable().meta({ description: 'The key’s id, or the user id of a person.' }),
    name: z
      .string()
      .nullable()
      .meta({ description: `Its present name; if a person has no name, the email address. ${hiddenNames}` }),
  })
  .meta({ id: 'AuditActor', description: 'The actor of an entry.' });

const AuditTarget = z
  .object({
    type: z.string().meta({ description: 'For instance `member`, `key` or `webhook_endpoint`.' }),
    id: z.string().nullable().meta({ description: 'Its id.' }),
    name: z
      .string()
      .nullable()
      .meta({ description: `Its present name; null if it has none or was deleted. ${hiddenNames}` }),
  })
  .meta({ id: 'AuditTarget', description: 'The target of an entry: the thing that was changed.' });

export const AuditEntry = z
  .object({
    id: z.string().meta({ description: 'The id of the entry. Use it to detect duplicates.' }),
    action: z
      .string()
      .meta({ description: 'The action, for instance `key.created`. New ones may be added.', example: 'key.created' }),
    actor: AuditActor,
    target: AuditTarget,
    data: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The changes, by action. It never contains a secret. Long texts and lists are shortened.' }),
    names: z
      .record(z.string(), z.string())
      .meta({ description: 'The present names of things whose ids are in `data`, by id.' }),
    request_id: z
      .string()
      .nullable()
      .meta({ description: 'The `X-Request-Id` of the request that did it, if there was one.' }),
    address: z.string().nullable().meta({ description: 'The IP address from which it was done, if it is known.' }),
    created_at: Time.meta({ description: 'When it was done.' }),
  })
  .meta({ id: 'AuditEntry', description: 'An entry of the audit log: who did what, when and from where.' });
export type AuditEntry = z.output<typeof AuditEntry>;
export const AuditPage = pageOf(AuditEntry).meta({ id: 'AuditEntryPage', description: 'A page of the audit log.' });

export const AuditFilters = z.strictObject({
  action: z.enum(allActions).optional(),
  actor_kind: z.enum(actorKinds).optional(),
  actor_id: z.string().optional().meta({ description: 'A key’s id, or the user id of a person.' }),
  target_type: z.enum(targetTypes).optional(),
  target_id: z.string().optional(),
  since: Instant.optional().meta({ description: 'At this time or later.' }),
  until: Instant.optional().meta({ description: 'Before this time.' }),
});
export type AuditFilters = z.output<typeof AuditFilters>;

export const AuditQuery = PageQuery.extend(AuditFilters.shape);
export type AuditQuery = z.output<typeof AuditQuery>;

/** The query of the public API. */
export const AuditEntriesQuery = PageQuery.extend({
  since: Instant.optional().meta({
    description:
      'Only entries of this time or later. To follow the log and miss nothing, read with `order=asc`, begin each read without a `cursor` five minutes before the start of your last one, and ignore duplicates.',
  }),
  until: Instant.optional().meta({ description: 'Only entries before this time.' }),
  action: z
    .enum(allActions)
    .meta({ id: 'AuditAction', description: 'An action that the audit log has.' })
    .optional()
    .meta({ description: 'Only entries of this action.' }),
  actor_id: z.string().optional().meta({
    description:
      'Only entries of this actor: a key’s id, or the user id of a person. While `member_detail_enabled` is off, entries about trainings, assignments and cases are left out.',
  }),
  order: z
    .enum(['desc', 'asc'])
    .default('desc')
    .meta({ description: '`desc`: the newest entries first. `asc`: the oldest first, to follow the log.' }),
});
export type AuditEntriesQuery = z.output<typeof AuditEntriesQuery>;

export const ActionList = z.object({ actions: z.array(z.object({ action: z.string(), label: z.string() })) });
