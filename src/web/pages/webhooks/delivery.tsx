import { Accordion, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconRefresh, IconRepeat } from '@tabler/icons-react';
import { useNavigate, useParams } from 'react-router';
import type { AttemptJson as Attempt, EndpointDelivery } from '../../../modules/webhooks/schema.ts';
import { Copy, CopyableId } from '../../kit/copy.tsx';
import { Facts, Status } from '../../kit/facts.tsx';
import type { Fact } from '../../kit/facts.tsx';
import { ExactTime, Time } from '../../kit/formats.tsx';
import { notify, ProblemAlert } from '../../kit/messages.tsx';
import { DetailState, Page, Panel } from '../../kit/page.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { problemOf } from '../../server/problem.ts';
import { api, app } from '../../server/server.ts';
import { NoApiNotice, useHasApi } from '../../session/signed-in.tsx';
import { CodeText, JsonText } from './code-text.tsx';
import { DeliveryStatus, Outcome, Reason, useDelivery } from './words.tsx';

const useEndpoint = (id: string) => {
  const { data } = api.useQuery('webhooks.list', {});
  return data?.data.find((endpoint) => endpoint.id === id);
};

const Actions = ({ endpointId, delivery }: { endpointId: string; delivery: EndpointDelivery }) => {
  const t = useText();
  const navigate = useNavigate();
  const endpoint = useEndpoint(endpointId);
  const retry = api.useMutation('webhooks.retry');
  const replay = app.useMutation('webhookHistory.replay');
  const hasApi = useHasApi();
  const { id, status, event_id, event_type } = delivery;
  const replayEvent = () =>
    replay.mutate(
      { event_id, endpoint_id: endpointId },
      {
        onSuccess: ({ delivery_id }) => {
          notify(t('Das Ereignis wird als neue Zustellung gesendet.', 'The event is being sent as a new delivery.'));
          void navigate(`/webhooks/${endpointId}/deliveries/${delivery_id}`);
        },
      },
    );
  if (!hasApi) return <NoApiNotice about="webhooks" />;
  return (
    <Stack gap="xs">
      <Group gap="sm">
        {event_type !== 'ping' && endpoint?.status === 'active' && (
          <Button
            variant="default"
            leftSection={<IconRepeat size={16} aria-hidden />}
            loading={replay.isPending}
            onClick={replayEvent}
          >
            {t('Als neue Zustellung senden', 'Replay event')}
          </Button>
        )}
        {(status === 'failed' || status === 'gave_up') && (
          <Button
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={retry.isPending}
            onClick={() => retry.mutate({ delivery_id: id })}
          >
            {t('Jetzt erneut versuchen', 'Retry now')}
          </Button>
        )}
      </Group>
      <ProblemAlert error={retry.error ?? replay.error} />
    </Stack>
  );
};

const DeliveryView = ({ endpointId, deliveryId }: { endpointId: string; deliveryId: string }) => {
  const t = useText();
  const { data: delivery, error, refetch } = useDelivery(deliveryId);
  const isGone = problemOf(error)?.code === 'not_found' || (delivery && delivery.endpoint_id !== endpointId);
  const endpoint = useEndpoint(endpointId);
  return (
    <Page
      title={delivery?.event_type ?? t('Zustellung', 'Delivery')}
      back={{ to: `/webhooks/${endpointId}`, label: endpoint?.url ?? t('Endpunkt', 'Endpoint') }}
      actions={delivery && !isGone ? <Actions endpointId={endpointId} delivery={delivery} /> : undefined}
    >
      {delivery && !isGone ? (
        <>
          <DeliveryFacts delivery={delivery} />
          <Attempts delivery={delivery} />
        </>
      ) : (
        <DetailState
          error={error}
          retry={() => void refetch()}
          missing={
            isGone
              ? {
                  title: t('Diese Zustellung ist nicht mehr da', 'This delivery is no longer there'),
                  advice: t(
                    'Zustellungen werden nur eine Weile aufbewahrt. Die neuesten stehen beim Endpunkt.',
                    'Deliveries are kept for a while only. The newest are listed with the endpoint.',
                  ),
                }
              : undefined
          }
        />
      )}
    </Page>
  );
};

