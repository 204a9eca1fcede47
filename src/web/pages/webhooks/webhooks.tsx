import { useQuery } from '@tanstack/react-query';
import { DocsLink, Hint, TextLink } from '../../kit/text/text.tsx';
import { Lines, TextInCell } from '../../kit/text/cut.tsx';
import { useState } from 'react';
import type { CreatedWebhookEndpoint, WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { WaitingDrafts } from '../../kit/form/waiting-drafts.tsx';
import { number } from '../../kit/text/figures.ts';
import { LastTime } from '../../kit/text/formats.tsx';
import { CreateButton } from '../../kit/page/create-button.tsx';
import { Page } from '../../kit/page/page.tsx';
import { DataTable } from '../../kit/list/table.tsx';
import { t } from '../../language/language.tsx';
import { api, app } from '../../server/server.ts';
import { NoApiNotice, useHasApi } from '../../session/signed-in.tsx';
import { NewEndpointDialog } from './endpoint-form.tsx';
import { Health } from './health.tsx';
import { EndpointState, useFailing, LatestAttempts } from './words.tsx';

const Name = ({ endpoint: { id, url, description } }: { endpoint: WebhookEndpoint }) => (
  <Lines below={description}>
    <TextLink to={`/webhooks/${id}`} fw={600}>
      <TextInCell text={url} />
    </TextLink>
  </Lines>
);

export default function WebhooksPage() {
  const { data, error, refetch } = useQuery(api.webhooks.list.queryOptions({}));
  const failing = useFailing();
  const hasEndpoints = data !== undefined && data.data.length > 0;
  const { data: days } = useQuery(app.webhookHistory.days.queryOptions({}, { enabled: hasEndpoints }));
  const daysOf = new Map(days?.endpoints.map((endpoint) => [endpoint.endpoint_id, endpoint.days]));
  const [opened, setOpened] = useState(false);
  const [created, setCreated] = useState<CreatedWebhookEndpoint>();
  const create = useHasApi() ? (
    <CreateButton
      label={t('Neuer Endpunkt', 'New endpoint')}
      onClick={() => {
        setCreated(undefined);
        setOpened(true);
      }}
    />
  ) : undefined;
  return (
    <Page
      title="Webhooks"
      lead={t(
        'Ihre Anwendungen erhalten Ereignisse des Teams in Echtzeit als signierte HTTP-Anfragen.',
        'Your applications receive team events in real time as signed HTTP requests.',
      )}
      actions={hasEndpoints ? create : undefined}
    >
      <WaitingDrafts
        of={[{ name: 'endpoint', what: t('Neuer Endpunkt', 'New endpoint'), open: () => setOpened(true) }]}
      />
      <NoApiNotice about="webhooks" />
      <Hint>
        {t('Einrichtung und Signaturprüfung: ', 'Setup and signature verification: ')}
        <DocsLink page="webhooks">{t('Webhook-Dokumentation', 'Webhook documentation')}</DocsLink>
      </Hint>
      <DataTable
        label={t('Endpunkte', 'Endpoints')}
        csv={{}}
        list={{ rows: data?.data, error, refetch }}
        keyOf={({ id }) => id}
        columns={[
          { label: t('Endpunkt-ID', 'Endpoint ID'), value: ({ id }) => id },
          {
            label: t('Endpunkt', 'Endpoint'),
            name: 'url',
            value: ({ url }) => url,
            cell: (endpoint) => <Name endpoint={endpoint} />,
          },
          { label: t('Beschreibung', 'Description'), value: ({ description }) => description },
          {
            label: t('Status', 'Status'),
            name: 'status',
            value: ({ status }) => status,
            alwaysShown: true,
            cell: (endpoint) => <EndpointState endpoint={endpoint} failingSince={failing.get(endpoint.id)} />,
          },
          {
            label: t('30 Tage', '30 days'),
            priority: 2,
            cell: ({ id }) => <LatestAttempts days={daysOf.get(id)} />,
          },
          {
            label: t('Ereignisse', 'Events'),
            value: ({ events }) => events.join(' '),
            align: 'end',
            priority: 1,
            cell: ({ events }) => number(events.length),
          },
          { label: t('API-Version', 'API version'), value: ({ api_version }) => api_version },
          { label: t('Angelegt', 'Created'), value: ({ created_at }) => created_at },
          {
            label: t('Zuletzt zugestellt', 'Last delivered'),
            name: 'last_delivered',
            value: ({ last_success_at }) => last_success_at,
            cell: ({ last_success_at: at }) => <LastTime at={at} />,
          },
        ]}
        none={t('Noch keine Endpunkte', 'No endpoints yet')}
        hint={t(
          'Legen Sie einen Endpunkt an, um Ereignisse an Ihre URL zu senden, zum Beispiel wenn ein Training endet oder bewertet wird. Fehlgeschlagene Zustellungen werden automatisch wiederholt.',
          'Create an endpoint to send events to your URL, for example when a training ends or is scored. Failed deliveries are retried automatically.',
        )}
        action={create}
      />
      {hasEndpoints && <Health />}
      <NewEndpointDialog opened={opened} created={created} onCreated={setCreated} onClose={() => setOpened(false)} />
    </Page>
  );
}
