import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { ActionButton } from '../../kit/action-button.tsx';
import { useConfirm } from '../../kit/confirm.tsx';
import { ExactTime, useDuration } from '../../kit/formats.tsx';
import { Notice } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { api, app, client } from '../../server/server.ts';
import { Outcome } from './words.tsx';

/** The newest failed attempt. */
const useLastFailure = (endpoint_id: string) => {
  const { data } = useQuery(api.webhooks.deliveries.queryOptions({ endpoint_id }));
  const failed = data?.data.find(({ attempt, status }) => attempt > 0 && status !== 'ok');
  const { data: attempts } = useQuery(
    app.webhookHistory.attempts.queryOptions({ delivery_id: failed?.id ?? '' }, { enabled: failed !== undefined }),
  );
  return attempts?.data[0];
};

const Reasons = ({ endpoint, since }: { endpoint: WebhookEndpoint; since: string | undefined }) => {
  const t = useText();
  const duration = useDuration();
  const { data: limits } = useQuery(app.reference.limits.queryOptions({}));
  const last = useLastFailure(endpoint.id);
  const paused = endpoint.status === 'disabled_failures';
  const pauseAfter = limits?.webhooks.pause_after_seconds;
  const pauseAt =
    since === undefined || pauseAfter === undefined
      ? undefined
      : new Date(new Date(since).getTime() + pauseAfter * 1_000).toISOString();
  const days = duration(pauseAfter ?? 0);
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
          {t('Ohne erfolgreiche Zustellung bis ', 'Without a successful delivery by ')}
          <ExactTime at={pauseAt} />
          {t(' wird der Endpunkt pausiert.', ', the endpoint will be paused.')}
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
export const NotReached = ({ endpoint, since }: { endpoint: WebhookEndpoint; since: string | undefined }) => {
  const t = useText();
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

/** A button that makes an endpoint receive events again. */
export const Reactivate = ({ endpoint: { id } }: { endpoint: WebhookEndpoint }) => {
  const t = useText();
  return (
    <ActionButton
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
};

/** A button that stops sending events to an endpoint for now. */
export const Disable = ({ endpoint: { id } }: { endpoint: WebhookEndpoint }) => {
  const t = useText();
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
      act: () => client.api.webhooks.change.mutate({ endpoint_id: id, status: 'disabled' }),
      done: t('Endpunkt deaktiviert.', 'Endpoint disabled.'),
    });
  return (
    <Button size="xs" variant="default" onClick={disable}>
      {t('Deaktivieren …', 'Disable …')}
    </Button>
  );
};
