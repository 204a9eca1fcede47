import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreatedWebhookEndpoint, WebhookEndpoint } from '../../../modules/webhooks/schema.ts';
import { Consequences, Dialog } from '../../kit/dialog/dialog.tsx';
import { DialogButtons } from '../../kit/dialog/dialog-buttons.tsx';
import { Facts, Status } from '../../kit/page/facts.tsx';
import { Notice, notify, ProblemAlert } from '../../kit/page/messages.tsx';
import { Pending, type useDeletion } from '../../kit/page/page.tsx';
import { Time } from '../../kit/text/formats.tsx';
import { Hint, TextLink } from '../../kit/text/text.tsx';
import { t } from '../../language/language.tsx';
import { api, app, client } from '../../server/server.ts';
import { NewSecret } from './endpoint-form.tsx';
import { endRenewal, lastAttempted, type RenewalCalls, type Renewal } from './renewal.ts';
import { otherEndpointTexts } from './renewal-words.ts';
import { DeliveryStatus, Outcome } from './words.tsx';

const pollMs = 2_000;

/** Creates the second endpoint. */
const Begin = ({ onBegin, onClose }: { onBegin: () => Promise<void>; onClose: () => void }) => {
  const beginning = useMutation({ mutationFn: onBegin });
  return (
    <Stack>
      <Consequences
        points={[
          t(
            'Ein zweiter Endpunkt mit derselben URL, denselben Ereignissen und denselben Headern wird angelegt. Sein Signaturgeheimnis wird einmal angezeigt.',
            'A second endpoint with the same URL, events and headers is created. Its signing secret is shown once.',
          ),
          t(
            'Von da an kommt jedes Ereignis zweimal, mit derselben Ereignis-ID. Ihr Empfänger darf es nur einmal verarbeiten.',
            'From then on, every event arrives twice, with the same event ID. Your receiver must process it only once.',
          ),
          t(
            'Sie sehen, was Ihr Empfänger auf beide Geheimnisse antwortet. Sobald er das neue annimmt, löschen Sie den ersten Endpunkt.',
            'You see how your receiver responds to both secrets. Once it accepts the new one, you delete the first endpoint.',
          ),
        ]}
      />
      <ProblemAlert error={beginning.error} />
      <DialogButtons>
        <Button disabled={beginning.isPending} onClick={onClose}>
          {t('Abbrechen', 'Cancel')}
        </Button>
        <Button variant="filled" data-autofocus loading={beginning.isPending} onClick={() => beginning.mutate()}>
          {t('Zweiten Endpunkt anlegen', 'Create second endpoint')}
        </Button>
      </DialogButtons>
    </Stack>
  );
};

/** The receiver's last answer to an endpoint. */
const LatestAnswer = ({ endpointId, isPolled }: { endpointId: string; isPolled: boolean }) => {
  const query = useQuery(
    app.webhookHistory.deliveries.queryOptions(
      { endpoint_id: endpointId, limit: 5 },
      { enabled: isPolled, refetchInterval: pollMs },
    ),
  );
  if (!query.data) return <Pending query={query} height={32} />;
  const last = lastAttempted(query.data.data);
  if (!last) return t('Noch keine Antwort', 'No response yet');
  return (
    <Group gap="xs">
      <DeliveryStatus status={last.status} isHeld={last.is_held} />
      <Outcome attempt={last} />
      {last.created_at !== null && (
        <Hint size="xs">
          <Time at={last.created_at} />
        </Hint>
      )}
    </Group>
  );
};

const sendTests = async ({ first, second }: Renewal): Promise<void> => {
  for (const { id } of [first, second]) await client.api.webhooks.test.mutate({ endpoint_id: id });
};

const calls: RenewalCalls = {
  deliveries: (wanted) => client.app.webhookHistory.deliveries.query(wanted),
  recover: (wanted) => client.api.webhooks.recover.mutate(wanted),
  remove: (wanted) => client.api.webhooks.remove.mutate(wanted),
};

interface FollowProps {
  renewal: Renewal;
  onEnd: (end: () => Promise<void>) => Promise<void>;
  onClose: () => void;
}

