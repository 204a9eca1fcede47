import { Button, Code, Group, Loader, Stack, Text } from '@mantine/core';
import { IconPencil, IconSend } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import type { WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { Codes } from '../../kit/text/codes.tsx';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { ActionButton } from '../../kit/page/action-button.tsx';
import { useConfirm } from '../../kit/dialog/confirm.tsx';
import { undoable } from '../../kit/dialog/undo.ts';
import { idFact } from '../../kit/text/copy.tsx';
import { WaitingDrafts } from '../../kit/form/waiting-drafts.tsx';
import { Facts, type Fact } from '../../kit/page/facts.tsx';
import { durationInWords } from '../../kit/text/figures.ts';
import { ExactTime, LastTime } from '../../kit/text/formats.tsx';
import { HoverTip } from '../../kit/text/hover-tip.tsx';
import { Notice, ProblemAlert } from '../../kit/page/messages.tsx';
import { DangerPanel, Detail, Page, Panel, useDeletion } from '../../kit/page/page.tsx';
import { t } from '../../language/language.tsx';
import { api, app, client } from '../../server/server.ts';
import { NoApiNotice, useHasApi } from '../../session/signed-in.tsx';
import { disabling } from './changes.ts';
import { CheckUp } from './check-up.tsx';
import { Deliveries } from './deliveries.tsx';
import { EditEndpointDialog } from './endpoint-form.tsx';
import { pausesAt } from './endpoint-health.ts';
import { Health } from './health.tsx';
import { RenewalNotice, RenewDialog } from './renewal.tsx';
import { renewalOf, type Renewal } from './renewal.ts';
import { canRenew, switchOf } from './rights.ts';
import {
  DeliveryStatus,
  EndpointState,
  Outcome,
  useDelivery,
  useFailing,
  LatestAttempts,
  SignaturePrograms,
} from './words.tsx';

const back = { to: '/webhooks', label: 'Webhooks' };

interface EndpointViewProps extends DeleteEndpointProps {
  renewal: Renewal | undefined;
  onRenew: () => void;
}

const EndpointView = ({ endpoint, deleteAndLeave, renewal, onRenew }: EndpointViewProps) => {
  const failingSince = useFailing().get(endpoint.id);
  const test = useMutation(api.webhooks.test.mutationOptions());
  const [editing, setEditing] = useState(false);
  const hasApi = useHasApi();
  return (
    <Page
      title={endpoint.url}
      lead={endpoint.description ?? undefined}
      back={back}
      actions={
        <>
          <Button leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setEditing(true)}>
            {t('Bearbeiten', 'Edit')}
          </Button>
          {hasApi && (
            <Button
              variant="filled"
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
      <WaitingDrafts
        of={[{ name: 'endpoint', what: t('Endpunkt bearbeiten', 'Edit endpoint'), open: () => setEditing(true) }]}
      />
      <NoApiNotice about="webhooks" />
      {renewal && <RenewalNotice endpoint={endpoint} renewal={renewal} onContinue={hasApi ? onRenew : undefined} />}
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
      <Deliveries endpoint={endpoint} failingSince={failingSince}>
        <Health endpointId={endpoint.id} />
        <Panel
          title={t('Signaturprüfung', 'Signature verification')}
          actions={
            canRenew(endpoint.status, hasApi) &&
            !renewal && (
              <Button size="xs" onClick={onRenew}>
                {t('Signaturgeheimnis erneuern …', 'Renew signing secret …')}
              </Button>
            )
          }
        >
          <Hint>
            {t(
              'Prüfen Sie mit der Signatur, ob eine Anfrage von uns stammt. ',
              'Use the signature to verify that a request comes from us. ',
            )}
            <SignaturePrograms />
          </Hint>
        </Panel>
        <CheckUp endpointId={endpoint.id} hasApi={hasApi} />
        <DeleteEndpoint endpoint={endpoint} deleteAndLeave={deleteAndLeave} />
      </Deliveries>
      <EditEndpointDialog endpoint={endpoint} opened={editing} onClose={() => setEditing(false)} />
    </Page>
  );
};

export default function EndpointPage() {
  const { id = '' } = useParams();
  const query = useQuery(api.webhooks.list.queryOptions({}));
  const { isDeleting, deleteAndLeave } = useDeletion('/webhooks');
  const listed = query.data?.data.find((one) => one.id === id);
  const found = isDeleting ? undefined : listed;
  const renewal = listed && renewalOf(listed, query.data?.data ?? []);
  /** The endpoint whose renewal is open. */
  const [renewing, setRenewing] = useState<string>();
  return (
    <>
      <Detail
        title={t('Endpunkt', 'Endpoint')}
        back={back}
        query={{ ...query, data: found }}
        isMissing={query.data !== undefined && !found && !isDeleting}
        missing={t('Endpunkt nicht gefunden', 'Endpoint not found')}
        advice={t('Er wurde gelöscht oder gehört zu einem anderen Team.', 'It was deleted or belongs to another team.')}
      >
        {(endpoint) => (
          <EndpointView
            key={id}
            endpoint={endpoint}
            deleteAndLeave={deleteAndLeave}
            renewal={renewal}
            onRenew={() => setRenewing(id)}
          />
        )}
      </Detail>
      {/* Outside of the view, which is removed during a deletion: this dialog also shows a refusal. */}
      {listed && (
        <RenewDialog
          key={id}
          endpoint={listed}
          renewal={renewal}
          deleteAndLeave={deleteAndLeave}
          opened={renewing === id}
          onClose={() => setRenewing(undefined)}
        />
      )}
    </>
  );
}

const EndpointFacts = ({ endpoint, failingSince }: { endpoint: WebhookEndpoint; failingSince: string | undefined }) => {
  const { data: reference } = useQuery(app.reference.events.queryOptions({}));
  const aboutOf = new Map(reference?.events.map(({ type, about }) => [type, about]));
  const { id, status, events, api_version, created_at, last_success_at } = endpoint;
  const headers = Object.keys(endpoint.headers);
  const { data: limits } = useQuery(app.reference.limits.queryOptions({}));
  const addresses = limits?.webhooks.source_addresses;
  const { data: days } = useQuery(app.webhookHistory.days.queryOptions({}));
  const offered = switchOf(status);
  const facts: (Fact | false)[] = [
    {
      name: t('Status', 'Status'),
      value: <EndpointState endpoint={endpoint} failingSince={failingSince} />,
      alone: 'when narrow',
    },
    {
      name: t('30 Tage', '30 days'),
      value: <LatestAttempts days={days?.endpoints.find(({ endpoint_id }) => endpoint_id === id)?.days} />,
    },
    { name: t('Zuletzt zugestellt', 'Last delivered'), value: <LastTime at={last_success_at} /> },
    { name: t('Angelegt', 'Created'), value: created_at !== null && <ExactTime at={created_at} /> },
    {
      name: t('Ereignisse', 'Events'),
      alone: 'always',
      value: (
        <Group gap={6}>
          {events.map((type) => (
            <HoverTip key={type} label={() => aboutOf.get(type) ?? type}>
              <Code>{type}</Code>
            </HoverTip>
          ))}
        </Group>
      ),
    },
    headers.length > 0 && {
      name: t('Eigene Header', 'Headers of your own'),
      alone: 'always',
      value: <Codes of={headers} />,
    },
    // Addresses that a firewall in front of the receiver has to allow.
    limits !== undefined && {
      name: t('Gesendet von', 'Sent from'),
      alone: 'always',
      value: addresses ? <Codes of={addresses} /> : t('Keine festen Adressen', 'No fixed addresses'),
    },
    { name: t('API-Version', 'API version'), value: api_version },
    idFact(id),
  ];
  return (
    <Panel
      title={t('Endpunkt', 'Endpoint')}
      actions={offered === 'disable' ? <Disable endpoint={endpoint} /> : offered && <Reactivate endpoint={endpoint} />}
    >
      <Facts sideBySide facts={facts} />
    </Panel>
  );
};

interface TestOutcomeProps {
  endpointId: string;
  deliveryId: string;
  /** Whether the endpoint is active. Only then is a failed test tried again. */
  isActive: boolean;
}

/** The result of a test, which comes within seconds. */
const TestOutcome = ({ endpointId, deliveryId, isActive }: TestOutcomeProps) => {
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
            <Hint>
              {t('Das Testereignis wird in wenigen Sekunden gesendet.', 'The test event will be sent within seconds.')}
            </Hint>
          )}
          {!isActive && (
            <Hint>
              {t(
                'Der Endpunkt ist nicht aktiv. Das Testereignis wird nur einmal gesendet.',
                'The endpoint is not active. The test event is sent only once.',
              )}
            </Hint>
          )}
          <TextLink to={`/webhooks/${endpointId}/deliveries/${deliveryId}`}>
            {t('Zustellung ansehen', 'View delivery')}
          </TextLink>
        </Group>
      )}
    </Panel>
  );
};

