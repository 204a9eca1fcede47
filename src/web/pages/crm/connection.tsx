import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { IconPencil, IconRefresh } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import type { Connection, SyncRun } from '../../../modules/crm/schema.ts';
import { Hint } from '../../kit/text/text.tsx';
import { ActionButton } from '../../kit/page/action-button.tsx';
import { idFact } from '../../kit/text/copy.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { WaitingDrafts } from '../../kit/form/waiting-drafts.tsx';
import { Facts, type Fact } from '../../kit/page/facts.tsx';
import { durationInWords, milliseconds, number } from '../../kit/text/figures.ts';
import { ExactTime } from '../../kit/text/formats.tsx';
import { Notice, ProblemAlert } from '../../kit/page/messages.tsx';
import { DangerPanel, Detail, Page, Panel, useDeletion } from '../../kit/page/page.tsx';
import { DataTable } from '../../kit/list/table.tsx';
import { locale, t } from '../../language/language.tsx';
import { app, client, nextPage, usePages } from '../../server/server.ts';
import { NoApiNotice, useHasApi } from '../../session/signed-in.tsx';
import { changeDraft, ChangeForm, RenewForm, useCrmLimits } from './connection-forms.tsx';
import { connectionName, providerName } from './connection-name.ts';
import { firstRunIn, tokenNeeded, tokenTexts } from './connection-state.ts';
import {
  ConnectionStatus,
  LastSync,
  NextSync,
  Progress,
  ProviderMark,
  Quiet,
  SyncResult,
  languageName,
  categoryName,
} from './connection-words.tsx';
import { useConnection } from './crm.tsx';
import { deletedText } from './figures.ts';
import { actionsOn } from './rights.ts';

const back = { to: '/crm', label: 'CRM' };

/** Shown while a sync runs or is about to start. */
const Running = ({ connection: { running, requested } }: { connection: Connection }) => {
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

/** Says that the token is missing or that the CRM refused it, and what the reader can do. */
const Refused = ({ connection, onRenew }: { connection: Connection; onRenew: () => void }) => {
  const can = actionsOn(connection, useHasApi());
  const needed = tokenNeeded(connection);
  if (!needed) return null;
  return (
    <Notice tone="bad" role="alert" title={needed.title}>
      <Stack gap="xs" align="flex-start">
        {connection.last_reason !== null && (
          <Text size="sm">{t(connection.last_reason_de, connection.last_reason)}</Text>
        )}
        <Text size="sm">
          {needed.what}{' '}
          {t('Vorhandene Deals und Einwände bleiben sichtbar.', 'Existing deals and objections stay visible.')}
        </Text>
        <Button variant="filled" size="xs" disabled={!can.renew} onClick={onRenew}>
          {tokenTexts(connection.has_token).action}
        </Button>
      </Stack>
    </Notice>
  );
};

const ConnectionView = ({ connection, deleteAndLeave }: DisconnectProps) => {
  const sync = useMutation(app.crm.syncNow.mutationOptions());
  const [opened, setOpened] = useState<'settings' | 'token'>();
  const close = () => setOpened(undefined);
  const { provider, label, has_token, connection_id } = connection;
  const can = actionsOn(connection, useHasApi());
  return (
    <Page
      title={connectionName(connection)}
      back={back}
      lead={
        <Group component="span" gap={10}>
          <ProviderMark provider={provider} size={24} />
          {label === null ? t('CRM-Verbindung', 'CRM connection') : providerName(provider)}
        </Group>
      }
      actions={
        <>
          <Button leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setOpened('settings')}>
            {t('Bearbeiten', 'Edit')}
          </Button>
          <Button
            variant="filled"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={sync.isPending}
            disabled={!can.sync}
            onClick={() => sync.mutate({ connection_id })}
          >
            {t('Jetzt abgleichen', 'Sync now')}
          </Button>
        </>
      }
    >
      <WaitingDrafts
        of={[
          {
            name: changeDraft,
            what: t('Verbindung bearbeiten', 'Edit connection'),
            open: () => setOpened('settings'),
          },
        ]}
      />
      <NoApiNotice about="crm" />
      <Refused connection={connection} onRenew={() => setOpened('token')} />
      <ProblemAlert error={sync.error} />
      <Running connection={connection} />
      <ConnectionFacts connection={connection} />
      <Runs connectionId={connection_id} />
      <Panel title={t('Zugriffstoken', 'Access token')}>
        <Group justify="space-between" gap="md">
          <Hint flex="1 1 280px">{tokenTexts(has_token).what}</Hint>
          <Button disabled={!can.renew} onClick={() => setOpened('token')}>
            {tokenTexts(has_token).action}
          </Button>
        </Group>
      </Panel>
      <Disconnect connection={connection} deleteAndLeave={deleteAndLeave} />
      <Dialog
        title={t('Verbindung bearbeiten', 'Edit connection')}
        opened={opened === 'settings'}
        onClose={close}
        size="lg"
      >
        <ChangeForm connection={connection} onClose={close} />
      </Dialog>
      <Dialog
        title={has_token ? t('Token erneuern', 'Renew token') : t('Token eingeben', 'Enter token')}
        opened={opened === 'token'}
        onClose={close}
      >
        <RenewForm connection={connection} onClose={close} />
      </Dialog>
    </Page>
  );
};