export default function DeliveryPage() {
  const { id = '', deliveryId = '' } = useParams();
  return <DeliveryView key={deliveryId} endpointId={id} deliveryId={deliveryId} />;
}

/** What happens to a delivery next. */
const useNextStep = ({ status }: EndpointDelivery): string => {
  const t = useText();
  return {
    pending: t('Sie wird gerade gesendet oder ist gleich an der Reihe.', 'It is being sent, or is about to be.'),
    failed: t('Sie wird automatisch wiederholt.', 'It will be retried automatically.'),
    ok: t('Der Empfänger hat sie angenommen.', 'The receiver accepted it.'),
    gave_up: t('Es folgt kein automatischer Versuch mehr.', 'No automatic attempt follows.'),
  }[status];
};

/** The event and the state of a delivery. */
const DeliveryFacts = ({ delivery }: { delivery: EndpointDelivery }) => {
  const t = useText();
  const locale = useLocale();
  const { data: reference } = app.useQuery('reference.events', {});
  const about = reference?.events.find(({ type }) => type === delivery.event_type)?.about;
  const nextStep = useNextStep(delivery);
  const { event_id, attempt, created_at, next_try_at, status, error } = delivery;
  const facts: Fact[] = [
    {
      name: t('Zustand', 'State'),
      alone: 'when narrow',
      value: (
        <div role="status">
          <DeliveryStatus status={status} />
          <Text size="xs" c="dimmed" mt={4}>
            {nextStep}
          </Text>
          {(error === 'endpoint paused' || error === 'too many waiting') && (
            <Text size="xs" c="dimmed">
              <Reason error={error} />
            </Text>
          )}
        </div>
      ),
    },
  ];
  if (about !== undefined) facts.push({ name: t('Was geschah', 'What happened'), value: about });
  facts.push({ name: t('Versuche', 'Attempts'), value: attempt.toLocaleString(locale) });
  if (status === 'failed' && next_try_at !== null) {
    facts.push({
      name: t('Nächster Versuch', 'Next attempt'),
      alone: 'when narrow',
      value: (
        <>
          <Time at={next_try_at} /> (<ExactTime at={next_try_at} />)
        </>
      ),
    });
  }
  facts.push(
    { name: t('Angelegt', 'Created'), value: created_at !== null && <ExactTime at={created_at} /> },
    {
      name: t('Id des Ereignisses', 'Id of the event'),
      alone: 'always',
      value: <CopyableId id={event_id} what={t('Id', 'id')} />,
    },
  );
  return (
    <Panel title={t('Zustellung', 'Delivery')}>
      <Facts sideBySide facts={facts} />
    </Panel>
  );
};

const isSuccess = ({ response_code: code, error }: Attempt): boolean =>
  code !== null && code >= 200 && code < 300 && error === null;

const linesOf = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

const Sent = ({ attempt: { url, request_headers, request_body } }: { attempt: Attempt }) => {
  const t = useText();
  return (
    <Stack gap="xs">
      <Title order={4} size="h6">
        {t('Gesendet', 'Sent')}
      </Title>
      <CodeText label={t('Kopfzeilen der Anfrage', 'Headers of the request')}>
        {`POST ${url}\n${linesOf(request_headers)}`}
      </CodeText>
      {request_body === null ? (
        <Text size="sm" c="dimmed">
          {t(
            'Der Inhalt wird nicht gezeigt: Das Ereignis ist nicht mehr aufbewahrt, oder es handelt von einer Person, während Ihr Team solche Angaben nicht zeigt.',
            'The body is not shown: the event is no longer kept, or it is about a person while your team does not show such details.',
          )}
        </Text>
      ) : (
        <div>
          <Group justify="flex-end" mb={4}>
            <Text size="xs" c="dimmed">
              {t('Zur Anzeige eingerückt', 'Indented for display')}
            </Text>
            <Copy value={request_body} what={t('Inhalt, wie gesendet,', 'the body as sent')} />
          </Group>
          <JsonText label={t('Inhalt der Anfrage', 'Body of the request')} text={request_body} />
        </div>
      )}
    </Stack>
  );
};

