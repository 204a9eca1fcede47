import { Accordion, Group, Stack, Text, Title } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import type { Attempt, EndpointDelivery } from '../../../modules/webhooks/schema.ts';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { ActionButton } from '../../kit/page/action-button.tsx';
import { Copy, CopyableId, idFact } from '../../kit/text/copy.tsx';
import { Facts, Status, type Fact } from '../../kit/page/facts.tsx';
import { number } from '../../kit/text/figures.ts';
import { ExactTime } from '../../kit/text/formats.tsx';
import { Detail, Page, Panel, Pending } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import { isNotFound } from '../../server/problem.ts';
import { api, app, client } from '../../server/server.ts';
import { NoApiNotice, useHasApi, useSignedIn } from '../../session/signed-in.tsx';
import { CodeText, JsonText } from './code-text.tsx';
import { isSuccess, nextStep, noAnswerText, reasonText } from './delivery-words.ts';
import { canReplay, canRetry } from './rights.ts';
import { DeliveryStatus, NextTry, Outcome, ReplayButton, useDelivery } from './words.tsx';

const useEndpoint = (id: string) => {
  const { data } = useQuery(api.webhooks.list.queryOptions({}));
  return data?.data.find((endpoint) => endpoint.id === id);
};

const useEventReference = () => useQuery(app.reference.events.queryOptions({}));

const Actions = ({ endpointId, delivery }: { endpointId: string; delivery: EndpointDelivery }) => {
  const endpoint = useEndpoint(endpointId);
  const hasApi = useHasApi();
  const { id, event_id, event_type } = delivery;
  if (!hasApi) return <NoApiNotice about="webhooks" />;
  return (
    <Group gap="sm">
      {canReplay(event_type, endpoint?.status, hasApi) && <ReplayButton eventId={event_id} endpointId={endpointId} />}
      {canRetry(delivery, hasApi) && (
        <ActionButton
          variant="filled"
          leftSection={<IconRefresh size={16} aria-hidden />}
          act={() => client.api.webhooks.retry.mutate({ delivery_id: id })}
        >
          {t('Jetzt erneut versuchen', 'Retry now')}
        </ActionButton>
      )}
    </Group>
  );
};

/** The page of a delivery, also shown beside the list. */
export const OneDelivery = ({ endpointId, deliveryId }: { endpointId: string; deliveryId: string }) => {
  const query = useDelivery(deliveryId);
  const { data: delivery } = query;
  const isGone = isNotFound(query.error) || (delivery !== undefined && delivery.endpoint_id !== endpointId);
  const endpoint = useEndpoint(endpointId);
  // The page waits for the reference: otherwise the attempts move down when the event's subject is added to the facts.
  const { isPending: isAboutMissing } = useEventReference();
  const page = {
    title: delivery?.event_type ?? t('Zustellung', 'Delivery'),
    back: { to: `/webhooks/${endpointId}`, label: endpoint?.url ?? t('Endpunkt', 'Endpoint') },
  };
  return (
    <Detail
      {...page}
      query={isAboutMissing ? { ...query, data: undefined } : query}
      isMissing={isGone}
      missing={t('Zustellung nicht gefunden', 'Delivery not found')}
      advice={t(
        'Ältere Zustellungen werden automatisch gelöscht. Die neuesten finden Sie beim Endpunkt.',
        'Older deliveries are deleted automatically. The newest ones are listed with the endpoint.',
      )}
    >
      {(found) => (
        <Page {...page} actions={<Actions endpointId={endpointId} delivery={found} />}>
          <DeliveryFacts delivery={found} />
          <Attempts delivery={found} />
        </Page>
      )}
    </Detail>
  );
};

export default function DeliveryPage() {
  const { id = '', deliveryId = '' } = useParams();
  return <OneDelivery key={deliveryId} endpointId={id} deliveryId={deliveryId} />;
}

