import { Box, Button, Code, Collapse, Divider, Group, List, Stack, Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId, type ReactNode } from 'react';
import { Hint } from '../../kit/text/text.tsx';
import { useConfirm } from '../../kit/dialog/confirm.tsx';
import { t } from '../../language/language.tsx';
import { app, client } from '../../server/server.ts';
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

/** One effect of a switch. */
interface Effect {
  where: string;
  what: ReactNode;
}

/** What people notice, and what only their programs do. */
interface Change {
  people: readonly Effect[];
  developers: readonly Effect[];
}

interface Effects {
  off: Change;
  on: Change;
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

interface FoldedProps {
  /** The text of the button that opens it, and of the one that closes it. */
  label: string;
  close: string;
  children: ReactNode;
}

const Folded = ({ label, close, children }: FoldedProps) => {
  const [opened, { toggle }] = useDisclosure();
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        px={0}
        aria-expanded={opened}
        onClick={toggle}
        rightSection={opened ? <IconChevronUp size={14} aria-hidden /> : <IconChevronDown size={14} aria-hidden />}
      >
        {opened ? close : label}
      </Button>
      <Collapse expanded={opened}>
        <Box pt="sm">{children}</Box>
      </Collapse>
    </div>
  );
};

const ChangeList = ({ change: { people, developers } }: { change: Change }) => {
  const label = t('Für Entwickler: API und Webhooks', 'For developers: API and webhooks');
  return (
    <Stack gap="sm">
      <EffectList effects={people} />
      <Folded label={label} close={label}>
        <EffectList effects={developers} />
      </Folded>
    </Stack>
  );
};

/** A switch that lists its effects and asks before it changes anything. */
const PrivacySwitch = ({ name, isOn, label, about, effects }: PrivacySwitchProps) => {
  const confirm = useConfirm();
  const id = useId();
  const change = isOn ? effects.off : effects.on;
  const changes = isOn
    ? t('Was sich beim Ausschalten ändert', 'What happens when this is off')
    : t('Was sich beim Einschalten ändert', 'What happens when this is on');
  const flip = () =>
    confirm({
      title: isOn
        ? t(`${label} ausblenden?`, `Hide ${label.toLowerCase()}?`)
        : t(`${label} anzeigen?`, `Show ${label.toLowerCase()}?`),
      consequences: <ChangeList change={change} />,
      action: isOn ? t('Daten ausblenden', 'Hide data') : t('Daten anzeigen', 'Show data'),
      harmless: true,
      act: () => client.app.team.setPrivacy.mutate({ [name]: !isOn }),
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
        <Folded label={changes} close={t('Weniger anzeigen', 'Show less')}>
          <ChangeList change={change} />
        </Folded>
      </Box>
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

const memberDetailEffects = (): Effects => ({
  off: {
    people: [
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
    ],
    developers: [
      {
        where: t('Gesperrte Routen der API (403)', 'Blocked API routes (403)'),
        what: (
          <>
            <Code>privacy_restricted</Code>
            <ClosedRoutes />
          </>
        ),
      },
      {
        where: t('Ausgeblendete Felder der API', 'Hidden API fields'),
        what: t(
          <>
            Mitglieder haben kein <Code>email</Code>, CRM-Deals kein <Code>owner_user_id</Code>. In Antworten zu
            Aufgaben sind <Code>member_user_id</Code> und <Code>member_email</Code> gleich <Code>null</Code>. {members}{' '}
            in {analytics} ist leer.
          </>,
          <>
            Members have no <Code>email</Code>, and CRM deals no <Code>owner_user_id</Code>. In responses about
            assignments <Code>member_user_id</Code> and <Code>member_email</Code> are <Code>null</Code>. {members} in{' '}
            {analytics} is empty.
          </>,
        ),
      },
      {
        where: t('Webhooks', 'Webhooks'),
        what: t(
          <>
            Neue Ereignisse enthalten weder {userId} noch {score}. Frühere Ereignisse bleiben unverändert; bei Versuchen
            mit personenbezogenen Daten wird der Request-Body nicht mehr angezeigt.
          </>,
          <>
            New events contain neither {userId} nor {score}. Earlier events stay the same; the request body of attempts
            with member-level data is no longer shown.
          </>,
        ),
      },
    ],
  },
  on: {
    people: [
      {
        where: t('Admins', 'Admins'),
        what: t(
          'Sie sehen Trainings, Bewertungen, Aufgaben und Fälle einzelner Mitglieder wieder, auch aus dem Zeitraum, in dem sie ausgeblendet waren.',
          'They see trainings, evaluations, assignments and cases of individual members again, including those from the time when they were hidden.',
        ),
      },
    ],
    developers: [
      {
        where: t('API', 'API'),
        what: t('Die gesperrten Routen antworten wieder.', 'The blocked routes respond again.'),
      },
      {
        where: t('Webhooks', 'Webhooks'),
        what: t(
          <>
            Neue Ereignisse enthalten wieder {userId} und {score}. Frühere Ereignisse bleiben unverändert.
          </>,
          <>
            New events contain {userId} and {score} again. Earlier events stay the same.
          </>,
        ),
      },
    ],
  },
});

const useLeaderboardEffects = (): Effects => {
  const needed = useQuery(app.reference.limits.queryOptions({})).data?.compared_members;
  return {
    off: {
      people: [
        {
          where: t('App', 'App'),
          what: t('Die Rangliste ist ausgeblendet.', 'The leaderboard is hidden.'),
        },
      ],
      developers: [
        {
          where: t('API', 'API'),
          what: t(
            <>
              {members} in {analytics} ist leer. Sonst ändert sich nichts.
            </>,
            <>
              {members} in {analytics} is empty. Nothing else changes.
            </>,
          ),
        },
      ],
    },
    on: {
      people: [
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
      developers: [
        {
          where: t('API', 'API'),
          what: t(
            <>
              {members} in {analytics} enthält diese Zahlen ohne Namen.
            </>,
            <>
              {members} in {analytics} contains these figures without names.
            </>,
          ),
        },
      ],
    },
  };
};
