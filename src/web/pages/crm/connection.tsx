import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { IconPencil, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { useParams } from 'react-router';
import type { Connection } from '../../../modules/crm/schema.ts';
import { CopyableId } from '../../kit/copy.tsx';
import { Consequences } from '../../kit/dialog.tsx';
import { Facts } from '../../kit/facts.tsx';
import type { Fact } from '../../kit/facts.tsx';
import { ExactTime, useCount, useDuration } from '../../kit/formats.tsx';
import { Notice, notify, ProblemAlert } from '../../kit/messages.tsx';
import { DangerPanel, DetailState, Page, Panel, useDeletion } from '../../kit/page.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { problemOf } from '../../server/problem.ts';
import { app } from '../../server/server.ts';
import { NoApiNotice, useHasApi } from '../../session/signed-in.tsx';
import { ChangeDialog, RenewDialog, useCrmLimits } from './connection-forms.tsx';
import {
  ConnectionStatus,
  LastSync,
  NextSync,
  Progress,
  ProviderMark,
  Quiet,
  Reason,
  useConnectionName,
  useLanguageName,
  useProviderName,
} from './connection-words.tsx';
import classes from './crm.module.css';
import { useConnection } from './crm.tsx';
import { Runs } from './runs.tsx';

const useBack = () => {
  const t = useText();
  return { to: '/crm', label: t('Alle Verbindungen', 'All connections') };
};

/** Shown while a sync runs or is about to start. */
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

const ConnectionView = ({ connection, deleteAndLeave }: DisconnectProps) => {
  const t = useText();
  const hasApi = useHasApi();
  const back = useBack();
  const nameOf = useConnectionName();
  const providerName = useProviderName();
  const sync = app.useMutation('crm.syncNow');
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
      <NoApiNotice about="crm" />
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
      <Disconnect connection={connection} deleteAndLeave={deleteAndLeave} />
      <ChangeDialog connection={connection} opened={opened === 'settings'} onClose={close} />
      <RenewDialog connection={connection} opened={opened === 'token'} onClose={close} />
    </Page>
  );
};

