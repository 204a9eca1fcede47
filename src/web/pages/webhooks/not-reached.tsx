import { Button, Group, Stack, Text } from '@mantine/core';
import type { WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { useConfirm } from '../../kit/dialog.tsx';
import { ExactTime, useDuration } from '../../kit/formats.tsx';
import { Notice, notify, ProblemAlert } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { api, app } from '../../server/server.ts';
import { Outcome } from './words.tsx';

/** The newest failed attempt. */
const useLastFailure = (endpoint_id: string) => {
  const { data } = api.useQuery('webhooks.deliveries', { endpoint_id });
  const failed = data?.data.find(({ attempt, status }) => attempt > 0 && status !== 'ok');
  const { data: attempts } = app.useQuery(
    'webhookHistory.attempts',
    { delivery_id: failed?.id ?? '' },
    { enabled: failed !== undefined },
  );
  return attempts?.data[0];
};

const Reasons = ({ endpoint, since }: { endpoint: WebhookEndpoint; since: string | undefined }) => {
  const t = useText();
  const duration = useDuration();
  const { data: limits } = app.useQuery('reference.limits', {});
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
          {t('Die erste Zustellung, die nicht gelang: ', 'The first delivery that failed: ')}
          <ExactTime at={since} />
        </Text>
      )}
      {last && (
        <Text size="sm" component="div">
          {t('Der letzte Versuch: ', 'The last attempt: ')}
          <Outcome attempt={last} />
        </Text>
      )}
      {!paused && pauseAt !== undefined && (
        <Text size="sm">
          {t('Gelingt keine bis ', 'If none succeeds until ')}
          <ExactTime at={pauseAt} />
          {t(', wird der Endpunkt pausiert.', ', the endpoint is paused.')}
        </Text>
      )}
      {paused && pauseAfter !== undefined && (
        <>
          <Text size="sm">
            {t(
              `${days} lang gelang keine Zustellung, deshalb haben wir ihn pausiert. Ereignisse werden ihm erst wieder gesendet, wenn Sie ihn aktivieren. Prüfen Sie ihn vorher mit einem Test.`,
              `For ${days} no delivery succeeded, so we paused it. No events are sent to it until you reactivate it. Check it with a test first.`,
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

/** A notice for an endpoint to which nothing gets through, with the reason. */
export const NotReached = ({ endpoint, since }: { endpoint: WebhookEndpoint; since: string | undefined }) => {
  const t = useText();
  const paused = endpoint.status === 'disabled_failures';
  if (!paused && since === undefined) return null;
  return (
    <Notice
      tone={paused ? 'bad' : 'warn'}
      role="alert"
      title={
        paused
          ? t('Pausiert, weil nichts ankam', 'Paused because nothing got through')
          : t('Zurzeit kommt nichts an', 'Nothing gets through at the moment')
      }
    >
      <Reasons endpoint={endpoint} since={since} />
    </Notice>
  );
};

/** A button that makes an endpoint receive events again. */
export const Reactivate = ({ endpoint: { id } }: { endpoint: WebhookEndpoint }) => {
  const t = useText();
  const change = api.useMutation('webhooks.change');
  const confirmation = t(
    'Der Endpunkt ist wieder aktiv. Verpasste Ereignisse können Sie nachholen.',
    'The endpoint is active again. You can recover the events that it missed.',
  );
  return (
    <Stack gap="xs">
      <Button
        size="xs"
        loading={change.isPending}
        onClick={() => change.mutate({ endpoint_id: id, status: 'active' }, { onSuccess: () => notify(confirmation) })}
      >
        {t('Wieder aktivieren', 'Reactivate')}
      </Button>
      <ProblemAlert error={change.error} />
    </Stack>
  );
};

/** A button that stops sending events to an endpoint for now. */
export const Disable = ({ endpoint: { id } }: { endpoint: WebhookEndpoint }) => {
  const t = useText();
  const confirm = useConfirm();
  const change = api.useMutation('webhooks.change');
  const disable = () =>
    confirm({
      title: t('Endpunkt abschalten?', 'Disable this endpoint?'),
      consequences: t(
        'Neue Ereignisse werden nicht an ihn gesendet. Wartende Zustellungen gehen weiter, sobald er wieder aktiv ist; verpasste Ereignisse können Sie danach nachholen.',
        'New events are not sent to it. Waiting deliveries go on once it is active again; you can then recover the events that it missed.',
      ),
      action: t('Abschalten', 'Disable'),
      harmless: true,
      act: async () => {
        await change.mutateAsync({ endpoint_id: id, status: 'disabled' });
        notify(t('Der Endpunkt ist abgeschaltet.', 'The endpoint is disabled.'));
      },
    });
  return (
    <Button size="xs" variant="default" onClick={disable}>
      {t('Abschalten …', 'Disable …')}
    </Button>
  );
};
