import { List, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import type { WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { useConfirm } from '../../kit/dialog.tsx';
import { tell } from '../../kit/messages.tsx';
import { DangerPanel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { api } from '../../server/server.ts';

/** Deletes an endpoint, after a confirmation. */
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
                'Wartende Zustellungen werden verworfen. An diesen Endpunkt wird nichts mehr gesendet.',
                'Waiting deliveries are dropped. Nothing more is sent to this endpoint.',
              )}
            </List.Item>
            <List.Item>
              {t(
                'Das Geheimnis wird ungültig. Ein neuer Endpunkt bekommt ein anderes.',
                'The secret stops working. A new endpoint gets a different one.',
              )}
            </List.Item>
            <List.Item>
              {t('Die bisherigen Zustellungen sind nicht mehr zu sehen.', 'Past deliveries can no longer be viewed.')}
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
