import type { EndpointReach } from '../../../modules/webhooks/schema.ts';
import type { Tone } from '../../kit/page/tones.ts';
import { t } from '../../language/texts.ts';

/** The relation of an endpoint to the event, in words. */
export const reachWords = (): Readonly<Record<EndpointReach['state'], { tone: Tone; state: string; why: string }>> => ({
  asked: {
    tone: 'good',
    state: t('Gesendet', 'Sent'),
    why: t(
      'Der Endpunkt war aktiv und hatte dieses Ereignis abonniert.',
      'The endpoint was active and subscribed to this event.',
    ),
  },
  concerned: {
    tone: 'plain',
    state: t('Betroffen', 'Concerned'),
    why: t(
      'Das Ereignis betrifft diesen Endpunkt selbst und wird nur an andere gesendet.',
      'The event is about this endpoint itself and is sent to others only.',
    ),
  },
  not_subscribed: {
    tone: 'plain',
    state: t('Nicht abonniert', 'Not subscribed'),
    why: t(
      'Der Endpunkt hat diesen Ereignistyp nicht abonniert.',
      'The endpoint is not subscribed to this event type.',
    ),
  },
  disabled: {
    tone: 'plain',
    state: t('Deaktiviert', 'Disabled'),
    why: t('Der Endpunkt ist deaktiviert.', 'The endpoint is disabled.'),
  },
  paused: {
    tone: 'bad',
    state: t('Pausiert', 'Paused'),
    why: t(
      'Der Endpunkt ist wegen anhaltender Fehler pausiert.',
      'The endpoint is paused because of continuous failures.',
    ),
  },
  created_later: {
    tone: 'plain',
    state: t('Später angelegt', 'Created later'),
    why: t('Der Endpunkt wurde erst danach angelegt.', 'The endpoint was created afterwards.'),
  },
  not_sent: {
    tone: 'plain',
    state: t('Nicht gesendet', 'Not sent'),
    why: t(
      'Der Endpunkt war zu diesem Zeitpunkt nicht aktiv oder hatte das Ereignis nicht abonniert, oder die Zustellung ist nicht mehr gespeichert.',
      'At that time the endpoint was not active or not subscribed to the event, or the delivery is no longer kept.',
    ),
  },
});

/** Whether the last attempt to the endpoint before the event failed. Then the endpoint was failing at that moment. */
export const wasFailingBefore = ({ last_before: last, state }: Pick<EndpointReach, 'last_before' | 'state'>): boolean =>
  last !== null && !last.succeeded && state !== 'created_later';

/** First the endpoints that got the event or an attempt, then the others. */
export const reachedFirst = <Endpoint extends { deliveries: readonly unknown[] }>(
  endpoints: readonly Endpoint[],
): Endpoint[] => [
  ...endpoints.filter(({ deliveries }) => deliveries.length > 0),
  ...endpoints.filter(({ deliveries }) => deliveries.length === 0),
];

/** The state now of an endpoint to which the event was sent; undefined if it is still active. */
export const stateNow = ({ state, status }: Pick<EndpointReach, 'state' | 'status'>): string | undefined => {
  if (state !== 'asked' || status === 'active') return undefined;
  return status === 'disabled'
    ? t('Der Endpunkt ist jetzt deaktiviert.', 'The endpoint is disabled now.')
    : t('Der Endpunkt ist jetzt pausiert.', 'The endpoint is paused now.');
};