export default function ConnectionPage() {
  const { id = '' } = useParams();
  const { isDeleting, deleteAndLeave } = useDeletion('/crm');
  const query = useConnection(id, { enabled: !isDeleting });
  return (
    <Detail
      title={t('CRM-Verbindung', 'CRM connection')}
      back={back}
      query={isDeleting ? { ...query, data: undefined } : query}
      missing={t('Verbindung nicht gefunden', 'Connection not found')}
      advice={t(
        'Sie wurde getrennt oder gehört zu einem anderen Team.',
        'It was disconnected or belongs to another team.',
      )}
    >
      {(connection) => <ConnectionView key={id} connection={connection} deleteAndLeave={deleteAndLeave} />}
    </Detail>
  );
}

const PauseOrResume = ({ connection }: { connection: Connection }) => {
  const { connection_id, status } = connection;
  const can = actionsOn(connection, useHasApi());
  if (!can.pause && status !== 'paused') return null;
  return status === 'paused' ? (
    <ActionButton
      key="resume"
      size="xs"
      disabled={!can.resume}
      act={() => client.app.crm.resume.mutate({ connection_id })}
      done={t('Verbindung fortgesetzt.', 'Connection resumed.')}
    >
      {t('Fortsetzen', 'Resume')}
    </ActionButton>
  ) : (
    <ActionButton
      key="pause"
      size="xs"
      act={() => client.app.crm.pause.mutate({ connection_id })}
      done={t('Verbindung pausiert.', 'Connection paused.')}
    >
      {t('Pausieren', 'Pause')}
    </ActionButton>
  );
};

/** Where the objections of HubSpot and Pipedrive come from. */
const objectionFacts = ({ provider, settings }: Connection): Fact[] => {
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
      value: `${categoryName(objection_category)}, ${languageName(objection_lang)}`,
    },
  ];
};

