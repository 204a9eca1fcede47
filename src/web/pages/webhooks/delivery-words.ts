import type { Attempt, EndpointDelivery, WebhookDelivery } from '../../../modules/webhooks/schema.ts';
import type { StateWords } from '../../kit/page/tones.ts';
import { t } from '../../language/texts.ts';

export const deliveryStates = (): Readonly<Record<WebhookDelivery['status'], StateWords>> => ({
  pending: ['info', t('Ausstehend', 'Pending')],
  failed: ['warn', t('Fehlgeschlagen, wird wiederholt', 'Failed, retrying')],
  ok: ['good', t('Zugestellt', 'Delivered')],
  gave_up: ['bad', t('Endgültig fehlgeschlagen', 'Permanently failed')],
});

/** The same states for a delivery that waits until its endpoint is active again. */
const heldStates: typeof deliveryStates = () => ({
  ...deliveryStates(),
  pending: ['plain', t('Wartet auf den Endpunkt', 'Waiting for the endpoint')],
  failed: ['warn', t('Fehlgeschlagen, wartet auf den Endpunkt', 'Failed, waiting for the endpoint')],
});

/** The state of a delivery in words. `isHeld`: it waits until its endpoint is active again. */
export const deliveryState = (status: WebhookDelivery['status'], isHeld: boolean): StateWords =>
  (isHeld ? heldStates() : deliveryStates())[status];

/** Why an attempt failed, or the code of the rule by which a delivery was given up. */
export const reasonText = (error: string, german?: string | null): string => {
  if (error === 'endpoint paused') {
    return t('Der Endpunkt wurde vor der Zustellung pausiert.', 'The endpoint was paused before delivery.');
  }
  if (error === 'too many waiting') {
    return t(
      'Zu viele ausstehende Zustellungen im Team: Die ältesten wurden abgebrochen. Sie können das Ereignis nachholen.',
      'Too many pending deliveries in the team: the oldest were canceled. You can recover the event.',
    );
  }
  return t(german ?? error, error);
};

export const nextStep = ({ status, is_held }: Pick<EndpointDelivery, 'status' | 'is_held'>): string => {
  if (is_held) {
    return t(
      'Der Endpunkt ist nicht aktiv. Die Zustellung wird gesendet, sobald Sie ihn wieder aktivieren.',
      'The endpoint is not active. The delivery is sent once you reactivate it.',
    );
  }
  return {
    pending: t('Die Zustellung wird in Kürze gesendet.', 'The delivery will be sent shortly.'),
    failed: t('Der nächste Versuch erfolgt automatisch.', 'The next attempt is automatic.'),
    ok: t('Der Empfänger hat die Zustellung angenommen.', 'The receiver accepted the delivery.'),
    gave_up: t('Keine weiteren automatischen Versuche.', 'No more automatic attempts.'),
  }[status];
};

/** Why an attempt has no header and no body of the answer. `isHidden`: the team hides data of members. */
export const noAnswerText = (isHidden: boolean): string =>
  isHidden
    ? t(
        'Header und Body der Antwort sind ausgeblendet: Die Anfrage enthielt personenbezogene Daten, und die Antwort kann sie wiederholen.',
        'The response headers and body are hidden: the request contained member-level data, and the response may repeat it.',
      )
    : t(
        'Header und Body der Antwort wurden nicht gespeichert, weil das tägliche Speicherlimit des Teams erreicht war.',
        'The response headers and body were not stored because the team’s daily storage limit was reached.',
      );

export const isSuccess = ({ response_code: code, error }: Pick<Attempt, 'response_code' | 'error'>): boolean =>
  code !== null && code >= 200 && code < 300 && error === null;
