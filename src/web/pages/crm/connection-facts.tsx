import { Button, Group, Stack, Text } from '@mantine/core';
import type { Connection } from '../../../modules/crm/schema.ts';
import { Copy } from '../../kit/copy.tsx';
import { Facts } from '../../kit/facts.tsx';
import type { Fact } from '../../kit/facts.tsx';
import { ExactTime, useDuration } from '../../kit/formats.tsx';
import { ProblemAlert, tell } from '../../kit/messages.tsx';
import { Panel } from '../../kit/page.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useHasApi } from '../../session/signed-in.tsx';
import { useCrmLimits } from './connection-fields.tsx';
import { ConnectionStatus, LastSync, NextSync, Quiet } from './connection-state.tsx';
import { useLanguageName } from './objection-fields.tsx';

/** Stops the schedule, or starts it again. */
const PauseOrResume = ({ connection: { connection_id, status } }: { connection: Connection }) => {
  const t = useText();
  const pause = app.useChange('crm.pause');
  const resume = app.useChange('crm.resume');
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
              { onSuccess: () => tell(t('Die Verbindung ist wieder aktiv.', 'The connection is active again.')) },
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
              { onSuccess: () => tell(t('Die Verbindung ist pausiert.', 'The connection is paused.')) },
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
export const ConnectionFacts = ({ connection }: { connection: Connection }) => {
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
      value: (
        <Group gap={4} wrap="nowrap">
          <Text span size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {id}
          </Text>
          <Copy value={id} what={t('Id', 'id')} />
        </Group>
      ),
    },
  ];
  return (
    <Panel title={t('Verbindung', 'Connection')} actions={<PauseOrResume connection={connection} />}>
      <Facts sideBySide facts={facts} />
    </Panel>
  );
};
