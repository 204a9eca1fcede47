import { Button, Stack } from '@mantine/core';
import type { WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { useConfirm } from '../../kit/confirm.tsx';
import { tell } from '../../kit/notify.ts';
import { ProblemAlert } from '../../kit/problem-alert.tsx';
import { useText } from '../../language/language.ts';
import { api } from '../../server/server.ts';

/** Has an endpoint get events again. */
export const Reactivate = ({ endpoint: { id } }: { endpoint: WebhookEndpoint }) => {
  const t = useText();
  const change = api.useChange('webhooks.change');
  const said = t(
    'Der Endpunkt ist wieder aktiv. Was ihm bis jetzt entging, können Sie nachholen.',
    'The endpoint is active again. You can recover what it missed until now.',
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
        'Was von jetzt an geschieht, wird nicht an ihn gesendet. Was schon wartet, geht weiter, sobald er wieder aktiv ist; Verpasstes können Sie danach nachholen.',
        'What happens from now on is not sent to it. What waits already goes on once it is active again; you can recover what it missed then.',
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
