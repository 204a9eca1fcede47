import { Box, Button, Code, Collapse, Divider, Group, List, Stack, Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useId } from 'react';
import type { ReactNode } from 'react';
import { useConfirm } from '../../kit/dialog.tsx';
import { notify } from '../../kit/messages.tsx';
import { Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import type { Switches } from './settings.tsx';

/** The team's privacy switches, each with the data that it shows or hides. */
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

/** One effect of a switch. */
interface Effect {
  where: string;
  what: ReactNode;
}

interface Effects {
  off: readonly Effect[];
  on: readonly Effect[];
}

interface PrivacySwitchProps {
  name: keyof Switches;
  isOn: boolean;
  label: string;
  about: string;
  effects: Effects;
}

const EffectList = ({ effects }: { effects: readonly Effect[] }) => (
  <List size="sm" spacing="xs">
    {effects.map(({ where, what }) => (
      <List.Item key={where}>
        <strong>{where}:</strong> {what}
      </List.Item>
    ))}
  </List>
);

/** A switch that lists its effects and asks before it changes anything. */
const PrivacySwitch = ({ name, isOn, label, about, effects }: PrivacySwitchProps) => {
  const t = useText();
  const confirm = useConfirm();
  const setPrivacy = app.useMutation('team.setPrivacy');
  const [opened, { toggle }] = useDisclosure();
  const id = useId();
  const flip = () =>
    confirm({
      title: isOn
        ? t(`${label} abschalten?`, `Switch off: ${label}?`)
        : t(`${label} einschalten?`, `Switch on: ${label}?`),
      consequences: <EffectList effects={isOn ? effects.off : effects.on} />,
      action: isOn ? t('Abschalten', 'Switch off') : t('Einschalten', 'Switch on'),
      harmless: isOn,
      act: async () => {
        await setPrivacy.mutateAsync({ [name]: !isOn });
        notify(isOn ? t('Abgeschaltet.', 'Switched off.') : t('Eingeschaltet.', 'Switched on.'));
      },
    });
  return (
    <Box>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Stack gap={2}>
          <Text fw={600} id={id}>
            {label}
          </Text>
          <Text size="sm" c="dimmed">
            {about}
          </Text>
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
      <Button variant="subtle" size="compact-sm" mt="xs" px={0} aria-expanded={opened} onClick={toggle}>
        {opened
          ? t('Weniger zeigen', 'Show less')
          : t('Was sich ändert, wenn es aus ist', 'What changes while it is off')}
      </Button>
      <Collapse expanded={opened}>
        <Box pt="sm">
          <EffectList effects={effects.off} />
        </Box>
      </Collapse>
    </Box>
  );
};

/** The routes that the API refuses while details about individual people are off. */
const closedRoutes = [
  'GET /trainings',
  'GET /trainings/{training_id}',
  'GET /evaluations',
  'GET /trainings/{training_id}/evaluation',
  'GET /assignments',
  'GET /assignments/{assignment_id}',
  'GET /cases',
  'GET /cases/{case_id}',
];

const ClosedRoutes = () => (
  <Group component="span" gap={4} mt={4}>
    {closedRoutes.map((route) => (
      <Code key={route}>{route}</Code>
    ))}
  </Group>
);

const members = <Code>members</Code>;
const analytics = <Code>GET /analytics/team</Code>;
const userId = <Code>user_id</Code>;
const score = <Code>score</Code>;

const useMemberDetailEffects = (): Effects => {
  const t = useText();
  return {
    off: [
      {
        where: t('API, gesperrte Routen', 'API, closed routes'),
        what: (
          <>
            {t(
              <>
                Sie antworten mit 403 <Code>privacy_restricted</Code>.
              </>,
              <>
                They answer with 403 <Code>privacy_restricted</Code>.
              </>,
            )}
            <ClosedRoutes />
          </>
        ),
      },
      {
        where: t('API, fehlende Felder', 'API, missing fields'),
        what: t(
          <>
            Mitglieder haben kein <Code>email</Code>, CRM-Deals kein <Code>owner_user_id</Code>. In Antworten zu
            Aufgaben sind <Code>member_user_id</Code> und <Code>member_email</Code> gleich <Code>null</Code>.
          </>,
          <>
            Members have no <Code>email</Code>, CRM deals no <Code>owner_user_id</Code>. In answers about assignments{' '}
            <Code>member_user_id</Code> and <Code>member_email</Code> are <Code>null</Code>.
          </>,
        ),
      },
      {
        where: t('Webhooks', 'Webhooks'),
        what: t(
          <>
            Neue Ereignisse haben weder {userId} noch {score}. Schon ausgelöste bleiben, wie sie sind.
          </>,
          <>
            New events have neither {userId} nor {score}. Those raised already stay as they are.
          </>,
        ),
      },
      {
        where: t('Auswertung', 'Analytics'),
        what: t(
          <>
            Es bleiben die Zahlen des ganzen Teams. Die Rangliste ist leer, ebenso {members} in {analytics}.
          </>,
          <>
            The figures of the whole team remain. The leaderboard is empty, and so is {members} in {analytics}.
          </>,
        ),
      },
      {
        where: t('App', 'App'),
        what: t(
          'Admins sehen keine Trainings, Auswertungen, Aufgaben und Fälle anderer mehr. Im Protokoll fehlen Trainings, und bei Aufgaben und Fällen steht nicht, um wen es geht. Schlüssel zeigen nicht mehr, wer sie angelegt hat. Webhook-Versuche mit Angaben zu einer Person zeigen den gesendeten Inhalt nicht mehr. Die Liste der Mitglieder bleibt, wie sie ist.',
          'Admins no longer see other people’s trainings, evaluations, assignments and cases. The audit log leaves trainings out and does not show which person an assignment or case is about. Keys no longer show who made them. Webhook attempts with details about a person no longer show what was sent. The list of members stays as it is.',
        ),
      },
    ],
    on: [
      {
        where: t('API und App', 'API and app'),
        what: t(
          'Trainings, Auswertungen, Aufgaben und Fälle einzelner Personen sind wieder zu sehen, auch die aus der Zeit, in der das abgeschaltet war.',
          'Trainings, evaluations, assignments and cases of individual people are visible again, also those of the time while it was off.',
        ),
      },
      {
        where: t('Webhooks', 'Webhooks'),
        what: t(
          <>
            Neue Ereignisse haben wieder {userId} und {score}. Früheren wird nichts hinzugefügt.
          </>,
          <>
            New events have {userId} and {score} again. Nothing is added to earlier ones.
          </>,
        ),
      },
    ],
  };
};

const useLeaderboardEffects = (): Effects => {
  const t = useText();
  const needed = app.useQuery('leaderboard.show', {}).data?.needed;
  return {
    off: [
      { where: t('App', 'App'), what: t('Niemand sieht mehr die Rangliste.', 'Nobody sees the leaderboard any more.') },
      {
        where: t('API', 'API'),
        what: t(
          <>
            {members} in {analytics} ist leer. Alles andere bleibt.
          </>,
          <>
            {members} in {analytics} is empty. Everything else stays.
          </>,
        ),
      },
    ],
    on: [
      {
        where: t('App', 'App'),
        what: t(
          'Alle im Team sehen mit Namen, wer wie viel geübt hat und mit welchem Durchschnitt.',
          'Everybody in the team sees by name who practised how much and with which average.',
        ),
      },
      {
        where: t('API', 'API'),
        what: t(
          <>
            {members} in {analytics} nennt diese Zahlen, ohne Namen.
          </>,
          <>
            {members} in {analytics} lists these figures, without names.
          </>,
        ),
      },
      {
        where: t('Nur wenn', 'Only if'),
        what:
          needed === undefined
            ? t('Angaben zu einzelnen Personen an sind.', 'details about individual people are on.')
            : t(
                `Angaben zu einzelnen Personen an sind und mindestens ${needed} aktive Mitglieder ein Training beendet haben.`,
                `details about individual people are on and at least ${needed} active members have ended a training.`,
              ),
      },
    ],
  };
};
