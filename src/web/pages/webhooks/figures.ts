import type { EventReach, MissedEvents } from '../../../modules/webhooks/schema.ts';
import { count, number, sumOf } from '../../kit/text/figures.ts';
import { locale, t } from '../../language/texts.ts';

interface AttemptCounts {
  readonly delivered: number;
  readonly failed: number;
}

export const attemptsIn = (days: readonly AttemptCounts[]): AttemptCounts => ({
  delivered: sumOf(days, 'delivered'),
  failed: sumOf(days, 'failed'),
});

export const attemptsText = ({ delivered, failed }: AttemptCounts): string =>
  t(
    `Zustellversuche der letzten 30 Tage: ${number(delivered)} zugestellt, ${number(failed)} fehlgeschlagen`,
    `Attempts of the last 30 days: ${number(delivered)} delivered, ${number(failed)} failed`,
  );

const percent = { style: 'percent', maximumFractionDigits: 1 } as const;

/** The share of the attempts that were delivered. */
export const deliveredText = ({ delivered, failed }: AttemptCounts): string => {
  if (delivered + failed === 0) return t('Nichts gesendet', 'Nothing sent');
  const share = (delivered / (delivered + failed)).toLocaleString(locale(), percent);
  return t(`${share} zugestellt`, `${share} delivered`);
};

export const retriedText = (done: number): string =>
  count(
    done,
    t('Zustellung wird jetzt wiederholt.', 'delivery is being retried now.'),
    t('Zustellungen werden jetzt wiederholt.', 'deliveries are being retried now.'),
  );

export const recoveredText = (recovered: number): string =>
  recovered === 0
    ? t('Keine verpassten Ereignisse seit diesem Zeitpunkt.', 'No missed events since then.')
    : count(
        recovered,
        t('Ereignis wird erneut gesendet.', 'event is being sent again.'),
        t('Ereignisse werden erneut gesendet.', 'events are being sent again.'),
      );

/** How many events an endpoint missed. Shown before they are recovered. */
export const missedText = ({ missed, at_most: most }: Pick<MissedEvents, 'missed' | 'at_most'>): string => {
  if (missed === 0) return t('Keine verpassten Ereignisse seit diesem Zeitpunkt.', 'No missed events since then.');
  const plenty = missed < most ? '' : t('Mindestens ', 'At least ');
  const events = count(missed, t('verpasstes Ereignis', 'missed event'), t('verpasste Ereignisse', 'missed events'));
  return t(`${plenty}${events} seit diesem Zeitpunkt.`, `${plenty}${events} since then.`);
};

/** The switch that adds the events that are older than the endpoint. */
export const olderText = ({ older, at_most: most }: Pick<MissedEvents, 'older' | 'at_most'>): string => {
  const plenty = older < most ? '' : t('mindestens ', 'at least ');
  const events = count(older, t('Ereignis', 'event'), t('Ereignisse', 'events'));
  return older === 1
    ? t('Auch 1 Ereignis, das älter als der Endpunkt ist', 'Also 1 event that is older than the endpoint')
    : t(
        `Auch ${plenty}${events}, die älter als der Endpunkt sind`,
        `Also ${plenty}${events} that are older than the endpoint`,
      );
};

type ReachedEndpoint = { deliveries: readonly Pick<EventReach['endpoints'][number]['deliveries'][number], 'status'>[] };

/** Says to how many endpoints an event was sent, and to how many of them it was delivered. */
export const reachText = (endpoints: readonly ReachedEndpoint[]): string => {
  const delivered = endpoints.filter(({ deliveries }) => deliveries.some(({ status }) => status === 'ok')).length;
  const asked = endpoints.filter(({ deliveries }) => deliveries.length > 0).length;
  if (endpoints.length === 0) return t('Das Team hat keinen Endpunkt.', 'The team has no endpoint.');
  if (asked === 0) {
    return t(
      'An keinen Endpunkt gesendet. Der Grund steht beim jeweiligen Endpunkt.',
      'Not sent to any endpoint. The reason is shown for each endpoint.',
    );
  }
  const endpointsAsked = count(asked, t('Endpunkt', 'endpoint'), t('Endpunkte', 'endpoints'));
  return t(
    `An ${endpointsAsked} gesendet, davon ${number(delivered)} zugestellt.`,
    `Sent to ${endpointsAsked}, delivered to ${number(delivered)}.`,
  );
};