const ConnectionFacts = ({ connection }: { connection: Connection }) => {
  const jitter = useCrmLimits()?.jitter.toLocaleString(locale(), { style: 'percent' });
  const { connection_id: id, url, deals, objections, interval_seconds, created_at } = connection;
  const facts: (Fact | false)[] = [
    { name: t('Status', 'Status'), value: <ConnectionStatus connection={connection} />, alone: 'when narrow' },
    { name: t('Nächster Abgleich', 'Next sync'), value: <NextSync connection={connection} /> },
    {
      name: t('Abgleich alle', 'Sync every'),
      value: (
        <>
          {durationInWords(interval_seconds)}
          {jitter !== undefined && (
            <Quiet>{t(`Kann bis zu ${jitter} später starten`, `Syncs may start up to ${jitter} later`)}</Quiet>
          )}
        </>
      ),
    },
    { name: t('Verbunden', 'Connected'), value: <ExactTime at={created_at} /> },
    { name: 'Deals', value: number(deals) },
    { name: t('Einwände', 'Objections'), value: number(objections) },
    ...objectionFacts(connection),
    {
      name: t('Letzter Abgleich', 'Last sync'),
      value: <LastSync connection={connection} whole />,
      alone: 'when not wide',
    },
    url !== null && { name: t('URL', 'URL'), value: url, alone: 'always' },
    idFact(id),
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
  const { connection_id } = connection;
  return (
    <DangerPanel
      title={t('Verbindung trennen', 'Disconnect')}
      advice={t(
        'Wenn Sie den Abgleich nur vorübergehend anhalten möchten, pausieren Sie die Verbindung. Die Daten bleiben dann erhalten.',
        'To stop syncing temporarily, pause the connection instead. Its data is kept.',
      )}
      action={t('Trennen …', 'Disconnect …')}
      question={{
        title: t('Verbindung trennen?', 'Disconnect the CRM?'),
        typed: connectionName(connection),
        points: [
          deletedText(connection),
          t('Zugriffstoken und Verlauf werden gelöscht.', 'The access token and the history will be deleted.'),
          t(
            'Ihr CRM wird nicht verändert. Sie können es später neu verbinden.',
            'Your CRM is not changed. You can connect it again later.',
          ),
        ],
        action: t('Verbindung trennen', 'Disconnect'),
        act: () =>
          deleteAndLeave(
            () => client.app.crm.disconnect.mutate({ connection_id }),
            t('Verbindung getrennt.', 'Connection disconnected.'),
          ),
      }}
    />
  );
};

const pageSize = 10;
const refetchMs = 1_500;

const isRunning = ({ data }: { data: readonly SyncRun[] }): boolean => data.some(({ ended_at }) => ended_at === null);

const Kind = ({ run: { kind, on_demand }, isFirst }: { run: SyncRun; isFirst: boolean }) => {
  const words: Record<SyncRun['kind'], string> = {
    full: t('Vollständig', 'Full'),
    incremental: t('Änderungen', 'Changes'),
  };
  const scheduled = isFirst ? t('Erster Abgleich', 'First sync') : t('Nach Plan', 'Scheduled');
  const cause = on_demand ? t('Manuell gestartet', 'Started manually') : scheduled;
  return (
    <div>
      {words[kind]}
      <Quiet>{cause}</Quiet>
    </div>
  );
};

export const Runs = ({ connectionId }: { connectionId: string }) => {
  const list = usePages(
    app.crm.runs.infiniteQueryOptions(
      { connection_id: connectionId, limit: pageSize },
      { ...nextPage, refetchInterval: ({ state }) => (state.data?.pages.some(isRunning) ? refetchMs : false) },
    ),
  );
  const limits = useCrmLimits();
  const firstId = firstRunIn(list.rows ?? [], { hasNextPage: list.hasNextPage, kept: limits?.runs_kept ?? 0 });
  return (
    <Panel title={t('Verlauf', 'History')}>
      <DataTable
        label={t('Verlauf', 'History')}
        csv={{ read: (page) => client.app.crm.runs.query({ connection_id: connectionId, ...page }) }}
        list={list}
        keyOf={({ run_id }) => run_id}
        columns={[
          { label: t('Beginn', 'Started'), value: ({ started_at }) => started_at, cell: 'exact time' },
          { label: t('Ende', 'Ended'), value: ({ ended_at }) => ended_at },
          {
            label: t('Typ', 'Type'),
            value: ({ kind }) => kind,
            cell: (run) => <Kind run={run} isFirst={run.run_id === firstId} />,
          },
          { label: t('Manuell gestartet', 'Started manually'), value: ({ on_demand }) => on_demand },
          {
            label: t('Ergebnis', 'Result'),
            value: ({ outcome }) => outcome,
            alwaysShown: true,
            flexible: true,
            cell: ({ outcome, reason, reason_de }) => (
              <SyncResult outcome={outcome} reason={t(reason_de, reason)} whole />
            ),
          },
          { label: t('Grund', 'Reason'), value: ({ reason, reason_de }) => t(reason_de, reason) },
          { label: 'Deals', value: ({ deals }) => deals, priority: 1, cell: 'number' },
          { label: t('Einwände', 'Objections'), value: ({ objections }) => objections, priority: 2, cell: 'number' },
          { label: t('Gelöscht', 'Deleted'), value: ({ deleted }) => deleted, priority: 3, cell: 'number' },
          {
            label: t('Dauer', 'Duration'),
            align: 'end',
            priority: 4,
            cell: ({ started_at, ended_at }) =>
              ended_at === null ? '–' : milliseconds(Math.max(0, Date.parse(ended_at) - Date.parse(started_at))),
          },
        ]}
        none={t('Noch kein Abgleich', 'No sync yet')}
        hint={t('Hier sehen Sie jeden Abgleich mit seinem Ergebnis.', 'Each sync and its result are listed here.')}
      />
    </Panel>
  );
};