const DeliveryFacts = ({ delivery }: { delivery: EndpointDelivery }) => {
  const { data: reference } = useEventReference();
  const about = reference?.events.find(({ type }) => type === delivery.event_type)?.about;
  const { id, event_id, attempt, created_at, next_try_at, status, error, is_held } = delivery;
  const facts: (Fact | false)[] = [
    {
      name: t('Status', 'Status'),
      alone: 'when narrow',
      value: (
        <div role="status">
          <DeliveryStatus status={status} isHeld={is_held} />
          <Hint size="xs" mt={4}>
            {nextStep(delivery)}
          </Hint>
          {(error === 'endpoint paused' || error === 'too many waiting') && <Hint size="xs">{reasonText(error)}</Hint>}
        </div>
      ),
    },
    about !== undefined && { name: t('Anlass', 'Trigger'), value: about },
    { name: t('Versuche', 'Attempts'), value: number(attempt) },
    {
      name: t('Letzte Antwort', 'Last response'),
      alone: 'when narrow',
      value: attempt === 0 ? '–' : <Outcome attempt={delivery} />,
    },
    status === 'failed' &&
      next_try_at !== null && {
        name: t('Nächster Versuch', 'Next attempt'),
        alone: 'when narrow',
        value: (
          <>
            <NextTry at={next_try_at} />
            <Hint size="xs">
              <ExactTime at={next_try_at} />
            </Hint>
          </>
        ),
      },
    { name: t('Angelegt', 'Created'), value: created_at !== null && <ExactTime at={created_at} /> },
    idFact(id, t('Zustellungs-ID', 'Delivery ID')),
    {
      name: t('Ereignis-ID', 'Event ID'),
      alone: 'when not wide',
      value: (
        <>
          <CopyableId id={event_id} what={t('Ereignis-ID', 'event ID')} />
          <TextLink to={`/webhooks/events/${event_id}`}>
            {t('Ereignis und alle Endpunkte ansehen', 'View the event and all endpoints')}
          </TextLink>
        </>
      ),
    },
  ];
  return (
    <Panel title={t('Zustellung', 'Delivery')}>
      <Facts sideBySide facts={facts} />
    </Panel>
  );
};

const linesOf = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

const Sent = ({ attempt: { url, request_headers, request_body } }: { attempt: Attempt }) => (
  <Stack gap="xs">
    <Title order={4} size="h6">
      {t('Gesendet', 'Sent')}
    </Title>
    <CodeText label={t('Request-Header', 'Request headers')}>{`POST ${url}\n${linesOf(request_headers)}`}</CodeText>
    {request_body === null ? (
      <Hint>
        {t(
          'Der Request-Body ist nicht verfügbar: Das Ereignis wurde bereits gelöscht, oder es enthält personenbezogene Daten, die Ihr Team ausgeblendet hat.',
          'The request body is unavailable: the event was already deleted, or it contains member-level data that your team has hidden.',
        )}
      </Hint>
    ) : (
      <div>
        <Group justify="flex-end" mb={4}>
          <Hint size="xs">{t('Body: formatiert', 'Body: formatted')}</Hint>
          <Copy value={request_body} what={t('Original-Body', 'original body')} />
        </Group>
        <JsonText label={t('Request-Body', 'Request body')} text={request_body} />
      </div>
    )}
  </Stack>
);

const Received = ({ attempt }: { attempt: Attempt }) => {
  const { response_code, response_headers, response_excerpt, member_detail } = attempt;
  const { privacy } = useSignedIn().team;
  const isHidden = member_detail && !privacy.member_detail;
  return (
    <Stack gap="xs">
      <Title order={4} size="h6">
        {t('Empfangen', 'Received')}
      </Title>
      <div>
        <Outcome attempt={attempt} />
      </div>
      {response_headers && Object.keys(response_headers).length > 0 && (
        <CodeText label={t('Response-Header', 'Response headers')}>{linesOf(response_headers)}</CodeText>
      )}
      {response_excerpt !== null && response_excerpt !== '' && (
        <CodeText label={t('Response-Body (Anfang)', 'Response body (beginning)')}>{response_excerpt}</CodeText>
      )}
      {response_code !== null && response_headers === null && <Hint>{noAnswerText(isHidden)}</Hint>}
      {response_excerpt === '' && <Hint>{t('Die Antwort war leer.', 'The response was empty.')}</Hint>}
    </Stack>
  );
};

const Heading = ({ attempt }: { attempt: Attempt }) => {
  const { number, manual, started_at } = attempt;
  return (
    <Group gap="sm">
      <Text span fw={600} size="sm">
        {t(`Versuch ${number}`, `Attempt ${number}`)}
      </Text>
      {isSuccess(attempt) ? (
        <Status tone="good">{t('Zugestellt', 'Delivered')}</Status>
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
  const [newest] = attempts;
  if (!newest) {
    return <Hint>{t('Noch keine Versuche.', 'No attempts yet.')}</Hint>;
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
  const query = useQuery(app.webhookHistory.attempts.queryOptions({ delivery_id: delivery.id }));
  return (
    <Panel title={t('Versuche', 'Attempts')}>
      {query.data ? <AttemptList attempts={query.data.data} /> : <Pending query={query} height={180} />}
    </Panel>
  );
};
