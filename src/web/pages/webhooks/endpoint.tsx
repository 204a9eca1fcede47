import { Anchor, Button, Group, Loader, Text } from '@mantine/core';
import { IconPencil, IconSend } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import type { WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { CopyableId } from '../../kit/copy.tsx';
import { Consequences } from '../../kit/dialog.tsx';
import { useHadDraft } from '../../kit/draft.tsx';
import { Facts } from '../../kit/facts.tsx';
import type { Fact } from '../../kit/facts.tsx';
import { ExactTime, Time } from '../../kit/formats.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { DangerPanel, DetailState, Page, Panel, useDeletion } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { api, app, client } from '../../server/server.ts';
import { NoApiNotice, useHasApi } from '../../session/signed-in.tsx';
import { CheckUp } from './check-up.tsx';
import { Deliveries } from './deliveries.tsx';
import { EditEndpointDialog } from './endpoint-form.tsx';
import { Health } from './health.tsx';
import { Disable, NotReached, Reactivate } from './not-reached.tsx';
import { Verification } from './verification.tsx';
import { DeliveryStatus, EndpointState, Outcome, useDelivery, useFailing } from './words.tsx';

const useBack = () => {
  const t = useText();
  return { to: '/webhooks', label: t('Alle Endpunkte', 'All endpoints') };
};

const EndpointView = ({ endpoint, deleteAndLeave }: DeleteEndpointProps) => {
  const t = useText();
  const back = useBack();
  const failingSince = useFailing().get(endpoint.id);
  const test = useMutation(api.webhooks.test.mutationOptions());
  const [editing, setEditing] = useState(useHadDraft('endpoint'));
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
              {t('Testereignis senden', 'Send test event')}
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
      <EndpointFacts endpoint={endpoint} failingSince={failingSince} />
      <Health endpointId={endpoint.id} />
      <Deliveries endpoint={endpoint} failingSince={failingSince} />
      <Panel
        title={t('Signaturprüfung', 'Signature verification')}
        actions={
          <Button variant="default" size="xs" aria-expanded={checking} onClick={() => setChecking(!checking)}>
            {checking ? t('Ausblenden', 'Hide') : t('Anleitung anzeigen', 'Show instructions')}
          </Button>
        }
      >
        {checking ? (
          <Verification />
        ) : (
          <Text size="sm" c="dimmed">
            {t(
              'Prüfen Sie mit der Signatur, ob eine Anfrage von uns stammt.',
              'Use the signature to verify that a request comes from us.',
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
  const query = useQuery(api.webhooks.list.queryOptions({}));
  const { isDeleting, deleteAndLeave } = useDeletion('/webhooks');
  const endpoint = query.data?.data.find((one) => one.id === id);
  if (endpoint && !isDeleting) return <EndpointView key={id} endpoint={endpoint} deleteAndLeave={deleteAndLeave} />;
  return (
    <DetailState
      title={t('Endpunkt', 'Endpoint')}
      back={back}
      query={query}
      isMissing={query.data !== undefined && !isDeleting}
      missing={t('Endpunkt nicht gefunden', 'Endpoint not found')}
      advice={t('Er wurde gelöscht oder gehört zu einem anderen Team.', 'It was deleted or belongs to another team.')}
    />
  );
}

/** The settings and the state of an endpoint. */
const EndpointFacts = ({ endpoint, failingSince }: { endpoint: WebhookEndpoint; failingSince: string | undefined }) => {
  const t = useText();
  const { data: reference } = useQuery(app.reference.events.queryOptions({}));
  const aboutOf = new Map(reference?.events.map(({ type, about }) => [type, about]));
  const { id, status, events, api_version, created_at, last_success_at } = endpoint;
  // The notice with the reason of the pause has the button to reactivate the endpoint.
  const switches = {
    active: <Disable endpoint={endpoint} />,
    disabled: <Reactivate endpoint={endpoint} />,
    disabled_failures: undefined,
  };
  const facts: Fact[] = [
    {
      name: t('Status', 'Status'),
      value: <EndpointState endpoint={endpoint} failingSince={failingSince} />,
      alone: 'when narrow',
    },
    {
      name: t('Zuletzt zugestellt', 'Last delivered'),
      value: last_success_at === null ? t('Noch nie', 'Never') : <Time at={last_success_at} />,
    },
    { name: t('Angelegt', 'Created'), value: created_at !== null && <ExactTime at={created_at} /> },
    { name: t('API-Version', 'API version'), value: api_version },
    {
      name: 'ID',
      alone: 'always',
      value: <CopyableId id={id} what={t('ID', 'ID')} />,
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
    <Panel title={t('Testereignis', 'Test event')}>
      {error && !delivery ? (
        <ProblemAlert error={error} />
      ) : (
        <Group gap="md" role="status">
          {waits && <Loader size="xs" aria-hidden />}
          <DeliveryStatus status={delivery?.status ?? 'pending'} isHeld={delivery?.is_held ?? false} />
          {delivery && !waits && <Outcome attempt={delivery} />}
          {waits && (
            <Text size="sm" c="dimmed">
              {t('Das Testereignis wird in wenigen Sekunden gesendet.', 'The test event will be sent within seconds.')}
            </Text>
          )}
          {!isActive && (
            <Text size="sm" c="dimmed">
              {t(
                'Der Endpunkt ist nicht aktiv. Das Testereignis wird nur einmal gesendet.',
                'The endpoint is not active. The test event is sent only once.',
              )}
            </Text>
          )}
          <Anchor component={Link} size="sm" to={`/webhooks/${endpointId}/deliveries/${deliveryId}`}>
            {t('Zustellung ansehen', 'View delivery')}
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
      title={t('Endpunkt löschen', 'Delete endpoint')}
      advice={t(
        'Um das Signaturgeheimnis zu wechseln, legen Sie zuerst einen zweiten Endpunkt mit denselben Ereignissen an.',
        'To change the signing secret, create a second endpoint with the same events first.',
      )}
      action={t('Löschen …', 'Delete …')}
      question={{
        title: t('Endpunkt löschen?', 'Delete endpoint?'),
        consequences: (
          <Consequences
            name={url}
            points={[
              t(
                'Ausstehende Zustellungen werden verworfen, neue Ereignisse nicht mehr gesendet.',
                'Pending deliveries are discarded, and new events are no longer sent.',
              ),
              t('Das Signaturgeheimnis wird ungültig.', 'The signing secret becomes invalid.'),
              t('Der Zustellverlauf wird gelöscht.', 'The delivery history is deleted.'),
            ]}
          />
        ),
        action: t('Endpunkt löschen', 'Delete endpoint'),
        act: () =>
          deleteAndLeave(
            () => client.api.webhooks.remove.mutate({ endpoint_id: id }),
            t('Endpunkt gelöscht.', 'Endpoint deleted.'),
          ),
      }}
    />
  );
};
