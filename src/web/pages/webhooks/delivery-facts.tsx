import { Group, Text } from '@mantine/core';
import type { EndpointDelivery } from '../../../modules/webhooks/schema.ts';
import { Copy } from '../../kit/copy.tsx';
import { Facts } from '../../kit/facts.tsx';
import type { Fact } from '../../kit/facts.tsx';
import { ExactTime, Time } from '../../kit/formats.tsx';
import { Panel } from '../../kit/page.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { DeliveryStatus, Reason } from './words.tsx';

const useWhatFollows = ({ status }: EndpointDelivery): string => {
  const t = useText();
  return {
    pending: t('Sie wird gerade gesendet oder ist gleich an der Reihe.', 'It is being sent, or is about to be.'),
    failed: t('Sie wird automatisch wiederholt.', 'It will be retried automatically.'),
    ok: t('Der Empfänger hat sie angenommen.', 'The receiver accepted it.'),
    gave_up: t('Es folgt kein automatischer Versuch mehr.', 'No automatic attempt follows.'),
  }[status];
};

/** What is sent, and how it stands. */
export const DeliveryFacts = ({ delivery }: { delivery: EndpointDelivery }) => {
  const t = useText();
  const locale = useLocale();
  const { data: reference } = app.useAnswer('reference.events', {});
  const about = reference?.events.find(({ type }) => type === delivery.event_type)?.about;
  const follows = useWhatFollows(delivery);
  const { event_id, attempt, created_at, next_try_at, status, error } = delivery;
  const facts: Fact[] = [
    {
      name: t('Zustand', 'State'),
      alone: 'when narrow',
      value: (
        <div role="status">
          <DeliveryStatus status={status} />
          <Text size="xs" c="dimmed" mt={4}>
            {follows}
          </Text>
          {(error === 'endpoint paused' || error === 'too many waiting') && (
            <Text size="xs" c="dimmed">
              <Reason error={error} />
            </Text>
          )}
        </div>
      ),
    },
  ];
  if (about !== undefined) facts.push({ name: t('Was geschah', 'What happened'), value: about });
  facts.push({ name: t('Versuche', 'Attempts'), value: attempt.toLocaleString(locale) });
  if (status === 'failed' && next_try_at !== null) {
    facts.push({
      name: t('Nächster Versuch', 'Next try'),
      alone: 'when narrow',
      value: (
        <>
          <Time at={next_try_at} /> (<ExactTime at={next_try_at} />)
        </>
      ),
    });
  }
  facts.push(
    { name: t('Angelegt', 'Created'), value: created_at !== null && <ExactTime at={created_at} /> },
    {
      name: t('Id des Ereignisses', 'Id of the event'),
      alone: 'always',
      value: (
        <Group gap={4} wrap="nowrap">
          <Text span size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {event_id}
          </Text>
          <Copy value={event_id} what={t('Id', 'id')} />
        </Group>
      ),
    },
  );
  return (
    <Panel title={t('Zustellung', 'Delivery')}>
      <Facts sideBySide facts={facts} />
    </Panel>
  );
};
