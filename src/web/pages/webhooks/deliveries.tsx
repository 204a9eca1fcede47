import { Anchor, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import type { EndpointDeliveriesQuery, EndpointDelivery, WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { isKeyOf, useFilters } from '../../kit/filters.tsx';
import { Form, useServerForm } from '../../kit/form.tsx';
import { Time, toLocalInput } from '../../kit/formats.tsx';
import { Empty, ProblemAlert } from '../../kit/messages.tsx';
import { Panel } from '../../kit/page.tsx';
import { DataTable, isCutShort, SearchFurther } from '../../kit/table.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useHasApi } from '../../session/signed-in.tsx';
import { DeliveryStatus, Outcome, useDeliveryWords } from './words.tsx';

const pageSize = 50;

type EventType = NonNullable<EndpointDeliveriesQuery['event_type']>;

/** The filters of the URL, without values that do not exist. */
const useDeliveryFilters = (endpoint_id: string) => {
  const filters = useFilters('status', 'event_type');
  const { data: reference } = app.useQuery('reference.events', {});
  const types = reference?.events.map(({ type }) => type) ?? [];
  const isType = (text: string): text is EventType => types.includes(text);
  const words = useDeliveryWords();
  const [status, type] = [filters.valueOf('status'), filters.valueOf('event_type')];
  const query = {
    endpoint_id,
    limit: pageSize,
    ...(isKeyOf(words, status) && { status }),
    ...(isType(type) && { event_type: type }),
  };
  return { filters, words, types, query, ready: type === '' || reference !== undefined };
};

/** Whether a delivery will change within seconds. */
const isInProgress = ({ status }: WebhookEndpoint, delivery: EndpointDelivery): boolean =>
  delivery.status === 'pending' && (status === 'active' || delivery.event_type === 'ping' || delivery.attempt > 0);

const NextAttempt = ({ delivery: { next_try_at: at, status } }: { delivery: EndpointDelivery }) => {
  const t = useText();
  if (at === null || status !== 'failed') return null;
  return (
    <Text size="xs" c="dimmed">
      {t('Nächster Versuch ', 'Next attempt ')}
      <Time at={at} />
    </Text>
  );
};

/** The deliveries of an endpoint, newest first. */
export const Deliveries = ({
  endpoint,
  failingSince,
}: {
  endpoint: WebhookEndpoint;
  failingSince: string | undefined;
}) => {
  const t = useText();
  const locale = useLocale();
  const { filters, words, types, query, ready } = useDeliveryFilters(endpoint.id);
  const list = app.usePages('webhookHistory.deliveries', query, { enabled: ready });
  const [recovering, setRecovering] = useState(false);
  const { rows, refetch, hasNextPage, isFetchingNextPage, fetchNextPage, error } = list;
  const cutShort = isCutShort(list, pageSize);
  const isPolling = rows?.some((delivery) => isInProgress(endpoint, delivery)) ?? false;
  useEffect(() => {
    if (!isPolling) return undefined;
    const timer = setInterval(() => void refetch(), 2_000);
    return () => clearInterval(timer);
  }, [isPolling, refetch]);

  const hasApi = useHasApi();
  return (
    <Panel
      title={t('Zustellungen', 'Deliveries')}
      actions={
        hasApi && (
          <Button variant="default" size="xs" onClick={() => setRecovering(true)}>
            {t('Verpasstes nachholen …', 'Recover missed events …')}
          </Button>
        )
      }
    >
      <Stack gap="md">
        <Group gap="sm" align="flex-end">
          <Select
            label={t('Zustand', 'State')}
            placeholder={t('Alle', 'All')}
            clearable
            clearButtonProps={{ 'aria-label': t('Zustand: alle', 'State: all') }}
            data={Object.entries(words).map(([value, label]) => ({ value, label }))}
            value={query.status ?? null}
            onChange={(value) => filters.set('status', value)}
            flex="1 1 180px"
            maw={280}
          />
          <Select
            label={t('Ereignis', 'Event')}
            placeholder={t('Alle', 'All')}
            clearable
            clearButtonProps={{ 'aria-label': t('Ereignis: alle', 'Event: all') }}
            data={types}
            value={query.event_type ?? null}
            onChange={(value) => filters.set('event_type', value)}
            flex="1 1 180px"
            maw={280}
          />
        </Group>
        {rows && cutShort && <ProblemAlert error={error} retry={() => void refetch()} />}
        {!(cutShort && rows?.length === 0) && (
          <DataTable
            label={t('Zustellungen', 'Deliveries')}
            rows={rows}
            error={error}
            retry={() => void refetch()}
            {...(!cutShort && { more: list })}
            keyOf={({ id }) => id}
            columns={[
              {
                label: t('Ereignis', 'Event'),
                cell: ({ id, event_type }) => (
                  <Anchor
                    component={Link}
                    size="sm"
                    fw={600}
                    ff="monospace"
                    to={`/webhooks/${endpoint.id}/deliveries/${id}`}
                  >
                    {event_type ?? t('Unbekannt', 'Unknown')}
                  </Anchor>
                ),
              },
              {
                label: t('Zustand', 'State'),
                cell: (delivery) => (
                  <div>
                    <DeliveryStatus status={delivery.status} />
                    <NextAttempt delivery={delivery} />
                  </div>
                ),
              },
              { label: t('Versuche', 'Attempts'), align: 'end', cell: ({ attempt }) => attempt.toLocaleString(locale) },
              {
                label: t('Letzte Antwort', 'Last answer'),
                cell: (delivery) => <div>{delivery.attempt === 0 ? '–' : <Outcome attempt={delivery} />}</div>,
              },
              {
                label: t('Angelegt', 'Created'),
                cell: ({ created_at }) => (created_at === null ? '–' : <Time at={created_at} />),
              },
            ]}
            empty={
              filters.isSet ? (
                <Empty
                  title={t('Keine Zustellungen entsprechen den Filtern', 'No deliveries match these filters')}
                  action={
                    <Button variant="default" onClick={filters.clear}>
                      {t('Alle zeigen', 'Show all')}
                    </Button>
                  }
                />
              ) : (
                <Empty title={t('Noch keine Zustellung', 'No delivery yet')}>
                  {t(
                    'Hier steht jede Nachricht an diesen Endpunkt. Mit „Test senden“ bekommt er gleich eine.',
                    'Every message to this endpoint is listed here. With “Send test” it gets one right away.',
                  )}
                </Empty>
              )
            }
          />
        )}
        {cutShort && (
          <SearchFurther
            key={JSON.stringify(query)}
            none={t('Unter den neuesten Zustellungen ist keine passende', 'None of the newest deliveries matches')}
            some={t('Weiter zurück wurde noch nicht gesucht', 'Older deliveries have not been searched yet')}
            found={rows?.length ?? 0}
            hasNextPage={hasNextPage}
            isFetchingNextPage={isFetchingNextPage}
            fetchNextPage={fetchNextPage}
            failed={error !== null}
          />
        )}
      </Stack>
      <RecoverDialog
        endpoint={endpoint}
        since={failingSince}
        opened={recovering}
        onClose={() => setRecovering(false)}
      />
    </Panel>
  );
};

interface RecoverDialogProps {
  endpoint: WebhookEndpoint;
  /** Since when nothing has got through to it, if it is failing. */
  since: string | undefined;
  opened: boolean;
  onClose: () => void;
}

const dayMs = 86_400_000;

const RecoverResult = ({ recovered, more }: { recovered: number; more: boolean }) => {
  const t = useText();
  const count = recovered.toLocaleString(useLocale());
  const text =
    recovered === 1
      ? t('1 Ereignis ist wieder unterwegs.', '1 event is on its way again.')
      : t(`${count} Ereignisse sind wieder unterwegs.`, `${count} events are on their way again.`);
  return (
    <Text size="sm" fw={550} c={recovered === 0 ? 'dimmed' : 'var(--good)'}>
      {recovered === 0 ? t('Seitdem hat er nichts verpasst.', 'It has missed nothing since then.') : text}
      {more &&
        t(
          ' Es gibt weitere: Holen Sie sie mit derselben Zeit nach.',
          ' There are more: recover them with the same time.',
        )}
    </Text>
  );
};

const RecoverForm = ({ endpoint, since, onClose }: Omit<RecoverDialogProps, 'opened'>) => {
  const t = useText();
  const form = useServerForm({
    initial: { since: toLocalInput(since === undefined ? new Date(Date.now() - dayMs) : new Date(since)) },
    send: (values) =>
      app.mutate('webhookHistory.recover', {
        endpoint_id: endpoint.id,
        since: new Date(values.since).toISOString(),
      }),
    resetsOnChange: true,
  });
  const { data } = form.sending;
  return (
    <Form
      form={form}
      action={data ? t('Weitere nachholen', 'Recover more') : t('Nachholen', 'Recover')}
      hidesAction={data !== undefined && !data.more}
      disabled={Number.isNaN(Date.parse(form.values.since))}
      onCancel={onClose}
      cancel={data && t('Fertig', 'Done')}
    >
      <Text size="sm">
        {t(
          'Sendet alle Ereignisse seit dieser Zeit, die der Endpunkt abonniert hat und die ihn nicht erreicht haben. Was schon ankam oder noch unterwegs ist, kommt nicht noch einmal.',
          'Sends all events since this time to which the endpoint is subscribed and that did not reach it. Events that got through already or are still on their way are not sent again.',
        )}
      </Text>
      <TextInput
        type="datetime-local"
        label={t('Seit', 'Since')}
        description={t('In Ihrer Zeitzone.', 'In your time zone.')}
        required
        data-autofocus
        max={toLocalInput(new Date())}
        {...form.getInputProps('since')}
      />
      <div role="status">{data && <RecoverResult {...data} />}</div>
    </Form>
  );
};

/** Sends the events that an endpoint missed. */
const RecoverDialog = ({ endpoint, since, opened, onClose }: RecoverDialogProps) => {
  const t = useText();
  return (
    <Dialog title={t('Verpasstes nachholen', 'Recover missed events')} opened={opened} onClose={onClose}>
      {endpoint.status === 'active' ? (
        <RecoverForm endpoint={endpoint} since={since} onClose={onClose} />
      ) : (
        <Stack>
          <Text size="sm">
            {t(
              'Nur ein aktiver Endpunkt bekommt Ereignisse. Aktivieren Sie ihn zuerst; was er bis dahin verpasst, können Sie danach nachholen.',
              'Only an active endpoint gets events. Reactivate it first; you can recover afterwards what it misses until then.',
            )}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" data-autofocus onClick={onClose}>
              {t('Schließen', 'Close')}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
};