interface DeleteEndpointProps {
  endpoint: WebhookEndpoint;
  deleteAndLeave: ReturnType<typeof useDeletion>['deleteAndLeave'];
}

const DeleteEndpoint = ({ endpoint: { id, url }, deleteAndLeave }: DeleteEndpointProps) => (
  <DangerPanel
    title={t('Endpunkt löschen', 'Delete endpoint')}
    advice={t(
      'Das Löschen beendet alle Zustellungen. Um das Signaturgeheimnis zu ersetzen, erneuern Sie es.',
      'Deleting stops all deliveries. To replace the signing secret, renew it instead.',
    )}
    action={t('Löschen …', 'Delete …')}
    question={{
      title: t('Endpunkt löschen?', 'Delete endpoint?'),
      typed: url,
      points: [
        t(
          'Ausstehende Zustellungen werden verworfen, neue Ereignisse nicht mehr gesendet.',
          'Pending deliveries are discarded, and new events are no longer sent.',
        ),
        t('Das Signaturgeheimnis wird ungültig.', 'The signing secret becomes invalid.'),
        t('Der Zustellverlauf wird gelöscht.', 'The delivery history is deleted.'),
      ],
      action: t('Endpunkt löschen', 'Delete endpoint'),
      act: () =>
        deleteAndLeave(
          () => client.api.webhooks.remove.mutate({ endpoint_id: id }),
          t('Endpunkt gelöscht.', 'Endpoint deleted.'),
        ),
    }}
  />
);

