import { Box, Collapse, Divider, Group, List, Stack, Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { DocsLink, Hint } from '../../kit/text/text.tsx';
import { useConfirm } from '../../kit/dialog/confirm.tsx';
import { FoldButton } from '../../kit/page/fold-button.tsx';
import { t } from '../../language/language.tsx';
import { app, client } from '../../server/server.ts';
import { switched, switchQuestion } from './changes.ts';
import { SectionPanel } from './sections.tsx';
import type { Switches } from './settings.tsx';

/** The team's privacy switches, each with the data that it shows or hides. */
export const Privacy = ({ switches }: { switches: Switches }) => {
  const memberDetail = memberDetailEffects();
  const leaderboard = useLeaderboardEffects();
  return (
    <SectionPanel
      section="privacy"
      lead={t(
        'Änderungen gelten sofort in der App und in der API. Eigene Trainings, Bewertungen und Aufgaben sind für jedes Mitglied immer sichtbar.',
        'Changes take effect immediately in the app and in the API. Members can always see their own trainings, evaluations and assignments.',
      )}
    >
      <Stack gap="lg">
        <PrivacySwitch
          name="member_detail_enabled"
          isOn={switches.member_detail_enabled}
          label={t('Personenbezogene Daten', 'Member-level data')}
          about={t(
            'Trainings, Bewertungen und Aufgaben einzelner Mitglieder anzeigen.',
            'Show trainings, evaluations and assignments of individual members.',
          )}
          effects={memberDetail}
        />
        <Divider />
        <PrivacySwitch
          name="leaderboard_enabled"
          isOn={switches.leaderboard_enabled}
          label={t('Rangliste', 'Leaderboard')}
          about={t(
            'Vergleich der Mitglieder in der Teamauswertung anzeigen.',
            'Show how members compare in the analytics.',
          )}
          effects={leaderboard}
        />
      </Stack>
    </SectionPanel>
  );
};

interface SwitchEffect {
  where: string;
  what: string;
}

interface SwitchEffects {
  off: readonly SwitchEffect[];
  on: readonly SwitchEffect[];
}

interface PrivacySwitchProps {
  name: keyof Switches;
  isOn: boolean;
  label: string;
  about: string;
  effects: SwitchEffects;
}

/** The effects on people. The effects on programs are on a page of the documentation. */
const EffectList = ({ effects }: { effects: readonly SwitchEffect[] }) => (
  <Stack gap="sm">
    <List size="sm" spacing="xs">
      {effects.map(({ where, what }) => (
        <List.Item key={where}>
          <strong>{where}:</strong> {what}
        </List.Item>
      ))}
    </List>
    <Text size="sm">
      {t('Für Entwickler: ', 'For developers: ')}
      <DocsLink page="privacy">
        {t('Was sich in der API und in Webhooks ändert', 'What changes in the API and in webhooks')}
      </DocsLink>
    </Text>
  </Stack>
);

/** A switch that lists its effects and asks before it changes anything. */
const PrivacySwitch = ({ name, isOn, label, about, effects }: PrivacySwitchProps) => {
  const confirm = useConfirm();
  const id = useId();
  const [opened, { toggle }] = useDisclosure();
  const change = isOn ? effects.off : effects.on;
  const changes = isOn
    ? t('Was sich beim Ausschalten ändert', 'What happens when this is off')
    : t('Was sich beim Einschalten ändert', 'What happens when this is on');
  const flip = () =>
    confirm({
      title: switchQuestion(label, isOn),
      consequences: <EffectList effects={change} />,
      action: isOn ? t('Daten ausblenden', 'Hide data') : t('Daten anzeigen', 'Show data'),
      harmless: true,
      act: () => client.app.team.setPrivacy.mutate(switched(name, isOn)),
      done: t('Einstellung gespeichert.', 'Setting saved.'),
    });
  return (
    <Box>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Stack gap={2}>
          <Text fw={600} id={id}>
            {label}
          </Text>
          <Hint>{about}</Hint>
        </Stack>
        <Switch
          size="md"
          checked={isOn}
          onChange={flip}
          aria-labelledby={id}
          aria-haspopup="dialog"
          withThumbIndicator={false}
        />
      </Group>
      <Box mt="xs">
        <FoldButton variant="subtle" px={0} isOpen={opened} onClick={toggle}>
          {opened ? t('Weniger anzeigen', 'Show less') : changes}
        </FoldButton>
        <Collapse expanded={opened}>
          <Box pt="sm">
            <EffectList effects={change} />
          </Box>
        </Collapse>
      </Box>
    </Box>
  );
};

const memberDetailEffects = (): SwitchEffects => ({
  off: [
    {
      where: t('Admins', 'Admins'),
      what: t(
        'Sie sehen keine Trainings, Bewertungen, Aufgaben und Fälle anderer Mitglieder mehr. Sichtbar bleibt, wer zum Team gehört und wer Schlüssel, Webhooks, Mitglieder und Einstellungen geändert hat.',
        'They no longer see other members’ trainings, evaluations, assignments and cases. Who is in the team, and who changed keys, webhooks, members and settings, stays visible.',
      ),
    },
    {
      where: t('Teamauswertung', 'Analytics'),
      what: t(
        'Nur die Zahlen des gesamten Teams werden angezeigt, keine Rangliste.',
        'Only figures of the whole team are shown, and no leaderboard.',
      ),
    },
    {
      where: t('Protokoll', 'Audit log'),
      what: t(
        'Trainings werden ausgeblendet. Aufgaben und Fälle erscheinen ohne Mitglied.',
        'Trainings are hidden. Assignments and cases appear without the member.',
      ),
    },
    {
      where: t('API und Webhooks', 'API and webhooks'),
      what: t(
        'Programme erhalten keine personenbezogenen Daten mehr. Antworten auf Zustellungen, die solche Daten enthielten, werden ausgeblendet.',
        'Programs no longer get member-level data. Responses to deliveries that contained such data are hidden.',
      ),
    },
  ],
  on: [
    {
      where: t('Admins', 'Admins'),
      what: t(
        'Sie sehen Trainings, Bewertungen, Aufgaben und Fälle einzelner Mitglieder wieder, auch aus dem Zeitraum, in dem sie ausgeblendet waren.',
        'They see trainings, evaluations, assignments and cases of individual members again, including those from the time when they were hidden.',
      ),
    },
    {
      where: t('API und Webhooks', 'API and webhooks'),
      what: t('Programme erhalten diese Daten wieder.', 'Programs get this data again.'),
    },
  ],
});

const useLeaderboardEffects = (): SwitchEffects => {
  const needed = useQuery(app.reference.limits.queryOptions({})).data?.compared_members;
  return {
    off: [
      {
        where: t('App', 'App'),
        what: t('Die Rangliste ist ausgeblendet.', 'The leaderboard is hidden.'),
      },
    ],
    on: [
      {
        where: t('App', 'App'),
        what: t(
          'Alle Mitglieder sehen Namen, Anzahl der Trainings und durchschnittliche Punktzahl.',
          'All members see names, number of trainings and average scores.',
        ),
      },
      {
        where: t('Voraussetzungen', 'Requirements'),
        what:
          needed === undefined
            ? t('Personenbezogene Daten werden angezeigt.', 'Member-level data is shown.')
            : t(
                `Personenbezogene Daten werden angezeigt, und mindestens ${needed} aktive Mitglieder haben ein Training abgeschlossen.`,
                `Member-level data is shown, and at least ${needed} active members have completed a training.`,
              ),
      },
    ],
  };
};
