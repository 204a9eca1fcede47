import { Skeleton, Text } from '@mantine/core';
import { IconRepeat } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useNavigate } from 'react-router';
import type { Attempt, EndpointDelivery, WebhookDelivery, WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { ActionButton, type ActionButtonProps } from '../../kit/page/action-button.tsx';
import { SparkBars } from '../../kit/charts/spark-bars.tsx';
import { State } from '../../kit/page/facts.tsx';
import { Lines } from '../../kit/text/cut.tsx';
import { milliseconds } from '../../kit/text/figures.ts';
import { ExactTime, Time } from '../../kit/text/formats.tsx';
import { DocsLink } from '../../kit/text/text.tsx';
import { t } from '../../language/language.tsx';
import { app, client, type AppOutputs } from '../../server/server.ts';
import { healthOf } from './endpoint-health.ts';
import { deliveryState, reasonText } from './delivery-words.ts';
import { attemptsIn, attemptsText, deliveredText } from './figures.ts';
import { healthWords } from './health-words.ts';

interface EndpointStateProps {
  endpoint: Pick<WebhookEndpoint, 'status' | 'last_success_at'>;
  failingSince: string | undefined;
}

/** The health of an endpoint in words, with the start of its failures. */
export const EndpointState = ({ endpoint, failingSince }: EndpointStateProps) => (
  <Lines
    always
    below={
      failingSince !== undefined && (
        <Text span inherit c="var(--bad)">
          {t('Fehler seit ', 'Failing since ')}
          <ExactTime at={failingSince} />
        </Text>
      )
    }
  >
    <State words={healthWords()[healthOf(endpoint, failingSince)]} />
  </Lines>
);

/** In a narrow column, a type breaks after its dot. */
const Breakable = ({ type }: { type: string }) => {
  const [object = '', ...rest] = type.split('.');
  return (
    <>
      {object}
      {rest.length > 0 && '.'}
      <wbr />
      {rest.join('.')}
    </>
  );
};

export const EventType = ({ type }: { type: string | null }) => (
  <Text span inherit ff="monospace">
    {type === null ? t('Unbekannt', 'Unknown') : <Breakable type={type} />}
  </Text>
);

interface DeliveryStatusProps {
  status: WebhookDelivery['status'];
  /** Whether the delivery waits until its endpoint is active again. */
  isHeld?: boolean;
}

export const DeliveryStatus = ({ status, isHeld = false }: DeliveryStatusProps) => (
  <State words={deliveryState(status, isHeld)} />
);

/** The outcome of an attempt: the receiver's response, or why there was none. */
export const Outcome = ({
  attempt: { response_code: code, response_ms: took, error, error_de },
}: {
  attempt: Pick<Attempt, 'response_code' | 'response_ms' | 'error'> & { error_de?: string | null };
}) => {
  const answered = code === null ? undefined : t(`HTTP ${code}`, `HTTP ${code}`);
  const within = took === null ? '' : t(` nach ${milliseconds(took)}`, ` after ${milliseconds(took)}`);
  return (
    <>
      {answered !== undefined && (
        <Text span size="sm" style={{ whiteSpace: 'nowrap' }}>
          {answered}
          {within}
        </Text>
      )}
      {error !== null && (
        <Text size="sm" c="var(--bad)">
          {reasonText(error, error_de)}
        </Text>
      )}
    </>
  );
};

/**
 * When a delivery is attempted again. If that time is past, the attempt waits for other attempts to the same endpoint.
 */
export const NextTry = ({ at }: { at: string }) => <Time at={at} past={t('in Kürze', 'shortly')} />;

/** For each failing endpoint, the time since which it fails. */
export const useFailing = (): ReadonlyMap<string, string> => {
  const { data } = useQuery(app.webhookHistory.failing.queryOptions({}));
  return new Map(data?.endpoints.map(({ endpoint_id, failing_since }) => [endpoint_id, failing_since]));
};

type DeliveryProgress = Pick<EndpointDelivery, 'status' | 'attempt'>;

/**
 * A delivery, polled while it is pending and not held. When its status or attempt has changed and it is not pending any
 * more, everything on the page is loaded again. `initial` is the state before the first poll: many attempts end within
 * milliseconds, before the page sees them.
 */
export const useDelivery = (delivery_id: string, initial?: DeliveryProgress) => {
  const queries = useQueryClient();
  const before = useRef(initial);
  const answer = useQuery(
    app.webhookHistory.delivery.queryOptions(
      { delivery_id },
      { refetchInterval: ({ state: { data } }) => (data?.status === 'pending' && !data.is_held ? 1_000 : false) },
    ),
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

interface ReplayButtonProps extends Pick<ActionButtonProps, 'size' | 'aria-label'> {
  eventId: string;
  endpointId: string;
}

/** Sends an event to an endpoint again, and opens the new delivery. */
export const ReplayButton = ({ eventId, endpointId, ...button }: ReplayButtonProps) => {
  const navigate = useNavigate();
  const replay = async () => {
    const wanted = { event_id: eventId, endpoint_id: endpointId };
    const { delivery_id } = await client.app.webhookHistory.replay.mutate(wanted);
    await navigate(`/webhooks/${endpointId}/deliveries/${delivery_id}`);
  };
  return (
    <ActionButton
      {...button}
      leftSection={<IconRepeat size={16} aria-hidden />}
      act={replay}
      done={t('Ereignis wird als neue Zustellung gesendet.', 'Event is being replayed as a new delivery.')}
    >
      {t('Als neue Zustellung senden', 'Replay event')}
    </ActionButton>
  );
};

type HealthDay = AppOutputs['webhookHistory']['days']['endpoints'][number]['days'][number];

/** The attempts of the last days, and the share that was delivered. */
export const LatestAttempts = ({ days }: { days: readonly HealthDay[] | undefined }) => {
  if (!days) return <Skeleton height={18} width={119} />;
  const attempts = attemptsIn(days);
  return (
    <SparkBars
      days={days.map((day) => ({ all: day.delivered + day.failed, bad: day.failed }))}
      label={attemptsText(attempts)}
      caption={deliveredText(attempts)}
    />
  );
};

/** The programs are only in the documentation, where each of them is tested. */
export const SignaturePrograms = () => (
  <DocsLink page="webhook-signatures">
    {t('Programme zum Kopieren und Testvektoren', 'Programs to copy and test vectors')}
  </DocsLink>
);
