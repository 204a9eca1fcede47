import { List, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import type { WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { useConfirm } from '../../kit/confirm.tsx';
import { tell } from '../../kit/notify.ts';
import { DangerPanel } from '../../kit/danger-panel.tsx';
import { useText } from '../../language/language.ts';
import { api } from '../../server/server.ts';

/** The way to be rid of an endpoint. */
export const DeleteEndpoint = ({ endpoint, onDeleted }: { endpoint: WebhookEndpoint; onDeleted: () => void }) => {
  const t = useText();
  const ask = useConfirm();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { id, url } = endpoint;
  const remove = () =>
    ask({
      title: t('Endpunkt löschen?', 'Delete this endpoint?'),
      consequences: (
        <>
          <Text size="sm" mb="xs" style={{ overflowWrap: 'anywhere' }}>
            {url}
          </Text>
          <List size="sm" spacing={4}>
            <List.Item>
              {t(
                'Zustellungen, die noch warten, werden verworfen; gesendet wird ihm nichts mehr.',
                'Deliveries that still wait are dropped; nothing more is sent to it.',
              )}
            </List.Item>
            <List.Item>
              {t(
                'Sein Geheimnis ist verloren. Ein neuer Endpunkt bekommt ein anderes.',
                'Its secret is lost. A new endpoint gets another one.',
              )}
            </List.Item>
            <List.Item>
              {t('Was ihm gesendet wurde, ist nicht mehr zu sehen.', 'What was sent to it can’t be seen any more.')}
            </List.Item>
          </List>
        </>
      ),
      action: t('Endgültig löschen', 'Delete for good'),
      act: async () => {
        await api.do('webhooks.remove', { endpoint_id: id });
        onDeleted();
        await navigate('/webhooks');
        tell(t('Der Endpunkt ist gelöscht.', 'The endpoint is deleted.'));
        void queries.invalidateQueries();
      },
    });
  return (
    <DangerPanel
      title={t('Endpunkt löschen', 'Delete the endpoint')}
      advice={t(
        'Zum Wechseln des Geheimnisses legen Sie erst einen zweiten Endpunkt mit denselben Ereignissen an und löschen dann diesen.',
        'To change the secret, create a second endpoint with the same events first, then delete this one.',
      )}
      action={t('Löschen …', 'Delete …')}
      onAction={remove}
    />
  );
};
