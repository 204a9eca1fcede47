import { Divider, Stack, Text } from '@mantine/core';
import { Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { useLeaderboardEffects, useMemberDetailEffects } from './privacy-effects.tsx';
import { PrivacySwitch } from './privacy-switch.tsx';
import type { Switches } from './team-settings.ts';

/** The team's privacy switches, each with the exact data that it shows or hides. */
export const Privacy = ({ switches }: { switches: Switches }) => {
  const t = useText();
  const memberDetail = useMemberDetailEffects();
  const leaderboard = useLeaderboardEffects();
  return (
    <Panel title={t('Datenschutz', 'Privacy')}>
      <Stack gap="lg">
        <Text size="sm" c="dimmed">
          {t(
            'Die Schalter gelten sofort, in der App wie in der API. Die eigenen Trainings, Auswertungen und Aufgaben sieht jede Person immer.',
            'The switches take effect at once, in the app and in the API alike. Everybody always sees their own trainings, evaluations and assignments.',
          )}
        </Text>
        <PrivacySwitch
          name="member_detail_enabled"
          isOn={switches.member_detail_enabled}
          label={t('Angaben zu einzelnen Personen', 'Details about individual people')}
          about={t(
            'Wer was geübt hat, mit welchem Ergebnis, und wem welche Aufgabe gegeben ist.',
            'Who practised what and how it went, and who was given which assignment.',
          )}
          effects={memberDetail}
        />
        <Divider />
        <PrivacySwitch
          name="leaderboard_enabled"
          isOn={switches.leaderboard_enabled}
          label={t('Rangliste', 'Leaderboard')}
          about={t('Der Vergleich der Mitglieder in der Auswertung.', 'How members compare, in the analytics.')}
          effects={leaderboard}
        />
      </Stack>
    </Panel>
  );
};