export default function ConnectionPage() {
  const t = useText();
  const back = useBack();
  const { id = '' } = useParams();
  const { isDeleting, deleteAndLeave } = useDeletion('/crm');
  const { data, error, refetch } = useConnection(id, { enabled: !isDeleting });
  const isGone = problemOf(error)?.code === 'not_found';
  if (data && !isGone && !isDeleting)
    return <ConnectionView key={id} connection={data} deleteAndLeave={deleteAndLeave} />;
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

/** Stops the schedule, or starts it again. */
const PauseOrResume = ({ connection: { connection_id, status } }: { connection: Connection }) => {
  const t = useText();
  const pause = app.useMutation('crm.pause');
  const resume = app.useMutation('crm.resume');
  const hasApi = useHasApi();
  const error = pause.error ?? resume.error;
  // After a refused token, a new token starts the schedule again.
  if (status === 'credentials_refused') return null;
  return (
    <Stack gap="xs">
      {status === 'paused' ? (
        <Button
          size="xs"
          disabled={!hasApi}
          loading={resume.isPending}
          onClick={() =>
            resume.mutate(
              { connection_id },
              { onSuccess: () => notify(t('Die Verbindung ist wieder aktiv.', 'The connection is active again.')) },
            )
          }
        >
          {t('Fortsetzen', 'Resume')}
        </Button>
      ) : (
        <Button
          size="xs"
          variant="default"
          loading={pause.isPending}
          onClick={() =>
            pause.mutate(
              { connection_id },
              { onSuccess: () => notify(t('Die Verbindung ist pausiert.', 'The connection is paused.')) },
            )
          }
        >
          {t('Pausieren', 'Pause')}
        </Button>
      )}
      <ProblemAlert error={error} />
    </Stack>
  );
};

/** Where the objections of HubSpot and Pipedrive come from. */
const useObjectionFacts = ({ provider, settings }: Connection): Fact[] => {
  const t = useText();
  const languageName = useLanguageName();
  if (provider === 'feed') return [];
  const { objection_property: property, note_prefix: prefix, objection_category, objection_lang } = settings;
  const sources = [
    t('Verlustgrund', 'Lost reason'),
    ...(property === null ? [] : [t(`Eigenschaft „${property}“`, `property “${property}”`)]),
    ...(prefix === null ? [] : [t(`Notizen mit „${prefix}“`, `notes with “${prefix}”`)]),
  ];
  return [
    { name: t('Einwände aus', 'Objections from'), value: sources.join(', ') },
    {
      name: t('Kategorie und Sprache', 'Category and language'),
      value: `${objection_category}, ${languageName(objection_lang)}`,
    },
  ];
};

/** The state and settings of a connection. */
const ConnectionFacts = ({ connection }: { connection: Connection }) => {
  const t = useText();
  const locale = useLocale();
  const duration = useDuration();
  const jitter = useCrmLimits()?.jitter.toLocaleString(locale, { style: 'percent' });
  const objectionFacts = useObjectionFacts(connection);
  const { connection_id: id, url, deals, objections, interval_seconds, created_at } = connection;
  const facts: Fact[] = [
    { name: t('Zustand', 'State'), value: <ConnectionStatus connection={connection} />, alone: 'when narrow' },
    { name: t('Nächster Abgleich', 'Next sync'), value: <NextSync connection={connection} /> },
    {
      name: t('Abgleich alle', 'Sync every'),
      value: (
        <>
          {duration(interval_seconds)}
          {jitter !== undefined && <Quiet>{t(`jeweils bis zu ${jitter} später`, `each up to ${jitter} later`)}</Quiet>}
        </>
      ),
    },
    { name: t('Verbunden', 'Connected'), value: <ExactTime at={created_at} /> },
    { name: 'Deals', value: deals.toLocaleString(locale) },
    { name: t('Einwände', 'Objections'), value: objections.toLocaleString(locale) },
    ...objectionFacts,
    { name: t('Letzter Abgleich', 'Last sync'), value: <LastSync connection={connection} whole />, alone: 'always' },
    ...(url === null ? [] : [{ name: t('Adresse', 'URL'), value: url, alone: 'always' as const }]),
    {
      name: 'Id',
      alone: 'always',
      value: <CopyableId id={id} what={t('Id', 'id')} />,
    },
  ];
  return (
    <Panel title={t('Verbindung', 'Connection')} actions={<PauseOrResume connection={connection} />}>
      <Facts sideBySide facts={facts} />
    </Panel>
  );
};

interface DisconnectProps {
  connection: Connection;
  deleteAndLeave: ReturnType<typeof useDeletion>['deleteAndLeave'];
}

const Disconnect = ({ connection, deleteAndLeave }: DisconnectProps) => {
  const t = useText();
  const count = useCount();
  const nameOf = useConnectionName();
  const { connection_id, deals, objections } = connection;
  const data = [
    count(deals, t('Deal', 'deal'), t('Deals', 'deals')),
    count(objections, t('Einwand', 'objection'), t('Einwände', 'objections')),
  ].join(t(' und ', ' and '));
  return (
    <DangerPanel
      title={t('Verbindung trennen', 'Disconnect')}
      advice={t(
        'Um den Abgleich nur vorübergehend anzuhalten, pausieren Sie die Verbindung: Die Daten bleiben dann sichtbar.',
        'To stop syncing only for a while, pause the connection: its data stays visible.',
      )}
      action={t('Trennen …', 'Disconnect …')}
      question={{
        title: t('Verbindung trennen?', 'Disconnect?'),
        consequences: (
          <Consequences
            name={nameOf(connection)}
            points={[
              t(
                `${data} verschwinden sofort aus der App und aus der API und werden gelöscht.`,
                `${data} disappear from the app and the API at once and are deleted.`,
              ),
              t('Das Zugriffstoken und der Verlauf werden gelöscht.', 'The access token and the history are deleted.'),
              t(
                'In Ihrem CRM ändert sich nichts. Sie können es später neu verbinden.',
                'Nothing changes in your CRM. You can connect it again later.',
              ),
            ]}
          />
        ),
        action: t('Endgültig trennen', 'Disconnect for good'),
        act: () =>
          deleteAndLeave(
            () => app.mutate('crm.disconnect', { connection_id }),
            t('Die Verbindung ist getrennt.', 'The connection is disconnected.'),
          ),
      }}
    />
  );
};
