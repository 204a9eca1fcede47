import { Group, Text } from '@mantine/core';
import type { WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { Copy } from '../../kit/copy.tsx';
import { Facts } from '../../kit/facts.tsx';
import type { Fact } from '../../kit/facts.tsx';
import { ExactTime, Time } from '../../kit/formats.tsx';
import { Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { Disable, Reactivate } from './switch-endpoint.tsx';
import { EndpointStatus } from './words.tsx';

/** What is set for an endpoint and how it stands. */
export const EndpointFacts = ({ endpoint }: { endpoint: WebhookEndpoint }) => {
  const t = useText();
  const { data: reference } = app.useAnswer('reference.events', {});
  const aboutOf = new Map(reference?.events.map(({ type, about }) => [type, about]));
  const { id, status, events, api_version, created_at, last_success_at } = endpoint;
  // A paused one is reactivated where it says why it was paused.
  const switches = {
    active: <Disable endpoint={endpoint} />,
    disabled: <Reactivate endpoint={endpoint} />,
    disabled_failures: undefined,
  };
  const facts: Fact[] = [
    { name: t('Zustand', 'State'), value: <EndpointStatus status={status} />, alone: 'when narrow' },
    {
      name: t('Zuletzt angekommen', 'Last success'),
      value: last_success_at === null ? t('Noch nie', 'Never yet') : <Time at={last_success_at} />,
    },
    { name: t('Angelegt', 'Created'), value: created_at !== null && <ExactTime at={created_at} /> },
    { name: t('Form der Ereignisse', 'Shape of its events'), value: api_version },
    {
      name: 'Id',
      alone: 'always',
      value: (
        <Group gap={4} wrap="nowrap">
          <Text span size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {id}
          </Text>
          <Copy value={id} what={t('Id', 'id')} />
        </Group>
      ),
    },
    {
      name: t('Ereignisse', 'Events'),
      alone: 'always',
      value: events.map((type) => (
        <div key={type}>
          <Text span size="sm" ff="monospace">
            {type}
          </Text>
          <Text span size="sm" c="dimmed">
            {' '}
            {aboutOf.get(type)}
          </Text>
        </div>
      )),
    },
  ];
  return (
    <Panel title={t('Endpunkt', 'Endpoint')} actions={switches[status]}>
      <Facts sideBySide facts={facts} />
    </Panel>
  );
};
