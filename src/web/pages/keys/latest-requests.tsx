import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { Empty } from '../../kit/messages.tsx';
import { Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { RequestTable } from '../requests/request-table.tsx';

const shown = 10;

/** What was asked last with a key. */
export const LatestRequests = ({ keyId }: { keyId: string }) => {
  const t = useText();
  const { data, error, refetch } = app.useAnswer('requests.list', { key_id: keyId, limit: shown });
  return (
    <Panel
      title={t('Letzte Anfragen', 'Latest requests')}
      actions={
        <Anchor component={Link} to={`/requests?key=${encodeURIComponent(keyId)}`} size="sm">
          {t('Alle Anfragen mit diesem Schlüssel', 'All requests with this key')}
        </Anchor>
      }
    >
      <RequestTable
        label={t('Letzte Anfragen mit diesem Schlüssel', 'Latest requests with this key')}
        rows={data?.data}
        error={error}
        retry={() => void refetch()}
        empty={<Empty title={t('Noch keine Anfrage mit diesem Schlüssel', 'No request with this key yet')} />}
      />
    </Panel>
  );
};
