import { Button, Stack } from '@mantine/core';
import type { WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { useConfirm } from '../../kit/dialog.tsx';
import { ProblemAlert, tell } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { api } from '../../server/server.ts';

/** Has an endpoint get events again. */
export const Reactivate = ({ endpoint: { id } }: { endpoint: WebhookEndpoint }) => {
  const t = useText();
  const change = api.useChange('webhooks.change');
  const said = t(
    'Der Endpunkt ist wieder aktiv. Verpasste Ereignisse können Sie nachholen.',
    'The endpoint is active again. You can recover the events that it missed.',
  );
  return (
    <Stack gap="xs">
      <Button
        size="xs"
        loading={change.isPending}
        onClick={() => change.mutate({ endpoint_id: id, status: 'active' }, { onSuccess: () => tell(said) })}
      >
        {t('Wieder aktivieren', 'Reactivate')}
      </Button>
      <ProblemAlert error={change.error} />
    </Stack>
  );
};

/** Has an endpoint get no events for now. */
export const Disable = ({ endpoint: { id } }: { endpoint: WebhookEndpoint }) => {
  const t = useText();
  const ask = useConfirm();
  const change = api.useChange('webhooks.change');
  const disable = () =>
    ask({
      title: t('Endpunkt abschalten?', 'Disable this endpoint?'),
      consequences: t(
        'Neue Ereignisse werden nicht an ihn gesendet. Wartende Zustellungen gehen weiter, sobald er wieder aktiv ist; verpasste Ereignisse können Sie danach nachholen.',
        'New events are not sent to it. Waiting deliveries go on once it is active again; you can then recover the events that it missed.',
      ),
      action: t('Abschalten', 'Disable'),
      harmless: true,
      act: async () => {
        await change.mutateAsync({ endpoint_id: id, status: 'disabled' });
        tell(t('Der Endpunkt ist abgeschaltet.', 'The endpoint is disabled.'));
      },
    });
  return (
    <Button size="xs" variant="default" onClick={disable}>
      {t('Abschalten …', 'Disable …')}
    </Button>
  );
};
