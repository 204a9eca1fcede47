import type { Texts } from './language.ts';

/** All events to which an endpoint can subscribe, and when they are raised. `ping` is sent only by an endpoint's test. */
export const eventTypes = {
  'training.completed': 'a training session ended',
  'evaluation.completed': 'an evaluation was saved',
  'assignment.created': 'an assignment was created',
  'assignment.completed': 'an assignment was completed',
  'member.joined': 'a membership started',
  'member.removed': 'a membership ended',
  'crm.sync.failed': 'a CRM sync attempt failed',
} as const satisfies Record<string, string>;

export type EventType = keyof typeof eventTypes;

export const isEventType = (text: string): text is EventType => Object.hasOwn(eventTypes, text);

export const allEventTypes: readonly EventType[] = Object.keys(eventTypes).filter(isEventType);

/** The events in plain words, for people who choose the events of an endpoint; and the `ping`. */
export const eventTexts: Readonly<Record<EventType | 'ping', Texts>> = {
  'training.completed': { de: 'Ein Training wurde beendet', en: 'A training ended' },
  'evaluation.completed': {
    de: 'Eine Auswertung wurde gespeichert oder korrigiert',
    en: 'An evaluation was saved or corrected',
  },
  'assignment.created': {
    de: 'Über die API wurde eine Aufgabe vergeben',
    en: 'An assignment was given through the API',
  },
  'assignment.completed': {
    de: 'Über die API wurde eine Aufgabe als erledigt gemeldet',
    en: 'An assignment was marked as done through the API',
  },
  'member.joined': {
    de: 'Jemand wurde ins Team eingeladen oder aufgenommen',
    en: 'Somebody was invited or added to the team',
  },
  'member.removed': { de: 'Jemand hat das Team verlassen', en: 'Somebody left the team' },
  'crm.sync.failed': {
    de: 'Der Abgleich mit dem CRM ist fehlgeschlagen',
    en: 'The synchronization with the CRM failed',
  },
  ping: { de: 'Ein Test des Endpunkts', en: 'A test of the endpoint' },
};
