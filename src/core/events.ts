import type { Texts } from './language.ts';

/**
 * All events to which an endpoint can subscribe, and when they are raised. `ping` is sent only by an endpoint's test.
 */
export const eventTypes = {
  'training.completed': 'a training session ended',
  'evaluation.completed': 'an evaluation was saved',
  'assignment.created': 'an assignment was created',
  'assignment.completed': 'an assignment was completed',
  'member.joined': 'a membership started',
  'member.removed': 'a membership ended',
  'crm.sync.failed': 'a CRM sync attempt failed',
  'endpoint.failing': 'another webhook endpoint of the team has been failing for a while',
  'endpoint.paused': 'another webhook endpoint of the team was paused',
  'endpoint.recovered': 'another webhook endpoint of the team works again',
} as const satisfies Record<string, string>;

export type EventType = keyof typeof eventTypes;

export const isEventType = (text: string): text is EventType => Object.hasOwn(eventTypes, text);

export const allEventTypes: readonly EventType[] = Object.keys(eventTypes).filter(isEventType);

export type SentType = EventType | 'ping';

/** All types that are sent: the events, and the ping of a test. */
export const sentTypes: readonly SentType[] = [...allEventTypes, 'ping'];

/** When each is sent, in the words of the contract. */
export const triggers: Readonly<Record<SentType, string>> = { ...eventTypes, ping: 'an endpoint is tested' };

/** Events about an endpoint, which is never sent them itself. */
const endpointTypes: ReadonlySet<string> = new Set(['endpoint.failing', 'endpoint.paused', 'endpoint.recovered']);

/** Whether an event is about this endpoint. */
export const isAboutEndpoint = (type: string, data: Record<string, unknown>, endpointId: string): boolean =>
  endpointTypes.has(type) && data['endpoint_id'] === endpointId;

/** Whether an event's data is about a single person. */
export const isPersonal = (data: Record<string, unknown>): boolean => 'user_id' in data || 'score' in data;

/** The data of an event as it is shown and sent while the team hides member details. */
export const withoutPerson = <Data extends { user_id?: unknown; score?: unknown }>(data: Data): Data => {
  const copy = { ...data };
  delete copy.user_id;
  delete copy.score;
  return copy;
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
  ping: { de: 'Testereignis', en: 'Test event' },
};
