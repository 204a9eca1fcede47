import { Stack } from '@mantine/core';
import { Page } from '../../kit/page.tsx';
import { useText } from '../../language/language.ts';
import { OwnSessions } from './own-sessions.tsx';
import { OwnTeams } from './own-teams.tsx';
import { PasswordChange } from './password-change.tsx';
import { Profile } from './profile.tsx';
import { SecondFactor } from './second-factor.tsx';

/** What is somebody's own, whatever team they look at. */
export default function AccountPage() {
  const t = useText();
  return (
    <Page
      title={t('Konto und Sicherheit', 'Account and security')}
      lead={t(
        'Ihr Name, Ihre Anmeldung und Ihre Teams. Was Sie hier ändern, gilt in allen Teams.',
        'Your name, how you sign in, and your teams. What you change here holds in every team.',
      )}
    >
      <Stack gap="lg" maw={860}>
        <Profile />
        <PasswordChange />
        <SecondFactor />
        <OwnSessions />
        <OwnTeams />
      </Stack>
    </Page>
  );
}
