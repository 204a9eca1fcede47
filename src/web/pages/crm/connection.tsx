import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { IconPencil, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import type { ComponentProps } from 'react';
import { useParams } from 'react-router';
import type { Connection } from '../../../modules/crm/schema.ts';
import { Notice, ProblemAlert } from '../../kit/messages.tsx';
import { DetailState, Page, Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { problemOf } from '../../server/problem.ts';
import { app } from '../../server/server.ts';
import { NoApiNotice, useHasApi } from '../../session/signed-in.tsx';
import { ChangeDialog } from './change-dialog.tsx';
import { ConnectionFacts } from './connection-facts.tsx';
import { Progress, useConnectionName, useProviderName } from './connection-state.tsx';
import classes from './crm.module.css';
import { Disconnect } from './disconnect.tsx';
import { ProviderMark } from './provider-mark.tsx';
import { Reason } from './reason.tsx';
import { RenewDialog } from './renew-dialog.tsx';
import { Runs } from './runs.tsx';
import { useConnection } from './use-connections.ts';

const useBack = () => {
  const t = useText();
  return { to: '/crm', label: t('Alle Verbindungen', 'All connections') };
};

/** The sync that runs now, or begins within seconds. */
const Running = ({ connection: { running, requested } }: { connection: Connection }) => {
  const t = useText();
  if (running === null && !requested) return null;
  return (
    <Panel>
      <Group gap="sm" wrap="nowrap" role="status">
        <Loader size="xs" aria-hidden />
        <Text size="sm">
          <Text span fw={600} size="sm">
            {running ? t('Abgleich läuft: ', 'Sync running: ') : t('Abgleich startet …', 'Sync starting …')}
          </Text>
          {running && <Progress running={running} />}
        </Text>
      </Group>
    </Panel>
  );
};

/** Says that the CRM refused the token, and what to do. */
const Refused = ({ connection, onRenew }: { connection: Connection; onRenew: () => void }) => {
  const t = useText();
  const hasApi = useHasApi();
  const nothingStored = !connection.has_token;
  if (connection.status !== 'credentials_refused' && !nothingStored) return null;
  return (
    <Notice
      tone="bad"
      role="alert"
      title={
        nothingStored
          ? t('Das Zugriffstoken fehlt', 'The access token is missing')
          : t('Das CRM hat die Zugangsdaten abgelehnt', 'The CRM refused the credentials')
      }
    >
      <Stack gap="xs" align="flex-start">
        {connection.last_reason !== null && (
          <Text size="sm">
            <Reason reason={connection.last_reason} />
          </Text>
        )}
        <Text size="sm">
          {nothingStored
            ? t(
                'Bis ein gültiges Token hinterlegt ist, wird nichts abgeglichen.',
                'Nothing is synced until a valid token is stored.',
              )
            : t(
                'Bis ein gültiges Token hinterlegt ist, läuft kein Abgleich nach Plan. „Jetzt abgleichen“ versucht es mit dem bisherigen Token.',
                'No scheduled sync runs until a valid token is stored. “Sync now” tries the current token.',
              )}{' '}
          {t('Die bisherigen Deals und Einwände bleiben sichtbar.', 'The deals and objections so far stay visible.')}
        </Text>
        <Button size="xs" disabled={!hasApi} onClick={onRenew}>
          {nothingStored ? t('Token eingeben …', 'Enter token …') : t('Token erneuern …', 'Renew token …')}
        </Button>
      </Stack>
    </Notice>
  );
};

const ConnectionView = ({ connection, onEnding }: ComponentProps<typeof Disconnect>) => {
  const t = useText();
  const hasApi = useHasApi();
  const back = useBack();
  const nameOf = useConnectionName();
  const providerName = useProviderName();
  const sync = app.useChange('crm.syncNow');
  const [opened, setOpened] = useState<'settings' | 'token'>();
  const close = () => setOpened(undefined);
  const { provider, label, running, requested, has_token, connection_id } = connection;
  return (
    <Page
      title={nameOf(connection)}
      back={back}
      lead={
        <span className={classes['named']}>
          <ProviderMark provider={provider} size={24} />
          {label === null ? t('CRM-Verbindung', 'CRM connection') : providerName(provider)}
        </span>
      }
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconPencil size={16} aria-hidden />}
            onClick={() => setOpened('settings')}
          >
            {t('Bearbeiten', 'Edit')}
          </Button>
          <Button
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={sync.isPending}
            disabled={running !== null || requested || !has_token || !hasApi}
            onClick={() => sync.mutate({ connection_id })}
          >
            {t('Jetzt abgleichen', 'Sync now')}
          </Button>
        </>
      }
    >
      <NoApiNotice of="crm" />
      <Refused connection={connection} onRenew={() => setOpened('token')} />
      <ProblemAlert error={sync.error} />
      <Running connection={connection} />
      <ConnectionFacts connection={connection} />
      <Runs connectionId={connection_id} />
      <Panel title={t('Zugriffstoken', 'Access token')}>
        <Group justify="space-between" gap="md">
          <Text size="sm" c="dimmed" flex="1 1 280px">
            {has_token
              ? t(
                  'Ein Token ist verschlüsselt gespeichert und wird nicht angezeigt. Ein neues wird getestet, bevor es das alte ersetzt.',
                  'A token is stored encrypted and is not shown. A new one is tested before it replaces the old one.',
                )
              : t('Es ist kein Token gespeichert.', 'No token is stored.')}
          </Text>
          <Button variant="default" disabled={!hasApi} onClick={() => setOpened('token')}>
            {has_token ? t('Token erneuern …', 'Renew token …') : t('Token eingeben …', 'Enter token …')}
          </Button>
        </Group>
      </Panel>
      <Disconnect connection={connection} onEnding={onEnding} />
      <ChangeDialog connection={connection} opened={opened === 'settings'} onClose={close} />
      <RenewDialog connection={connection} opened={opened === 'token'} onClose={close} />
    </Page>
  );
};

export default function ConnectionPage() {
  const t = useText();
  const back = useBack();
  const { id = '' } = useParams();
  const [isEnding, setEnding] = useState(false);
  const { data, error, refetch } = useConnection(id, { enabled: !isEnding });
  const isGone = problemOf(error)?.code === 'not_found';
  if (data && !isGone) return <ConnectionView key={id} connection={data} onEnding={setEnding} />;
  return (
    <Page title={t('CRM-Verbindung', 'CRM connection')} back={back}>
      <DetailState
        error={error}
        retry={() => void refetch()}
        missing={
          isGone
            ? {
                title: t('Diese Verbindung gibt es nicht', 'There is no such connection'),
                advice: t(
                  'Sie wurde getrennt, oder sie gehört zu einem anderen Team.',
                  'It was disconnected, or it belongs to another team.',
                ),
              }
            : undefined
        }
      />
    </Page>
  );
}
