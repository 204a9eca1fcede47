import { List, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import type { Connection } from '../../../modules/crm/schema.ts';
import { useConfirm } from '../../kit/dialog.tsx';
import { useCount } from '../../kit/formats.tsx';
import { tell } from '../../kit/messages.tsx';
import { DangerPanel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useConnectionName } from './connection-state.tsx';

interface DisconnectProps {
  connection: Connection;
  /** Called with true before the request: from then on the connection may be gone and must not be loaded. */
  onEnding: (isEnding: boolean) => void;
}

/** Disconnects, after a confirmation that lists what is deleted. */
export const Disconnect = ({ connection, onEnding }: DisconnectProps) => {
  const t = useText();
  const ask = useConfirm();
  const count = useCount();
  const nameOf = useConnectionName();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { connection_id, deals, objections } = connection;
  const disconnect = () => {
    const lost = [
      count(deals, t('Deal', 'deal'), t('Deals', 'deals')),
      count(objections, t('Einwand', 'objection'), t('Einwände', 'objections')),
    ].join(t(' und ', ' and '));
    ask({
      title: t('Verbindung trennen?', 'Disconnect?'),
      consequences: (
        <>
          <Text size="sm" mb="xs" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {nameOf(connection)}
          </Text>
          <List size="sm" spacing={4}>
            <List.Item>
              {t(
                `${lost} verschwinden sofort aus der App und aus der API und werden gelöscht.`,
                `${lost} disappear from the app and the API at once and are deleted.`,
              )}
            </List.Item>
            <List.Item>
              {t('Das Zugriffstoken und der Verlauf werden gelöscht.', 'The access token and the history are deleted.')}
            </List.Item>
            <List.Item>
              {t(
                'In Ihrem CRM ändert sich nichts. Sie können es später neu verbinden.',
                'Nothing changes in your CRM. You can connect it again later.',
              )}
            </List.Item>
          </List>
        </>
      ),
      action: t('Endgültig trennen', 'Disconnect for good'),
      act: async () => {
        onEnding(true);
        await queries.cancelQueries();
        try {
          await app.do('crm.disconnect', { connection_id });
        } catch (error) {
          onEnding(false);
          void queries.invalidateQueries();
          throw error;
        }
        await navigate('/crm');
        tell(t('Die Verbindung ist getrennt.', 'The connection is disconnected.'));
        void queries.invalidateQueries();
      },
    });
  };
  return (
    <DangerPanel
      title={t('Verbindung trennen', 'Disconnect')}
      advice={t(
        'Um den Abgleich nur vorübergehend anzuhalten, pausieren Sie die Verbindung: Die Daten bleiben dann sichtbar.',
        'To stop syncing only for a while, pause the connection: its data stays visible.',
      )}
      action={t('Trennen …', 'Disconnect …')}
      onAction={disconnect}
    />
  );
};
