import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import type { WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { localOf } from '../../kit/formats.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';

interface RecoverDialogProps {
  endpoint: WebhookEndpoint;
  /** Since when nothing got through to it, if so. */
  since: string | undefined;
  opened: boolean;
  onClose: () => void;
}

const aDay = 86_400_000;

const Result = ({ recovered, more }: { recovered: number; more: boolean }) => {
  const t = useText();
  const count = recovered.toLocaleString(useLocale());
  const said =
    recovered === 1
      ? t('1 Ereignis ist wieder unterwegs.', '1 event is on its way again.')
      : t(`${count} Ereignisse sind wieder unterwegs.`, `${count} events are on their way again.`);
  return (
    <Text size="sm" fw={550} c={recovered === 0 ? 'dimmed' : 'var(--good)'}>
      {recovered === 0 ? t('Seitdem hat er nichts verpasst.', 'It has missed nothing since then.') : said}
      {more &&
        t(
          ' Es gibt weitere: Holen Sie sie mit derselben Zeit nach.',
          ' There are more: recover them with the same time.',
        )}
    </Text>
  );
};

const Inside = ({ endpoint, since, onClose }: Omit<RecoverDialogProps, 'opened'>) => {
  const t = useText();
  const recover = app.useChange('webhookHistory.recover');
  const [from, setFrom] = useState(localOf(since === undefined ? new Date(Date.now() - aDay) : new Date(since)));
  const time = new Date(from);
  const valid = !Number.isNaN(time.getTime());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (valid) recover.mutate({ endpoint_id: endpoint.id, since: time.toISOString() });
  };
  const { data } = recover;
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">
          {t(
            'Sendet alle Ereignisse seit dieser Zeit, die der Endpunkt abonniert hat und die ihn nicht erreicht haben. Was schon ankam oder noch unterwegs ist, kommt nicht noch einmal.',
            'Sends all events since this time to which the endpoint is subscribed and that did not reach it. What got through already or is still on its way does not come again.',
          )}
        </Text>
        <TextInput
          type="datetime-local"
          label={t('Seit', 'Since')}
          description={t('In Ihrer Zeitzone.', 'In your time zone.')}
          required
          data-autofocus
          value={from}
          max={localOf(new Date())}
          onChange={(event) => {
            setFrom(event.currentTarget.value);
            recover.reset();
          }}
        />
        <div role="status">{data && <Result {...data} />}</div>
        <ProblemAlert error={recover.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {data ? t('Fertig', 'Done') : t('Abbrechen', 'Cancel')}
          </Button>
          {(!data || data.more) && (
            <Button type="submit" loading={recover.isPending} disabled={!valid}>
              {data ? t('Weitere nachholen', 'Recover more') : t('Nachholen', 'Recover')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
};

/** Sends an endpoint again what it missed. */
export const RecoverDialog = ({ endpoint, since, opened, onClose }: RecoverDialogProps) => {
  const t = useText();
  return (
    <Dialog title={t('Verpasstes nachholen', 'Recover missed events')} opened={opened} onClose={onClose}>
      {endpoint.status === 'active' ? (
        <Inside endpoint={endpoint} since={since} onClose={onClose} />
      ) : (
        <Stack>
          <Text size="sm">
            {t(
              'Nur ein aktiver Endpunkt bekommt Ereignisse. Aktivieren Sie ihn zuerst; was er bis dahin verpasst, können Sie danach nachholen.',
              'Only an active endpoint gets events. Reactivate it first; you can recover afterwards what it misses until then.',
            )}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" data-autofocus onClick={onClose}>
              {t('Schließen', 'Close')}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
};
