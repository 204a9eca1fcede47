import { Button, Tabs } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { isAmong, useFilters } from '../../kit/filters.tsx';
import { Page } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { NoApiNotice, useHasApi } from '../../session/signed-in.tsx';
import { ConnectDialog } from './connect-dialog.tsx';
import { ConnectionList } from './connections.tsx';
import { DealList } from './deals.tsx';
import { ObjectionList } from './objections.tsx';
import { useConnections } from './use-connections.ts';

export default function CrmPage() {
  const t = useText();
  const hasApi = useHasApi();
  const { data, error, refetch } = useConnections();
  const { valueOf, set } = useFilters('view');
  const [connecting, setConnecting] = useState(false);
  const views = {
    connections: t('Verbindungen', 'Connections'),
    deals: 'Deals',
    objections: t('Einwände', 'Objections'),
  };
  const wanted = valueOf('view');
  const view = isAmong(views, wanted) ? wanted : 'connections';
  const connections = data?.data;
  const connect = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} disabled={!hasApi} onClick={() => setConnecting(true)}>
      {t('CRM verbinden', 'Connect a CRM')}
    </Button>
  );
  const panels = {
    connections: (
      <ConnectionList connections={connections} error={error} retry={() => void refetch()} connect={connect} />
    ),
    deals: <DealList connections={connections ?? []} />,
    objections: <ObjectionList connections={connections ?? []} />,
  };
  return (
    <Page
      title="CRM"
      lead={t(
        'Deals und Einwände aus Ihrem CRM, regelmäßig abgeglichen.',
        'Deals and objections from your CRM, synced regularly.',
      )}
      actions={connections && connections.length > 0 ? connect : undefined}
    >
      <NoApiNotice of="crm" />
      <Tabs
        value={view}
        onChange={(chosen) => set('view', chosen === 'connections' ? null : chosen)}
        keepMounted={false}
      >
        <Tabs.List aria-label={t('Ansichten', 'Views')}>
          {Object.entries(views).map(([value, name]) => (
            <Tabs.Tab key={value} value={value}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(panels).map(([value, panel]) => (
          <Tabs.Panel key={value} value={value} pt="md">
            {panel}
          </Tabs.Panel>
        ))}
      </Tabs>
      <ConnectDialog opened={connecting} onClose={() => setConnecting(false)} />
    </Page>
  );
}
