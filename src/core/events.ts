/** Every event a team can subscribe to, and when it is raised. `ping` comes only from an endpoint's test. */
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