const useLastFailure = (endpoint_id: string) => {
  const { data } = useQuery(api.webhooks.deliveries.queryOptions({ endpoint_id }));
  const failed = data?.data.find(({ attempt, status }) => attempt > 0 && status !== 'ok');
  const { data: attempts } = useQuery(
    app.webhookHistory.attempts.queryOptions({ delivery_id: failed?.id ?? '' }, { enabled: failed !== undefined }),
  );
  return attempts?.data[0];
};

const Reasons = ({ endpoint, since }: { endpoint: WebhookEndpoint; since: string | undefined }) => {
  const { data: limits } = useQuery(app.reference.limits.queryOptions({}));
  const last = useLastFailure(endpoint.id);
  const paused = endpoint.status === 'disabled_failures';
  const pauseAfter = limits?.webhooks.pause_after_seconds;
  const pauseAt = pausesAt(since, pauseAfter);
  const days = durationInWords(pauseAfter ?? 0);
  return (
    <Stack gap="xs">
      {since !== undefined && (
        <Text size="sm">
          {t('Fehler seit: ', 'Failing since: ')}
          <ExactTime at={since} />
        </Text>
      )}
      {last && (
        <Text size="sm" component="div">
          {t('Letzter Versuch: ', 'Last attempt: ')}
          <Outcome attempt={last} />
        </Text>
      )}
      {!paused && pauseAt !== undefined && (
        <Text size="sm">
          {t('Wird pausiert am ', 'Pauses on ')}
          <ExactTime at={pauseAt} />
          {t(', wenn bis dahin keine Zustellung gelingt.', ' unless a delivery succeeds.')}
        </Text>
      )}
      {paused && pauseAfter !== undefined && (
        <>
          <Text size="sm">
            {t(
              `Der Endpunkt wurde pausiert, weil ${days} lang keine Zustellung erfolgreich war. Neue Ereignisse werden nicht gesendet. Senden Sie ein Testereignis, bevor Sie ihn wieder aktivieren.`,
              `The endpoint was paused after ${days} without a successful delivery. New events are not sent. Send a test event before you reactivate it.`,
            )}
          </Text>
          <Group>
            <Reactivate endpoint={endpoint} />
          </Group>
        </>
      )}
    </Stack>
  );
};

/** A notice for an endpoint that no delivery reaches, with the reason. */
const NotReached = ({ endpoint, since }: { endpoint: WebhookEndpoint; since: string | undefined }) => {
  const paused = endpoint.status === 'disabled_failures';
  if (!paused && since === undefined) return null;
  return (
    <Notice
      tone={paused ? 'bad' : 'warn'}
      role="alert"
      title={
        paused ? t('Endpunkt pausiert', 'Endpoint paused') : t('Zustellungen schlagen fehl', 'Deliveries are failing')
      }
    >
      <Reasons endpoint={endpoint} since={since} />
    </Notice>
  );
};

export const Reactivate = ({ endpoint: { id } }: { endpoint: WebhookEndpoint }) => (
  <ActionButton
    variant="filled"
    size="xs"
    act={() => client.api.webhooks.change.mutate({ endpoint_id: id, status: 'active' })}
    done={t(
      'Endpunkt aktiviert. Verpasste Ereignisse können Sie nachholen.',
      'Endpoint reactivated. You can recover missed events.',
    )}
  >
    {t('Wieder aktivieren', 'Reactivate')}
  </ActionButton>
);

/** A button that stops sending events to an endpoint for now. */
export const Disable = ({ endpoint: { id } }: { endpoint: WebhookEndpoint }) => {
  const confirm = useConfirm();
  const disable = () =>
    confirm({
      title: t('Endpunkt deaktivieren?', 'Disable endpoint?'),
      consequences: t(
        'Neue Ereignisse werden nicht mehr gesendet. Nach dem Aktivieren werden ausstehende Zustellungen fortgesetzt, und Sie können verpasste Ereignisse nachholen.',
        'New events are no longer sent. After reactivation, pending deliveries continue and you can recover missed events.',
      ),
      action: t('Deaktivieren', 'Disable'),
      harmless: true,
      ...undoable((input) => client.api.webhooks.change.mutate(input), disabling(id)),
      done: t('Endpunkt deaktiviert.', 'Endpoint disabled.'),
    });
  return (
    <Button size="xs" onClick={disable}>
      {t('Deaktivieren …', 'Disable …')}
    </Button>
  );
};