const Received = ({ attempt }: { attempt: Attempt }) => {
  const t = useText();
  const { response_code, response_headers, response_excerpt } = attempt;
  return (
    <Stack gap="xs">
      <Title order={4} size="h6">
        {t('Empfangen', 'Received')}
      </Title>
      <div>
        <Outcome attempt={attempt} />
      </div>
      {response_headers && Object.keys(response_headers).length > 0 && (
        <CodeText label={t('Kopfzeilen der Antwort', 'Headers of the answer')}>{linesOf(response_headers)}</CodeText>
      )}
      {response_excerpt !== null && response_excerpt !== '' && (
        <CodeText label={t('Anfang der Antwort', 'Beginning of the answer')}>{response_excerpt}</CodeText>
      )}
      {response_code !== null && response_headers === null && (
        <Text size="sm" c="dimmed">
          {t(
            'Kopfzeilen und Inhalt der Antwort wurden nicht gespeichert: Die Zustellungen des Teams hatten an diesem Tag ihren Speicherplatz schon verbraucht.',
            'Headers and body of the answer were not kept: the team’s deliveries had used up their space for that day.',
          )}
        </Text>
      )}
      {response_excerpt === '' && (
        <Text size="sm" c="dimmed">
          {t('Die Antwort war leer.', 'The answer was empty.')}
        </Text>
      )}
    </Stack>
  );
};

const Heading = ({ attempt }: { attempt: Attempt }) => {
  const t = useText();
  const { number, manual, started_at } = attempt;
  return (
    <Group gap="sm">
      <Text span fw={600} size="sm">
        {t(`Versuch ${number}`, `Attempt ${number}`)}
      </Text>
      {isSuccess(attempt) ? (
        <Status tone="good">{t('Angekommen', 'Got through')}</Status>
      ) : (
        <Status tone="bad">{t('Fehlgeschlagen', 'Failed')}</Status>
      )}
      <Text span size="sm" c="dimmed">
        <ExactTime at={started_at} />
      </Text>
      {manual && (
        <Text span size="sm" c="dimmed">
          {t('manuell', 'manual')}
        </Text>
      )}
    </Group>
  );
};

const AttemptList = ({ attempts }: { attempts: readonly Attempt[] }) => {
  const t = useText();
  const [newest] = attempts;
  if (!newest) {
    return (
      <Text size="sm" c="dimmed">
        {t('Bisher gab es keinen Versuch.', 'There was no attempt so far.')}
      </Text>
    );
  }
  return (
    <Accordion key={newest.id} order={3} multiple defaultValue={[newest.id]} chevronPosition="left" variant="separated">
      {attempts.map((attempt) => (
        <Accordion.Item key={attempt.id} value={attempt.id}>
          <Accordion.Control>
            <Heading attempt={attempt} />
          </Accordion.Control>
          <Accordion.Panel>
            <Stack gap="lg">
              <Received attempt={attempt} />
              <Sent attempt={attempt} />
            </Stack>
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
};

/** The attempts to send a delivery, newest first, each with its request and the response. */
const Attempts = ({ delivery }: { delivery: EndpointDelivery }) => {
  const t = useText();
  const { data, error, refetch } = app.useQuery('webhookHistory.attempts', { delivery_id: delivery.id });
  return (
    <Panel title={t('Versuche', 'Attempts')}>
      {error && !data && <ProblemAlert error={error} retry={() => void refetch()} />}
      {!error && !data && <Skeleton height={180} />}
      {data && <AttemptList attempts={data.data} />}
    </Panel>
  );
};
