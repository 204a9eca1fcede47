import { Anchor, Group, Loader, Text } from '@mantine/core';
import { Link } from 'react-router';
import { ProblemAlert } from '../../kit/messages.tsx';
import { Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { useDelivery } from './use-delivery.ts';
import { DeliveryStatus, Outcome } from './words.tsx';

interface TestOutcomeProps {
  endpointId: string;
  deliveryId: string;
  /** While the endpoint is not active, a test that fails is not repeated. */
  isActive: boolean;
}

/** The outcome of a test, as soon as it is known. */
export const TestOutcome = ({ endpointId, deliveryId, isActive }: TestOutcomeProps) => {
  const t = useText();
  const { data: delivery, error } = useDelivery(deliveryId, { status: 'pending', attempt: 0 });
  const waits = !delivery || delivery.status === 'pending';
  return (
    <Panel title={t('Ihr Test', 'Your test')}>
      {error && !delivery ? (
        <ProblemAlert error={error} />
      ) : (
        <Group gap="md" role="status">
          {waits && <Loader size="xs" aria-hidden />}
          <DeliveryStatus status={delivery?.status ?? 'pending'} />
          {delivery && !waits && <Outcome of={delivery} />}
          {waits && (
            <Text size="sm" c="dimmed">
              {t('Das Testereignis wird in Sekunden gesendet.', 'The test event is sent within seconds.')}
            </Text>
          )}
          {!isActive && (
            <Text size="sm" c="dimmed">
              {t(
                'Der Endpunkt ist nicht aktiv: Ein Test wird einmal gesendet und nicht wiederholt.',
                'The endpoint is not active: a test is sent once and not repeated.',
              )}
            </Text>
          )}
          <Anchor component={Link} size="sm" to={`/webhooks/${endpointId}/deliveries/${deliveryId}`}>
            {t('Ansehen, was gesendet wurde', 'See what was sent')}
          </Anchor>
        </Group>
      )}
    </Panel>
  );
};
