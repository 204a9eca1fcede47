import { Button, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { notify, ProblemAlert } from '../../kit/messages.tsx';
import { Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';

/** Downloads a file without leaving the page. */
const download = (path: string): void => {
  const link = document.createElement('a');
  link.href = path;
  link.download = '';
  link.click();
};

/** Downloads all data of the team as a ZIP. Only for the owner. */
export const Export = ({ hasMemberDetail }: { hasMemberDetail: boolean }) => {
  const t = useText();
  const allow = app.useMutation('teamExport.allow');
  const begin = async (): Promise<void> => {
    const { path } = await allow.mutateAsync({});
    download(path);
    notify(t('Der Download beginnt.', 'The download is starting.'));
  };
  return (
    <Panel title={t('Daten exportieren', 'Export data')}>
      <Stack gap="md" align="flex-start">
        <Text size="sm" c="dimmed" maw={640}>
          {t(
            'Eine ZIP-Datei mit allen Daten des Teams als JSON: Mitglieder, Trainings, Auswertungen, Aufgaben, Fälle, Katalog, CRM, Webhooks und Protokolle. Ohne Geheimnisse wie Schlüssel und Passwörter und ohne den Inhalt privater Fälle.',
            'A ZIP file with all data of the team as JSON: members, trainings, evaluations, assignments, cases, catalog, CRM, webhooks and logs. It contains no secrets such as keys and passwords, and no contents of private cases.',
          )}
        </Text>
        {hasMemberDetail ? (
          <Text size="sm" c="dimmed" maw={640}>
            {t(
              'Die Datei enthält personenbezogene Daten. Bewahren Sie sie entsprechend auf. Jeder Export wird protokolliert.',
              'The file contains personal data. Store it accordingly. Every export is recorded in the audit log.',
            )}
          </Text>
        ) : (
          <Text size="sm" maw={640}>
            {t(
              'Solange Angaben zu einzelnen Personen abgeschaltet sind, ist der Export nicht möglich: Er enthält die Ergebnisse einzelner Personen.',
              'While details about individual people are off, the data cannot be exported: the export contains the results of individual people.',
            )}
          </Text>
        )}
        <ProblemAlert error={allow.error} />

        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          disabled={!hasMemberDetail}
          loading={allow.isPending}
          onClick={() => void begin().catch(() => undefined)}
        >
          {t('Daten exportieren', 'Export data')}
        </Button>
      </Stack>
    </Panel>
  );
};
