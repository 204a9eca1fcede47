import { isRecord } from './json.ts';
import type { Texts } from './language.ts';
import { impersonalData, shownWhileHidden } from './privacy.ts';

/**
 * All events to which an endpoint can subscribe, and when they are raised. `ping` is sent only by an endpoint's test.
 */
export const eventTypes = {
  'training.completed': 'a training session ended',
  'evaluation.completed': 'an evaluation was saved',
  'assignment.created': 'an assignment was created through the API',
  'assignment.completed': 'an assignment was set to `done` through the API',
  'member.joined': 'a membership started',
  'member.removed': 'a membership ended',
  'crm.sync.failed': 'a CRM sync attempt failed',
  'endpoint.failing': 'another webhook endpoint of the team has been failing for a while',
  'endpoint.paused': 'another webhook endpoint of the team was paused',
  'endpoint.recovered': 'another webhook endpoint of the team works again',
  'audit.recorded': 'an action was recorded in the audit log',
} as const satisfies Record<string, string>;

export type EventType = keyof typeof eventTypes;

export const isEventType = (text: string): text is EventType => Object.hasOwn(eventTypes, text);

export const allEventTypes: readonly EventType[] = Object.keys(eventTypes).filter(isEventType);

export type SentType = EventType | 'ping';

/** All types that are sent: the events, and the ping of a test. */
export const sentTypes: readonly SentType[] = [...allEventTypes, 'ping'];

/** The types in the event feed: entries of the audit log have a list of their own. */
export const feedTypes = sentTypes.filter((type) => type !== 'audit.recorded');

/** When each event is sent, in the words of the contract. */
export const triggers: Readonly<Record<SentType, string>> = { ...eventTypes, ping: 'an endpoint is tested' };

/** Events about an endpoint, which are never sent to this endpoint itself. */
const endpointTypes: ReadonlySet<string> = new Set(['endpoint.failing', 'endpoint.paused', 'endpoint.recovered']);

/** Whether an event is about this endpoint. An audit event is about the endpoint that its data names. */
export const isAboutEndpoint = (type: string, data: Record<string, unknown>, endpointId: string): boolean => {
  if (type !== 'audit.recorded') return endpointTypes.has(type) && data['endpoint_id'] === endpointId;
  const { target, data: changes } = data;
  return (
    (isRecord(target) && target['id'] === endpointId) || (isRecord(changes) && changes['endpoint_id'] === endpointId)
  );
};

/** An audit entry in the form that its event has. */
const auditedIn = ({ action, actor, target, data }: Record<string, unknown>) => ({
  actor: isRecord(actor) ? actor : {},
  target: isRecord(target) ? target : {},
  entry: {
    action: String(action),
    targetType: isRecord(target) ? String(target['type']) : '',
    data: isRecord(data) ? data : {},
  },
});

/** Whether an event's data is about a single person. */
export const isPersonal = (type: string, data: Record<string, unknown>): boolean => {
  if (type !== 'audit.recorded') return 'user_id' in data || 'score' in data;
  const { entry } = auditedIn(data);
  return entry.action === 'member.removed' || shownWhileHidden(entry) !== 'whole';
};

/**
 * The data of an event of any type but `audit.recorded`, as it is shown and sent while the team hides member details.
 */
export const withoutPerson = <Data extends { user_id?: unknown; score?: unknown }>(data: Data): Data => {
  const copy = { ...data };
  delete copy.user_id;
  delete copy.score;
  return copy;
};

/**
 * The data of an event of any type while the team hides member details. If the audit log then hides an entry, the data
 * says which action was done, but neither to which object nor by which person.
 */
export const impersonal = (type: string, data: Record<string, unknown>): Record<string, unknown> => {
  if (type !== 'audit.recorded') return withoutPerson(data);
  const { actor, target, entry } = auditedIn(data);
  const shown = { ...data, data: impersonalData(entry) };
  const how = shownWhileHidden(entry);
  if (how === 'whole') return shown;
  const nobody = actor['kind'] === 'person' ? { ...actor, id: null } : actor;
  const anonymous = { ...shown, actor: nobody, request_id: null, address: null };
  return how === 'hidden' ? { ...anonymous, target: { ...target, id: null }, data: {} } : anonymous;
};

/** The events in plain words, for people who choose the events of an endpoint; and the `ping`. */
export const eventTexts: Readonly<Record<SentType, Texts>> = {
  'training.completed': { de: 'Ein Training wurde beendet', en: 'A training ended' },
  'evaluation.completed': {
    de: 'Eine Bewertung wurde gespeichert oder korrigiert',
    en: 'An evaluation was saved or corrected',
  },
  'assignment.created': {
    de: 'Eine Aufgabe wurde über die API angelegt',
    en: 'An assignment was created through the API',
  },
  'assignment.completed': {
    de: 'Eine Aufgabe wurde über die API als erledigt markiert',
    en: 'An assignment was marked as done through the API',
  },
  'member.joined': {
    de: 'Ein Mitglied wurde eingeladen oder hinzugefügt',
    en: 'A member was invited or added',
  },
  'member.removed': { de: 'Ein Mitglied wurde entfernt', en: 'A member was removed' },
  'crm.sync.failed': {
    de: 'Ein CRM-Abgleich ist fehlgeschlagen',
    en: 'A CRM sync failed',
  },
  'endpoint.failing': {
    de: 'Ein anderer Webhook-Endpunkt scheitert seit einiger Zeit',
    en: 'Another webhook endpoint has been failing for a while',
  },
  'endpoint.paused': { de: 'Ein anderer Webhook-Endpunkt wurde pausiert', en: 'Another webhook endpoint was paused' },
  'endpoint.recovered': {
    de: 'Ein anderer Webhook-Endpunkt funktioniert wieder',
    en: 'Another webhook endpoint works again',
  },
  'audit.recorded': { de: 'Eine Aktion wurde protokolliert', en: 'An action was recorded in the audit log' },
  ping: { de: 'Testereignis', en: 'Test event' },
};
