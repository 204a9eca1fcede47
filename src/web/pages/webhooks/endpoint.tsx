import { Anchor, Button, Group, Loader, Text } from '@mantine/core';
import { IconPencil, IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import type { WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { CopyableId } from '../../kit/copy.tsx';
import { Consequences } from '../../kit/dialog.tsx';
import { Facts } from '../../kit/facts.tsx';
import type { Fact } from '../../kit/facts.tsx';
import { ExactTime, Time } from '../../kit/formats.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { DangerPanel, DetailState, Page, Panel, useDeletion } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { api, app } from '../../server/server.ts';
import { NoApiNotice, useHasApi } from '../../session/signed-in.tsx';
import { CheckUp } from './check-up.tsx';
import { Deliveries } from './deliveries.tsx';
import { EditEndpointDialog } from './endpoint-form.tsx';
import { Health } from './health.tsx';
import { Disable, NotReached, Reactivate } from './not-reached.tsx';
import { Verification } from './verification.tsx';
import { DeliveryStatus, EndpointStatus, Outcome, useDelivery, useFailing } from './words.tsx';

const useBack = () => {
  const t = useText();
  return { to: '/webhooks', label: t('Alle Endpunkte', 'All endpoints') };
};

const EndpointView = ({ endpoint, deleteAndLeave }: DeleteEndpointProps) => {
  const t = useText();
  const back = useBack();
  const failingSince = useFailing().get(endpoint.id);
  const test = api.useMutation('webhooks.test');
  const [editing, setEditing] = useState(false);
  const [checking, setChecking] = useState(false);
  const hasApi = useHasApi();
  return (
    <Page
      title={endpoint.url}
      lead={endpoint.description ?? undefined}
      back={back}
      actions={
        <>
          <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setEditing(true)}>
            {t('Bearbeiten', 'Edit')}
          </Button>
          {hasApi && (
            <Button
              leftSection={<IconSend size={16} aria-hidden />}
              loading={test.isPending}
              onClick={() => test.mutate({ endpoint_id: endpoint.id })}
            >
              {t('Test senden', 'Send test')}
            </Button>
          )}
        </>
      }
    >
      <NoApiNotice about="webhooks" />
      <NotReached endpoint={endpoint} since={failingSince} />
      <ProblemAlert error={test.error} />
      {test.data && (
        <TestOutcome
          key={test.data.delivery_id}
          endpointId={endpoint.id}
          deliveryId={test.data.delivery_id}
          isActive={endpoint.status === 'active'}
        />
      )}
      <EndpointFacts endpoint={endpoint} />
      <Health endpointId={endpoint.id} />
      <Deliveries endpoint={endpoint} failingSince={failingSince} />
      <Panel
        title={t('Signatur prüfen', 'Checking the signature')}
        actions={
          <Button variant="default" size="xs" aria-expanded={checking} onClick={() => setChecking(!checking)}>
            {checking ? t('Ausblenden', 'Hide') : t('So geht es', 'Show how')}
          </Button>
        }
      >
        {checking ? (
          <Verification />
        ) : (
          <Text size="sm" c="dimmed">
            {t(
              'So prüft Ihr System, ob eine Anfrage von uns kommt.',
              'How your system checks that a request comes from us.',
            )}
          </Text>
        )}
      </Panel>
      <CheckUp endpointId={endpoint.id} hasApi={hasApi} />
      <DeleteEndpoint endpoint={endpoint} deleteAndLeave={deleteAndLeave} />
      <EditEndpointDialog endpoint={endpoint} opened={editing} onClose={() => setEditing(false)} />
    </Page>
  );
};

export default function EndpointPage() {
  const t = useText();
  const back = useBack();
  const { id = '' } = useParams();
  const { data, error, refetch } = api.useQuery('webhooks.list', {});
  const { isDeleting, deleteAndLeave } = useDeletion('/webhooks');
  const endpoint = data?.data.find((one) => one.id === id);
  if (endpoint && !isDeleting) return <EndpointView key={id} endpoint={endpoint} deleteAndLeave={deleteAndLeave} />;
  return (
    <Page title={t('Endpunkt', 'Endpoint')} back={back}>
      {!isDeleting && (
        <DetailState
          error={data ? null : error}
          retry={() => void refetch()}
          missing={
            data && {
              title: t('Diesen Endpunkt gibt es nicht', 'There is no such endpoint'),
              advice: t(
                'Er wurde gelöscht, oder er gehört zu einem anderen Team.',
                'It was deleted, or it belongs to another team.',
              ),
            }
          }
        />
      )}
    </Page>
  );
}

/** The settings and the state of an endpoint. */
const EndpointFacts = ({ endpoint }: { endpoint: WebhookEndpoint }) => {
  const t = useText();
  const { data: reference } = app.useQuery('reference.events', {});
  const aboutOf = new Map(reference?.events.map(({ type, about }) => [type, about]));
  const { id, status, events, api_version, created_at, last_success_at } = endpoint;
  // A paused endpoint is reactivated in the notice that says why it was paused.
  const switches = {
    active: <Disable endpoint={endpoint} />,
    disabled: <Reactivate endpoint={endpoint} />,
    disabled_failures: undefined,
  };
  const facts: Fact[] = [
    { name: t('Zustand', 'State'), value: <EndpointStatus status={status} />, alone: 'when narrow' },
    {
      name: t('Zuletzt angekommen', 'Last success'),
      value: last_success_at === null ? t('Noch nie', 'Never yet') : <Time at={last_success_at} />,
    },
    { name: t('Angelegt', 'Created'), value: created_at !== null && <ExactTime at={created_at} /> },
    { name: t('Version der Ereignisse', 'Event version'), value: api_version },
    {
      name: 'Id',
      alone: 'always',
      value: <CopyableId id={id} what={t('Id', 'id')} />,
    },
    {
      name: t('Ereignisse', 'Events'),
      alone: 'always',
      value: events.map((type) => (
        <div key={type}>
          <Text span size="sm" ff="monospace">
            {type}
          </Text>
          <Text span size="sm" c="dimmed">
            {' '}
            {aboutOf.get(type)}
          </Text>
        </div>
      )),
    },
  ];
  return (
    <Panel title={t('Endpunkt', 'Endpoint')} actions={switches[status]}>
      <Facts sideBySide facts={facts} />
    </Panel>
  );
};

interface TestOutcomeProps {
  endpointId: string;
  deliveryId: string;
  /** A failed test is not retried while the endpoint is not active. */
  isActive: boolean;
}

/** The outcome of a test, which follows within seconds. */
const TestOutcome = ({ endpointId, deliveryId, isActive }: TestOutcomeProps) => {
  const t = useText();
  const { data: delivery, error } = useDelivery(deliveryId, { status: 'pending', attempt: 0 });
  const waits = !delivery || delivery.status === 'pending';
  return (
    <Panel title={t('Ihr Test', 'Your test')}>
      {error && !delivery ? (
        <ProblemAlert error={error} />
      ) : (
        <Group gap="md" role="status">
          {waits && <Loader size="xs" aria-hidden />}
          <DeliveryStatus status={delivery?.status ?? 'pending'} />
          {delivery && !waits && <Outcome attempt={delivery} />}
          {waits && (
            <Text size="sm" c="dimmed">
              {t('Das Testereignis wird in Sekunden gesendet.', 'The test event is sent within seconds.')}
            </Text>
          )}
          {!isActive && (
            <Text size="sm" c="dimmed">
              {t(
                'Der Endpunkt ist nicht aktiv: Ein Test wird einmal gesendet und nicht wiederholt.',
                'The endpoint is not active: a test is sent once and not repeated.',
              )}
            </Text>
          )}
          <Anchor component={Link} size="sm" to={`/webhooks/${endpointId}/deliveries/${deliveryId}`}>
            {t('Ansehen, was gesendet wurde', 'See what was sent')}
          </Anchor>
        </Group>
      )}
    </Panel>
  );
};

interface DeleteEndpointProps {
  endpoint: WebhookEndpoint;
  deleteAndLeave: ReturnType<typeof useDeletion>['deleteAndLeave'];
}

const DeleteEndpoint = ({ endpoint: { id, url }, deleteAndLeave }: DeleteEndpointProps) => {
  const t = useText();
  return (
    <DangerPanel
      title={t('Endpunkt löschen', 'Delete the endpoint')}
      advice={t(
        'Zum Wechseln des Geheimnisses legen Sie erst einen zweiten Endpunkt mit denselben Ereignissen an und löschen dann diesen.',
        'To change the secret, create a second endpoint with the same events first, then delete this one.',
      )}
      action={t('Löschen …', 'Delete …')}
      question={{
        title: t('Endpunkt löschen?', 'Delete this endpoint?'),
        consequences: (
          <Consequences
            name={url}
            points={[
              t(
                'Wartende Zustellungen werden verworfen. An diesen Endpunkt wird nichts mehr gesendet.',
                'Waiting deliveries are dropped. Nothing more is sent to this endpoint.',
              ),
              t(
                'Das Geheimnis wird ungültig. Ein neuer Endpunkt bekommt ein anderes.',
                'The secret stops working. A new endpoint gets a different one.',
              ),
              t('Die bisherigen Zustellungen sind nicht mehr zu sehen.', 'Past deliveries can no longer be viewed.'),
            ]}
          />
        ),
        action: t('Endgültig löschen', 'Delete for good'),
        act: () =>
          deleteAndLeave(
            () => api.mutate('webhooks.remove', { endpoint_id: id }),
            t('Der Endpunkt ist gelöscht.', 'The endpoint is deleted.'),
          ),
      }}
    />
  );
};
