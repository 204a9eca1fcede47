import { Button, Text } from '@mantine/core';
import { IconPencil, IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { useParams } from 'react-router';
import type { WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { ProblemAlert } from '../../kit/messages.tsx';
import { DetailState, Page, Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { api } from '../../server/server.ts';
import { NoApiNotice, useHasApi } from '../../session/signed-in.tsx';
import { DeleteEndpoint } from './delete-endpoint.tsx';
import { Deliveries } from './deliveries.tsx';
import { EditEndpointDialog } from './edit-endpoint-dialog.tsx';
import { EndpointFacts } from './endpoint-facts.tsx';
import { Health } from './health.tsx';
import { NotReached } from './not-reached.tsx';
import { TestOutcome } from './test-outcome.tsx';
import { useFailing } from './use-failing.ts';
import { Verification } from './verification.tsx';

const useBack = () => {
  const t = useText();
  return { to: '/webhooks', label: t('Alle Endpunkte', 'All endpoints') };
};

const EndpointView = ({ endpoint, onDeleted }: { endpoint: WebhookEndpoint; onDeleted: () => void }) => {
  const t = useText();
  const back = useBack();
  const failingSince = useFailing().get(endpoint.id);
  const test = api.useChange('webhooks.test');
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
      <NoApiNotice of="webhooks" />
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
      <DeleteEndpoint endpoint={endpoint} onDeleted={onDeleted} />
      <EditEndpointDialog endpoint={endpoint} opened={editing} onClose={() => setEditing(false)} />
    </Page>
  );
};

export default function EndpointPage() {
  const t = useText();
  const back = useBack();
  const { id = '' } = useParams();
  const { data, error, refetch } = api.useAnswer('webhooks.list', {});
  // What is deleted is not asked for any more, on the way to the list.
  const [deleted, setDeleted] = useState('');
  const endpoint = data?.data.find((one) => one.id === id && one.id !== deleted);
  if (endpoint) return <EndpointView key={id} endpoint={endpoint} onDeleted={() => setDeleted(id)} />;
  return (
    <Page title={t('Endpunkt', 'Endpoint')} back={back}>
      {deleted !== id && (
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
