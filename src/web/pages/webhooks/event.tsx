import { Group, Text, Box } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import type { EndpointReach, EventReach, ReachDelivery } from '../../../modules/webhooks/schema.ts';
import { DocsLink, Hint, TextLink } from '../../kit/text/text.tsx';
import { Copy, idFact } from '../../kit/text/copy.tsx';
import classes from '../../kit/list/list.module.css';
import { Facts, Status } from '../../kit/page/facts.tsx';
import { ExactTime } from '../../kit/text/formats.tsx';
import { Empty } from '../../kit/page/messages.tsx';
import { Detail, Page, Panel } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useHasApi } from '../../session/signed-in.tsx';
import { JsonText } from './code-text.tsx';
import { reachText } from './figures.ts';
import { reachedFirst, reachWords, stateNow, wasFailingBefore } from './reach-words.ts';
import { canReplay } from './rights.ts';
import { DeliveryStatus, Outcome, ReplayButton } from './words.tsx';

const Attempts = ({ delivery: { attempts } }: { delivery: ReachDelivery }) => {
  if (attempts.length === 0) {
    return <Hint>{t('Noch kein Versuch', 'No attempts yet')}</Hint>;
  }
  return (
    <Box component="ol" m="6px 0 0" ps={20} fz={14} aria-label={t('Versuche', 'Attempts')}>
      {attempts.map((attempt) => (
        <li key={attempt.id}>
          <Text span size="sm" c="dimmed">
            <ExactTime at={attempt.started_at} />
            {attempt.manual && ` · ${t('manuell', 'manual')}`}
          </Text>{' '}
          <Outcome attempt={attempt} />
        </li>
      ))}
    </Box>
  );
};

const Delivery = ({ endpointId, delivery }: { endpointId: string; delivery: ReachDelivery }) => (
  <Box mt={10} p="10px 14px" bdrs="md" bg="var(--plain-back)">
    <Group gap="sm">
      <DeliveryStatus status={delivery.status} isHeld={delivery.is_held} />
      {delivery.by_hand && (
        <Text span size="sm" c="dimmed">
          {t('als neue Zustellung gesendet', 'replayed')}
        </Text>
      )}
      <TextLink to={`/webhooks/${endpointId}/deliveries/${delivery.id}`}>
        {t('Zustellung ansehen', 'View delivery')}
      </TextLink>
    </Group>
    <Attempts delivery={delivery} />
  </Box>
);

/** The last attempt to the endpoint before the event, if it failed. Then the endpoint was failing at that moment. */
const FailingBefore = ({ endpoint }: { endpoint: EndpointReach }) => {
  const { last_before } = endpoint;
  if (last_before === null || !wasFailingBefore(endpoint)) return null;
  return (
    <Text size="sm" c="var(--bad)">
      {t(
        'Fehlerhaft: Der letzte Versuch davor schlug fehl, am ',
        'Failing: the last attempt before the event failed, on ',
      )}
      <ExactTime at={last_before.at} />
    </Text>
  );
};

const Endpoint = ({ event, endpoint }: { event: EventReach; endpoint: EndpointReach }) => {
  const hasApi = useHasApi();
  const { tone, state, why } = reachWords()[endpoint.state];
  const now = stateNow(endpoint);
  const { endpoint_id, url, status, deliveries, created_at } = endpoint;
  return (
    <li>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box className={classes['words'] ?? ''} flex="1 1 320px">
          <TextLink to={`/webhooks/${endpoint_id}`} fw={600}>
            {url}
          </TextLink>
          <Group gap="sm" my={4}>
            <Status tone={tone}>{state}</Status>
            <Text size="sm">{why}</Text>
          </Group>
          {endpoint.state === 'created_later' && (
            <Hint>
              {t('Angelegt am ', 'Created on ')}
              <ExactTime at={created_at} />
            </Hint>
          )}
          <FailingBefore endpoint={endpoint} />
          {now !== undefined && <Hint>{now}</Hint>}
        </Box>
        {canReplay(event.type, status, hasApi) && (
          <ReplayButton
            size="xs"
            eventId={event.event_id}
            endpointId={endpoint_id}
            aria-label={t(`Als neue Zustellung senden an ${url}`, `Replay event to ${url}`)}
          />
        )}
      </Group>
      {deliveries.map((delivery) => (
        <Delivery key={delivery.id} endpointId={endpoint_id} delivery={delivery} />
      ))}
    </li>
  );
};

