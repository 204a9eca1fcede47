import { Group, Text } from '@mantine/core';
import type { WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { Copy } from '../../kit/copy.tsx';
import { Panel } from '../../kit/panel.tsx';
import { ExactTime, Time } from '../../kit/time.tsx';
import { useText } from '../../language/language.ts';
import { app } from '../../server/server.ts';
import { Fact, FactGrid } from './fact-grid.tsx';
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
  return (
    <Panel title={t('Endpunkt', 'Endpoint')} actions={switches[status]}>
      <FactGrid>
        <Fact name={t('Zustand', 'State')} alone="when narrow">
          <EndpointStatus status={status} />
        </Fact>
        <Fact name={t('Zuletzt angekommen', 'Last success')}>
          {last_success_at === null ? t('Noch nie', 'Never yet') : <Time at={last_success_at} />}
        </Fact>
        <Fact name={t('Angelegt', 'Created')}>{created_at !== null && <ExactTime at={created_at} />}</Fact>
        <Fact name={t('Form der Ereignisse', 'Shape of its events')}>{api_version}</Fact>
        <Fact name="Id" alone="always">
          <Group gap={4} wrap="nowrap">
            <Text span size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {id}
            </Text>
            <Copy value={id} what={t('Id', 'id')} />
          </Group>
        </Fact>
        <Fact name={t('Ereignisse', 'Events')} alone="always">
          {events.map((type) => (
            <div key={type}>
              <Text span size="sm" ff="monospace">
                {type}
              </Text>
              <Text span size="sm" c="dimmed">
                {' '}
                {aboutOf.get(type)}
              </Text>
            </div>
          ))}
        </Fact>
      </FactGrid>
    </Panel>
  );
};
