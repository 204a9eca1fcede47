import { DocsLink } from '../../kit/docs-link.tsx';
import { Anchor, Button, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { CreatedWebhookEndpoint, WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { ExactTime, Time } from '../../kit/formats.tsx';
import { Empty } from '../../kit/messages.tsx';
import { Page } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { api } from '../../server/server.ts';
import { NoApiNotice, useHasApi } from '../../session/signed-in.tsx';
import { NewEndpointDialog } from './endpoint-form.tsx';
import { EndpointStatus, useFailing } from './words.tsx';

const Name = ({ endpoint: { id, url, description } }: { endpoint: WebhookEndpoint }) => (
  <div>
    <Anchor component={Link} to={`/webhooks/${id}`} fw={600} size="sm" style={{ overflowWrap: 'anywhere' }}>
      {url}
    </Anchor>
    {description !== null && (
      <Text size="xs" c="dimmed" fw={400}>
        {description}
      </Text>
    )}
  </div>
);

const State = ({ endpoint: { status }, since }: { endpoint: WebhookEndpoint; since: string | undefined }) => {
  const t = useText();
  return (
    <Stack gap={2} align="inherit">
      <span>
        <EndpointStatus status={status} />
      </span>
      {since !== undefined && (
        <Text size="xs" c="var(--bad)">
          {t('Gestört seit ', 'Failing since ')}
          <ExactTime at={since} />
        </Text>
      )}
    </Stack>
  );
};

export default function WebhooksPage() {
  const t = useText();
  const locale = useLocale();
  const { data, error, refetch } = api.useQuery('webhooks.list', {});
  const failing = useFailing();
  const [opened, setOpened] = useState(false);
  const [created, setCreated] = useState<CreatedWebhookEndpoint>();
  const create = useHasApi() ? (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={() => {
        setCreated(undefined);
        setOpened(true);
      }}
    >
      {t('Neuer Endpunkt', 'New endpoint')}
    </Button>
  ) : undefined;
  return (
    <Page
      title="Webhooks"
      lead={t(
        'Ihre Systeme erfahren in Sekunden, was im Team geschieht: signierte Nachrichten an Ihre Adressen.',
        'Your systems learn within seconds what happens in the team: signed messages to your URLs.',
      )}
      actions={data && data.data.length > 0 ? create : undefined}
    >
      <NoApiNotice about="webhooks" />
      <Text size="sm" c="dimmed">
        {t('Empfangen, prüfen und beantworten: ', 'Receiving, verifying and answering: ')}
        <DocsLink page="webhooks">{t('Dokumentation der Webhooks', 'Webhook documentation')}</DocsLink>
      </Text>
      <DataTable
        label={t('Endpunkte', 'Endpoints')}
        rows={data?.data}
        error={error}
        retry={() => void refetch()}
        keyOf={({ id }) => id}
        columns={[
          { label: t('Endpunkt', 'Endpoint'), cell: (endpoint) => <Name endpoint={endpoint} /> },
          {
            label: t('Zustand', 'State'),
            cell: (endpoint) => <State endpoint={endpoint} since={failing.get(endpoint.id)} />,
          },
          {
            label: t('Ereignisse', 'Events'),
            align: 'end',
            cell: ({ events }) => events.length.toLocaleString(locale),
          },
          {
            label: t('Zuletzt angekommen', 'Last success'),
            cell: ({ last_success_at: at }) => (at === null ? t('Noch nie', 'Never yet') : <Time at={at} />),
          },
        ]}
        empty={
          <Empty title={t('Noch kein Endpunkt', 'No endpoint yet')} action={create}>
            {t(
              'Ein Endpunkt ist eine Adresse in Ihrem System. Wird ein Training beendet, eine Auswertung gespeichert oder über die API eine Aufgabe vergeben, senden wir es dorthin, signiert und mit Wiederholungen, falls gerade niemand antwortet.',
              'An endpoint is a URL in your system. When a training ends, an evaluation is saved or an assignment is given through the API, we send it there, signed, and try again if nobody answers.',
            )}
          </Empty>
        }
      />
      <NewEndpointDialog opened={opened} created={created} onCreated={setCreated} onClose={() => setOpened(false)} />
    </Page>
  );
}