const Endpoints = ({ event }: { event: EventReach }) => (
  <Panel title={t('Endpunkte', 'Endpoints')}>
    {event.endpoints.length === 0 ? (
      <Empty
        title={reachText(event.endpoints)}
        link={{ to: '/webhooks', label: t('Webhooks öffnen', 'Open webhooks') }}
      />
    ) : (
      <>
        <Text size="sm" mb="sm">
          {reachText(event.endpoints)}
        </Text>
        <ul className={classes['list']}>
          {reachedFirst(event.endpoints).map((endpoint) => (
            <Endpoint key={endpoint.endpoint_id} event={event} endpoint={endpoint} />
          ))}
        </ul>
      </>
    )}
  </Panel>
);

const EventFacts = ({ event }: { event: EventReach }) => {
  const { data: reference } = useQuery(app.reference.events.queryOptions({}));
  const about = reference?.events.find(({ type }) => type === event.type)?.about;
  return (
    <Panel title={t('Ereignis', 'Event')}>
      <Facts
        sideBySide
        facts={[
          about !== undefined && { name: t('Anlass', 'Trigger'), value: about, alone: 'when narrow' },
          { name: t('Zeit', 'Time'), value: <ExactTime at={event.created_at} /> },
          idFact(event.event_id, t('Ereignis-ID', 'Event ID')),
        ]}
      />
    </Panel>
  );
};

const Body = ({ event: { body } }: { event: EventReach }) => (
  <Panel
    title={t('Body, wie er gesendet wird', 'Body, as it is sent')}
    actions={body !== null && <Copy value={body} what={t('Body', 'body')} />}
  >
    {body === null ? (
      <Hint>
        {t(
          'Wegen Datenschutz nicht verfügbar: Das Ereignis betrifft eine Person.',
          'Unavailable: member-level data is hidden, and the event is about a person.',
        )}
      </Hint>
    ) : (
      <JsonText label={t('Body des Ereignisses', 'Body of the event')} text={body} />
    )}
  </Panel>
);

export default function EventPage() {
  const { id = '' } = useParams();
  const query = useQuery(
    app.webhookHistory.event.queryOptions(
      { event_id: id },
      {
        refetchInterval: ({ state }) =>
          state.data?.endpoints.some(({ deliveries }) => deliveries.some(({ status }) => status === 'pending'))
            ? 2_000
            : false,
      },
    ),
  );
  const page = {
    title: query.data?.type ?? t('Ereignis', 'Event'),
    lead: (
      <>
        {t(
          'An welche Endpunkte es gesendet wurde und warum an andere nicht. ',
          'Which endpoints it was sent to, and why not to the others. ',
        )}
        <DocsLink page="event-feed">
          {t('Alle Ereignisse über die API lesen', 'Read all events through the API')}
        </DocsLink>
      </>
    ),
    back: { to: '/webhooks', label: 'Webhooks' },
  };
  return (
    <Detail
      {...page}
      query={query}
      missing={t('Ereignis nicht gefunden', 'Event not found')}
      advice={t(
        'Es ist nicht mehr gespeichert, oder es gehört zu einem anderen Team.',
        'It is no longer stored, or it belongs to another team.',
      )}
    >
      {(event) => (
        <Page {...page}>
          <EventFacts event={event} />
          <Endpoints event={event} />
          <Body event={event} />
        </Page>
      )}
    </Detail>
  );
}
