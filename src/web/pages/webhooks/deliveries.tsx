import { Button, Checkbox, Stack, Text } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import { lazy, useState, type ReactNode } from 'react';
import type { EndpointDeliveriesQuery, EndpointDelivery, WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { Lines } from '../../kit/text/cut.tsx';
import { useBulkActions } from '../../kit/list/bulk-actions.tsx';
import { DateField } from '../../kit/form/date-field.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { DialogButtons } from '../../kit/dialog/dialog-buttons.tsx';
import { stateOptions } from '../../kit/page/facts.tsx';
import { FilterBar } from '../../kit/list/filter-bar.tsx';
import { keyIn, rangeNames, useFilters, useRange } from '../../kit/list/filters.tsx';
import { Form, useServerForm } from '../../kit/form/form.tsx';
import { toLocalInput } from '../../kit/text/dates.ts';
import { Panel } from '../../kit/page/page.tsx';
import { isCutShort } from '../../kit/list/list-rules.ts';
import { SearchedTable } from '../../kit/list/search-further.tsx';
import type { Selection } from '../../kit/list/selection.tsx';
import { t } from '../../language/language.tsx';
import { app, client, nextPage, usePages } from '../../server/server.ts';
import { useHasApi } from '../../session/signed-in.tsx';
import { missedText, olderText, recoveredText, retriedText } from './figures.ts';
import { canRetry } from './rights.ts';
import { deliveryStates } from './delivery-words.ts';
import { recoveredFrom } from './recovery.ts';
import { DeliveryStatus, EventType, NextTry, Outcome } from './words.tsx';

const OneDelivery = lazy(async () => ({ default: (await import('./delivery.tsx')).OneDelivery }));

const pageSize = 50;

type EventType = NonNullable<EndpointDeliveriesQuery['event_type']>;

/** The filters of the URL, without values that do not exist. */
const useDeliveryFilters = (endpoint_id: string) => {
  const filters = useFilters('status', 'event_type', ...rangeNames);
  const times = useRange(filters);
  const { data: reference } = useQuery(app.reference.events.queryOptions({}));
  const types = reference?.events.map(({ type }) => type) ?? [];
  const isType = (text: string): text is EventType => types.includes(text);
  const type = filters.valueOf('event_type');
  const matching = {
    endpoint_id,
    status: keyIn(deliveryStates(), filters.valueOf('status')),
    ...(isType(type) && { event_type: type }),
    ...times,
  };
  return {
    filters,
    types,
    matching,
    query: { ...matching, limit: pageSize },
    ready: type === '' || reference !== undefined,
  };
};

/** Whether a delivery will change within seconds. */
const isInProgress = ({ status, is_held }: EndpointDelivery): boolean => status === 'pending' && !is_held;

const nextAttempt = ({ next_try_at: at, status }: EndpointDelivery): ReactNode => {
  if (at === null || status !== 'failed') return null;
  return (
    <>
      {t('Nächster Versuch ', 'Next attempt ')}
      <NextTry at={at} />
    </>
  );
};

/** Retries several deliveries at once. Only failed ones can be selected. */
const useDeliverySelection = (rows: readonly EndpointDelivery[] | undefined, hasApi: boolean) => {
  const { selection, chosen, start, isRunning, outcome } = useBulkActions(rows, ({ event_type, created_at }) =>
    [event_type, created_at].filter((part) => part !== null).join(' · '),
  );
  const retryAll = (): void =>
    start({
      ids: chosen.map(({ id }) => id),
      call: (part) => client.app.webhookHistory.retryMany.mutate({ delivery_ids: part }),
      doneText: retriedText,
    });
  const retrying: Selection<EndpointDelivery> = {
    ...selection,
    can: (delivery) => canRetry(delivery, hasApi),
    actions: (
      <Button variant="filled" size="compact-sm" loading={isRunning} onClick={retryAll}>
        {t('Jetzt erneut versuchen', 'Retry now')}
      </Button>
    ),
  };
  return { selection: retrying, outcome };
};

interface DeliveriesProps {
  endpoint: WebhookEndpoint;
  failingSince: string | undefined;
  /** Shown below the list, once the list has its first rows. Otherwise these rows would move the content down. */
  children: ReactNode;
}

export const Deliveries = ({ endpoint, failingSince, children }: DeliveriesProps) => {
  const { filters, types, matching, query, ready } = useDeliveryFilters(endpoint.id);
  const list = usePages(
    app.webhookHistory.deliveries.infiniteQueryOptions(query, {
      ...nextPage,
      enabled: ready,
      refetchInterval: ({ state }) => (state.data?.pages.some(({ data }) => data.some(isInProgress)) ? 2_000 : false),
    }),
  );
  const { data: count } = useQuery(app.webhookHistory.countDeliveries.queryOptions(matching, { enabled: ready }));
  const { rows, error } = list;
  const [isBegun, setBegun] = useState(false);
  if (!isBegun && (rows !== undefined || error !== null)) setBegun(true);
  const [recovering, setRecovering] = useState(false);
  const hasApi = useHasApi();
  const { selection, outcome } = useDeliverySelection(rows, hasApi);
  return (
    <>
      <Panel
        title={t('Zustellungen', 'Deliveries')}
        actions={
          hasApi && (
            <Button size="xs" onClick={() => setRecovering(true)}>
              {t('Verpasste Ereignisse nachholen …', 'Recover missed events …')}
            </Button>
          )
        }
      >
        <FilterBar
          list="deliveries"
          filters={filters}
          rows={rows}
          fields={[
            { kind: 'choice', name: 'status', label: t('Status', 'Status'), options: stateOptions(deliveryStates()) },
            {
              kind: 'choice',
              name: 'event_type',
              label: t('Ereignis', 'Event'),
              options: types.map((type) => ({ value: type, label: type })),
            },
            { kind: 'range', names: rangeNames, label: t('Zeitraum', 'Time range') },
          ]}
          views={[{ name: t('Endgültig fehlgeschlagen', 'Failed for good'), filters: { status: 'gave_up' } }]}
        >
          {outcome}
          <SearchedTable
            label={t('Zustellungen', 'Deliveries')}
            csv={{ read: (page) => client.app.webhookHistory.deliveries.query({ ...query, ...page }) }}
            {...(hasApi && { selection })}
            list={list}
            count={count}
            keyOf={({ id }) => id}
            peek={{
              title: ({ event_type }) => event_type ?? t('Zustellung', 'Delivery'),
              to: (id) => `/webhooks/${endpoint.id}/deliveries/${id}`,
              of: (id) => <OneDelivery endpointId={endpoint.id} deliveryId={id} />,
            }}
            columns={[
              { label: t('Zustellungs-ID', 'Delivery ID'), value: ({ id }) => id },
              { label: t('Ereignis-ID', 'Event ID'), value: ({ event_id }) => event_id },
              {
                label: t('Ereignis', 'Event'),
                value: ({ event_type }) => event_type,
                cell: ({ event_type }) => <EventType type={event_type} />,
                to: ({ id }) => `/webhooks/${endpoint.id}/deliveries/${id}`,
              },
              {
                label: t('Angelegt', 'Created'),
                value: ({ created_at }) => created_at,
                alwaysShown: true,
                cell: 'time',
              },
              {
                label: t('Status', 'Status'),
                value: ({ status }) => status,
                alwaysShown: true,
                cell: (delivery) => (
                  <Lines below={nextAttempt(delivery)}>
                    <DeliveryStatus status={delivery.status} isHeld={delivery.is_held} />
                  </Lines>
                ),
              },
              { label: t('Versuche', 'Attempts'), value: ({ attempt }) => attempt, priority: 1, cell: 'number' },
              {
                label: t('Letzte Antwort', 'Last response'),
                value: ({ response_code }) => response_code,
                cell: (delivery) => <div>{delivery.attempt === 0 ? '–' : <Outcome attempt={delivery} />}</div>,
              },
              { label: t('Antwortzeit in ms', 'Response time in ms'), value: ({ response_ms }) => response_ms },
              { label: t('Fehler', 'Error'), value: ({ error: reason }) => reason },
              { label: t('Nächster Versuch', 'Next attempt'), value: ({ next_try_at }) => next_try_at },
            ]}
            filters={{ ...filters, what: t('Zustellungen', 'deliveries') }}
            none={t('Noch keine Zustellungen', 'No deliveries yet')}
            hint={t(
              'Zustellungen an diesen Endpunkt erscheinen hier. Senden Sie ein Testereignis, um ihn auszuprobieren.',
              'Deliveries to this endpoint appear here. Send a test event to try it out.',
            )}
            search={{ isUnfinished: isCutShort(list, pageSize), filters: query }}
          />
        </FilterBar>
        <RecoverDialog
          endpoint={endpoint}
          since={failingSince}
          opened={recovering}
          onClose={() => setRecovering(false)}
        />
      </Panel>
      <Stack gap="lg" display={isBegun ? undefined : 'none'}>
        {children}
      </Stack>
    </>
  );
};

interface RecoverDialogProps {
  endpoint: WebhookEndpoint;
  /** The time since which deliveries to the endpoint fail, if it is failing. */
  since: string | undefined;
  opened: boolean;
  onClose: () => void;
}

const RecoverResult = ({ recovered, more }: { recovered: number; more: boolean }) => (
  <Text size="sm" fw={550} c={recovered === 0 ? 'dimmed' : 'var(--good)'}>
    {recoveredText(recovered)}
    {more &&
      t(
        ' Es gibt weitere verpasste Ereignisse. Starten Sie den Vorgang mit demselben Zeitpunkt erneut.',
        ' There are more missed events. Start again with the same time.',
      )}
  </Text>
);

const RecoverForm = ({ endpoint, since, onClose }: Omit<RecoverDialogProps, 'opened'>) => {
  const wantedSince = (text: string) => ({ endpoint_id: endpoint.id, since: new Date(text).toISOString() });
  const form = useServerForm({
    initial: { since: recoveredFrom(since), include_older: false },
    send: (values) => client.api.webhooks.recover.mutate({ ...values, ...wantedSince(values.since) }),
    resetsOnChange: true,
  });
  const { data } = form.sending;
  const isTime = !Number.isNaN(Date.parse(form.values.since));
  const { data: found } = useQuery(
    app.webhookHistory.missed.queryOptions(isTime ? wantedSince(form.values.since) : skipToken, { staleTime: 0 }),
  );
  return (
    <Form
      form={form}
      action={data ? t('Weitere nachholen', 'Recover more') : t('Nachholen', 'Recover')}
      hidesAction={data !== undefined && !data.more}
      disabled={!isTime}
      onCancel={onClose}
      cancel={data && t('Fertig', 'Done')}
    >
      <Text size="sm">
        {t(
          'Sendet alle abonnierten Ereignisse seit diesem Zeitpunkt, die nicht zugestellt wurden. Zugestellte und ausstehende Ereignisse werden nicht erneut gesendet.',
          'Sends all subscribed events since this time that were not delivered. Delivered and pending events are not sent again.',
        )}
      </Text>
      <DateField
        withTime
        label={t('Seit (in Ihrer Zeitzone)', 'Since (in your time zone)')}
        required
        data-autofocus
        max={toLocalInput(new Date())}
        {...form.getInputProps('since')}
      />
      {found !== undefined && found.older > 0 && (
        <Checkbox label={olderText(found)} {...form.getInputProps('include_older', { type: 'checkbox' })} />
      )}
      <div role="status">
        {data ? <RecoverResult {...data} /> : found && <Text size="sm">{missedText(found)}</Text>}
      </div>
    </Form>
  );
};

const RecoverDialog = ({ endpoint, since, opened, onClose }: RecoverDialogProps) => (
  <Dialog title={t('Verpasste Ereignisse nachholen', 'Recover missed events')} opened={opened} onClose={onClose}>
    {endpoint.status === 'active' ? (
      <RecoverForm endpoint={endpoint} since={since} onClose={onClose} />
    ) : (
      <Stack>
        <Text size="sm">
          {t(
            'Der Endpunkt ist nicht aktiv. Aktivieren Sie ihn zuerst. Verpasste Ereignisse können Sie danach nachholen.',
            'The endpoint is not active. Reactivate it first. You can recover missed events afterwards.',
          )}
        </Text>
        <DialogButtons>
          <Button data-autofocus onClick={onClose}>
            {t('Schließen', 'Close')}
          </Button>
        </DialogButtons>
      </Stack>
    )}
  </Dialog>
);
