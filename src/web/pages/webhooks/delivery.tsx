import { Button, Group, Stack } from '@mantine/core';
import { IconRefresh, IconRepeat } from '@tabler/icons-react';
import { useNavigate, useParams } from 'react-router';
import type { EndpointDelivery } from '../../../modules/webhooks/schema.ts';
import { ProblemAlert, tell } from '../../kit/messages.tsx';
import { DetailState, Page } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { problemOf } from '../../server/problem.ts';
import { api, app } from '../../server/server.ts';
import { NoApiNotice, useHasApi } from '../../session/signed-in.tsx';
import { Attempts } from './attempts.tsx';
import { DeliveryFacts } from './delivery-facts.tsx';
import { useDelivery } from './use-delivery.ts';

const useEndpoint = (id: string) => {
  const { data } = api.useAnswer('webhooks.list', {});
  return data?.data.find((endpoint) => endpoint.id === id);
};

const Actions = ({ endpointId, delivery }: { endpointId: string; delivery: EndpointDelivery }) => {
  const t = useText();
  const navigate = useNavigate();
  const endpoint = useEndpoint(endpointId);
  const retry = api.useChange('webhooks.retry');
  const replay = app.useChange('webhookHistory.replay');
  const hasApi = useHasApi();
  const { id, status, event_id, event_type } = delivery;
  const sendAnew = () =>
    replay.mutate(
      { event_id, endpoint_id: endpointId },
      {
        onSuccess: ({ delivery_id }) => {
          tell(t('Das Ereignis ist noch einmal unterwegs.', 'The event is on its way once more.'));
          void navigate(`/webhooks/${endpointId}/deliveries/${delivery_id}`);
        },
      },
    );
  if (!hasApi) return <NoApiNotice of="webhooks" />;
  return (
    <Stack gap="xs">
      <Group gap="sm">
        {event_type !== 'ping' && endpoint?.status === 'active' && (
          <Button
            variant="default"
            leftSection={<IconRepeat size={16} aria-hidden />}
            loading={replay.isPending}
            onClick={sendAnew}
          >
            {t('Noch einmal senden', 'Send again')}
          </Button>
        )}
        {(status === 'failed' || status === 'gave_up') && (
          <Button
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={retry.isPending}
            onClick={() => retry.mutate({ delivery_id: id })}
          >
            {t('Jetzt wiederholen', 'Retry now')}
          </Button>
        )}
      </Group>
      <ProblemAlert error={retry.error ?? replay.error} />
    </Stack>
  );
};

const DeliveryView = ({ endpointId, deliveryId }: { endpointId: string; deliveryId: string }) => {
  const t = useText();
  const { data: delivery, error, refetch } = useDelivery(deliveryId);
  const isGone = problemOf(error)?.code === 'not_found' || (delivery && delivery.endpoint_id !== endpointId);
  const endpoint = useEndpoint(endpointId);
  return (
    <Page
      title={delivery?.event_type ?? t('Zustellung', 'Delivery')}
      back={{ to: `/webhooks/${endpointId}`, label: endpoint?.url ?? t('Endpunkt', 'Endpoint') }}
      actions={delivery && !isGone ? <Actions endpointId={endpointId} delivery={delivery} /> : undefined}
    >
      {delivery && !isGone ? (
        <>
          <DeliveryFacts delivery={delivery} />
          <Attempts delivery={delivery} />
        </>
      ) : (
        <DetailState
          error={error}
          retry={() => void refetch()}
          missing={
            isGone
              ? {
                  title: t('Diese Zustellung ist nicht mehr da', 'This delivery is no longer there'),
                  advice: t(
                    'Zustellungen werden nur eine Weile aufbewahrt. Die neuesten stehen beim Endpunkt.',
                    'Deliveries are kept for a while only. The newest are listed with the endpoint.',
                  ),
                }
              : undefined
          }
        />
      )}
    </Page>
  );
};

export default function DeliveryPage() {
  const { id = '', deliveryId = '' } = useParams();
  return <DeliveryView key={deliveryId} endpointId={id} deliveryId={deliveryId} />;
}
