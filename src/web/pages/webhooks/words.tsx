import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { EndpointDelivery, WebhookDelivery, WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { Status } from '../../kit/facts.tsx';
import type { Tone } from '../../kit/facts.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';

/** The state of an endpoint, in words. */
export const EndpointStatus = ({ status }: { status: WebhookEndpoint['status'] }) => {
  const t = useText();
  const states: Record<WebhookEndpoint['status'], [Tone, string]> = {
    active: ['good', t('Aktiv', 'Active')],
    disabled: ['plain', t('Von Ihnen abgeschaltet', 'Disabled by you')],
    disabled_failures: ['bad', t('Pausiert, weil nichts ankam', 'Paused, nothing got through')],
  };
  const [tone, words] = states[status];
  return <Status tone={tone}>{words}</Status>;
};

export const useDeliveryWords = (): Record<WebhookDelivery['status'], string> => {
  const t = useText();
  return {
    pending: t('Unterwegs', 'On its way'),
    failed: t('Fehlgeschlagen, wird wiederholt', 'Failed, will be retried'),
    ok: t('Zugestellt', 'Delivered'),
    gave_up: t('Aufgegeben', 'Given up'),
  };
};

const tones: Record<WebhookDelivery['status'], Tone> = { pending: 'info', failed: 'warn', ok: 'good', gave_up: 'bad' };

export const DeliveryStatus = ({ status }: { status: WebhookDelivery['status'] }) => (
  <Status tone={tones[status]}>{useDeliveryWords()[status]}</Status>
);

interface Answered {
  response_code: number | null;
  response_ms: number | null;
  error: string | null;
}

export const useMilliseconds = (): ((milliseconds: number) => string) => {
  const locale = useLocale();
  return (milliseconds) =>
    milliseconds < 1_000
      ? `${milliseconds.toLocaleString(locale)} ms`
      : `${(milliseconds / 1_000).toLocaleString(locale, { maximumFractionDigits: 1 })} s`;
};

/** The outcome of an attempt: the receiver's response, or why there was none. */
export const Outcome = ({ attempt: { response_code: code, response_ms: took, error } }: { attempt: Answered }) => {
  const t = useText();
  const duration = useMilliseconds();
  const answered = code === null ? undefined : t(`Antwort ${code}`, `Answered ${code}`);
  const within = took === null ? '' : t(` nach ${duration(took)}`, ` after ${duration(took)}`);
  return (
    <>
      {answered !== undefined && (
        <Text span size="sm">
          {answered}
          {within}
        </Text>
      )}
      {error !== null && (
        <Text span size="sm" c="var(--bad)" display={answered === undefined ? 'inline' : 'block'}>
          <Reason error={error} />
        </Text>
      )}
    </>
  );
};

/** Why an attempt failed. Most reasons are shown in the server's words, in English. */
export const Reason = ({ error }: { error: string }) => {
  const t = useText();
  if (error === 'endpoint paused') return t('Der Endpunkt wurde vorher pausiert.', 'The endpoint was paused first.');
  if (error === 'too many waiting') {
    return t(
      'Zu viele Zustellungen des Teams warteten; die ältesten wurden aufgegeben. Das Ereignis kann nachgeholt werden.',
      'Too many of the team’s deliveries were waiting; the oldest were given up. The event can be recovered.',
    );
  }
  return <span lang="en">{error}</span>;
};

/** Since when nothing has got through to failing endpoints, by endpoint. */
export const useFailing = (): ReadonlyMap<string, string> => {
  const { data } = app.useQuery('webhookHistory.failing', {});
  return new Map(data?.endpoints.map(({ endpoint_id, failing_since }) => [endpoint_id, failing_since]));
};

type State = Pick<EndpointDelivery, 'status' | 'attempt'>;

/**
 * A delivery, polled while it is on its way. When its state changes, everything on the page is loaded again. `initial` is the state
 * before the first poll: many attempts end within milliseconds, before they are seen as pending.
 */
export const useDelivery = (delivery_id: string, initial?: State) => {
  const queries = useQueryClient();
  const before = useRef(initial);
  const answer = app.useQuery(
    'webhookHistory.delivery',
    { delivery_id },
    { refetchInterval: ({ status }) => (status === 'pending' ? 1_000 : false) },
  );
  const { status, attempt } = answer.data ?? {};
  useEffect(() => {
    if (status === undefined || attempt === undefined) return;
    const was = before.current;
    before.current = { status, attempt };
    const isNews = was !== undefined && (was.status !== status || was.attempt !== attempt);
    if (isNews && status !== 'pending') void queries.invalidateQueries();
  }, [status, attempt, queries]);
  return answer;
};
