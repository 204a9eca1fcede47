import { Skeleton, Stack } from '@mantine/core';
import { ProblemAlert } from '../../kit/messages.tsx';
import { Page } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useHere } from '../../session/signed-in.tsx';
import { Export } from './export.tsx';
import { Limits } from './limits.tsx';
import { Plan } from './plan.tsx';
import { Privacy } from './privacy.tsx';
import { TeamForm } from './team-form.tsx';

export default function SettingsPage() {
  const t = useText();
  const { may } = useHere();
  const { data: settings, error, refetch } = app.useAnswer('team.settings', {});
  return (
    <Page
      title={t('Einstellungen', 'Settings')}
      lead={t(
        'Wie das Team heißt, was über einzelne Personen gezeigt wird, und was der Tarif enthält.',
        'What the team is called, what is shown about individual people, and what the plan includes.',
      )}
    >
      {!settings && error && <ProblemAlert error={error} retry={() => void refetch()} />}
      {!settings && !error && (
        <Stack role="status" aria-label={t('Wird geladen', 'Loading')}>
          <Skeleton height={180} radius="lg" />
          <Skeleton height={260} radius="lg" />
          <Skeleton height={220} radius="lg" />
        </Stack>
      )}
      {settings && (
        <>
          <TeamForm settings={settings} />
          <Privacy switches={settings.privacy} />
          <Plan settings={settings} />
          <Limits settings={settings} />
          {may('owner') && <Export hasMemberDetail={settings.privacy.member_detail_enabled} />}
        </>
      )}
    </Page>
  );
}