/** Shows the receiver's answers to both secrets, until the first endpoint can be deleted. */
const Follow = ({ renewal, onEnd, onClose }: FollowProps) => {
  const { first, second } = renewal;
  const testing = useMutation({ mutationFn: () => sendTests(renewal) });
  const ending = useMutation({ mutationFn: () => onEnd(() => endRenewal(renewal, calls)) });
  /** Whether the page polls endpoints and deliveries: not while the first endpoint is deleted, and not afterwards. */
  const isPolled = !ending.isPending && !ending.isSuccess;
  useQuery(api.webhooks.list.queryOptions({}, { enabled: isPolled, refetchInterval: pollMs }));
  const isAccepted = second.last_success_at !== null;
  return (
    <Stack>
      <Text size="sm">
        {t(
          'Tragen Sie das neue Signaturgeheimnis in Ihrem Empfänger ein, wenn möglich neben dem bisherigen. Jedes Ereignis kommt zweimal, bis Sie den ersten Endpunkt löschen.',
          'Configure the new signing secret in your receiver, beside the old one if possible. Every event arrives twice until you delete the first endpoint.',
        )}
      </Text>
      <Facts
        facts={[
          {
            name: t('Bisheriges Geheimnis', 'Old secret'),
            value: <LatestAnswer endpointId={first.id} isPolled={isPolled} />,
          },
          {
            name: t('Neues Geheimnis', 'New secret'),
            value: <LatestAnswer endpointId={second.id} isPolled={isPolled} />,
          },
        ]}
      />
      <Group gap="xs" role="status">
        {!isAccepted && <Loader size="xs" aria-hidden />}
        <Status tone={isAccepted ? 'good' : 'info'}>
          {isAccepted
            ? t('Das neue Geheimnis wurde angenommen', 'The new secret was accepted')
            : t('Das neue Geheimnis wurde noch nicht angenommen', 'The new secret was not accepted yet')}
        </Status>
      </Group>
      <Hint>
        {t(
          'Was noch auf den ersten Endpunkt wartet, wird beim Löschen an den zweiten gesendet; sein Zustellverlauf wird gelöscht. Sie können diesen Dialog schließen und später fortfahren. Ist das neue Geheimnis verloren, löschen Sie den zweiten Endpunkt auf seiner Seite und beginnen Sie erneut.',
          'When you delete the first endpoint, what still waits for it is sent to the second, and its delivery history is deleted. You can close this dialog and continue later. If the new secret is lost, delete the second endpoint on its page and start again.',
        )}
      </Hint>
      <ProblemAlert error={testing.error ?? ending.error} />
      <DialogButtons>
        <Button data-autofocus disabled={ending.isPending} onClick={onClose}>
          {t('Schließen', 'Close')}
        </Button>
        <Button loading={testing.isPending} disabled={ending.isPending} onClick={() => testing.mutate()}>
          {t('Testereignisse senden', 'Send test events')}
        </Button>
        <Button
          variant="filled"
          color="red.9"
          disabled={!isAccepted || testing.isPending}
          loading={ending.isPending}
          onClick={() => ending.mutate()}
        >
          {t('Ersten Endpunkt löschen', 'Delete first endpoint')}
        </Button>
      </DialogButtons>
    </Stack>
  );
};

interface RenewDialogProps {
  endpoint: WebhookEndpoint;
  renewal: Renewal | undefined;
  deleteAndLeave: ReturnType<typeof useDeletion>['deleteAndLeave'];
  opened: boolean;
  onClose: () => void;
}

/** Leads from the signing secret of an endpoint to a new secret, by a second endpoint. */
export const RenewDialog = ({ endpoint, renewal, deleteAndLeave, opened, onClose }: RenewDialogProps) => {
  /** The second endpoint, until its secret is saved. */
  const [created, setCreated] = useState<CreatedWebhookEndpoint>();
  const begin = async () => setCreated(await client.app.webhookHistory.renew.mutate({ endpoint_id: endpoint.id }));
  const end = async (request: () => Promise<void>) => {
    const done = t(
      'Signaturgeheimnis erneuert. Der erste Endpunkt ist gelöscht.',
      'Signing secret renewed. The first endpoint is deleted.',
    );
    if (renewal?.first.id === endpoint.id) return deleteAndLeave(request, done);
    await request();
    notify(done);
    onClose();
  };
  return (
    <Dialog
      title={t('Signaturgeheimnis erneuern', 'Renew signing secret')}
      opened={opened}
      onClose={onClose}
      size="lg"
      locked={created !== undefined}
    >
      {created && <NewSecret secret={created.secret} onDone={() => setCreated(undefined)} />}
      {!created && renewal && <Follow renewal={renewal} onEnd={end} onClose={onClose} />}
      {!created && !renewal && <Begin onBegin={begin} onClose={onClose} />}
    </Dialog>
  );
};

interface RenewalNoticeProps {
  endpoint: WebhookEndpoint;
  renewal: Renewal;
  /** Absent while the team can't continue. */
  onContinue: (() => void) | undefined;
}

/** Says on the page of an endpoint that there is a second one, and offers to continue the renewal. */
export const RenewalNotice = ({ endpoint, renewal: { first, second }, onContinue }: RenewalNoticeProps) => {
  const isFirst = endpoint.id === first.id;
  const other = isFirst ? second : first;
  const { what, link } = otherEndpointTexts(isFirst ? 'first' : 'second');
  return (
    <Notice
      tone="info"
      title={t('Das Signaturgeheimnis wird erneuert', 'The signing secret is being renewed')}
      {...(onContinue && { action: { label: t('Fortfahren …', 'Continue …'), onClick: onContinue } })}
    >
      {what} <TextLink to={`/webhooks/${other.id}`}>{link}</TextLink>
    </Notice>
  );
};
