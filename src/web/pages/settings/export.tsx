import { Button, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Hint } from '../../kit/text/text.tsx';
import { notify, ProblemAlert } from '../../kit/page/messages.tsx';
import { t } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { SectionPanel } from './sections.tsx';

/** Downloads a file without leaving the page. */
const download = (path: string): void => {
  const link = document.createElement('a');
  link.href = path;
  link.download = '';
  link.click();
};

/** Downloads all data of the team as a ZIP. Only for the owner. */
export const Export = ({ hasMemberDetail }: { hasMemberDetail: boolean }) => {
  const allow = useMutation(app.teamExport.allow.mutationOptions());
  const begin = async (): Promise<void> => {
    const { path } = await allow.mutateAsync({});
    download(path);
    notify(t('Der Download wird gestartet.', 'The download is starting.'));
  };
  return (
    <SectionPanel section="export">
      <Stack gap="md" align="flex-start">
        <Hint maw={640}>
          {t(
            'ZIP-Datei mit allen Daten des Teams als JSON: Mitglieder, Trainings, Bewertungen, Aufgaben, Fälle, Katalog, CRM, Webhooks und Protokolle. Nicht enthalten sind Zugangsdaten wie Schlüssel und Passwörter sowie die Inhalte privater Fälle.',
            'ZIP file with all team data as JSON: members, trainings, evaluations, assignments, cases, catalog, CRM, webhooks and logs. Credentials such as keys and passwords and the contents of private cases are not included.',
          )}
        </Hint>
        {hasMemberDetail ? (
          <Hint maw={640}>
            {t(
              'Die Datei enthält personenbezogene Daten. Bewahren Sie sie sicher auf. Jeder Export wird protokolliert.',
              'The file contains personal data. Store it securely. Every export is recorded in the audit log.',
            )}
          </Hint>
        ) : (
          <Text size="sm" maw={640}>
            {t(
              'Der Export ist nicht verfügbar, solange personenbezogene Daten ausgeblendet sind.',
              'The export is unavailable while member-level data is hidden.',
            )}
          </Text>
        )}
        <ProblemAlert error={allow.error} />

        <Button
          leftSection={<IconDownload size={16} aria-hidden />}
          disabled={!hasMemberDetail}
          loading={allow.isPending}
          onClick={() => void begin().catch(() => undefined)}
        >
          {t('Daten exportieren', 'Export data')}
        </Button>
      </Stack>
    </SectionPanel>
  );
};
