import { Anchor, Group, Progress, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Copy } from '../../kit/copy.tsx';
import { Facts, Status } from '../../kit/facts.tsx';
import { Panel } from '../../kit/page.tsx';
import { useText } from '../../language/language.tsx';
import { useHere } from '../../session/signed-in.tsx';
import type { TeamSettings } from './team-settings.ts';

const Seats = ({ seats: { total, taken }, members }: Pick<TeamSettings, 'seats' | 'members'>) => {
  const t = useText();
  const label = t(`${taken} von ${total} Plätzen belegt`, `${taken} of ${total} seats taken`);
  const admins =
    members.admin === 1 ? t('1 Admin', '1 admin') : t(`${members.admin} Admins`, `${members.admin} admins`);
  const others =
    members.member === 1 ? t('1 Mitglied', '1 member') : t(`${members.member} Mitglieder`, `${members.member} members`);
  return (
    <Stack gap={6} maw={420}>
      <Text size="sm">{label}</Text>
      <Progress.Root size="md" aria-hidden>
        <Progress.Section
          value={total === 0 ? 100 : Math.min(100, (taken / total) * 100)}
          color={taken >= total ? 'yellow' : 'brand'}
          withAria={false}
        />
      </Progress.Root>
      <Text size="xs" c="dimmed">
        {t(
          `Inhaber, ${admins}, ${others}; auch Eingeladene zählen.`,
          `The owner, ${admins}, ${others}; invited people count too.`,
        )}{' '}
        <Anchor component={Link} to="/members" size="xs">
          {t('Mitglieder', 'Members')}
        </Anchor>
      </Text>
    </Stack>
  );
};

/** What the team has been given: by its plan, and by the operator of the platform. */
export const Plan = ({ settings: { plan, has_api, seats, members } }: { settings: TeamSettings }) => {
  const t = useText();
  const { team } = useHere();
  const names = { basic: 'Basic', team: 'Team', enterprise: 'Enterprise' } as const;
  return (
    <Panel title={t('Tarif', 'Plan')}>
      <Facts
        facts={[
          { name: t('Tarif', 'Plan'), value: names[plan] },
          {
            name: t('API', 'API'),
            value: has_api ? (
              <Status tone="good">{t('Enthalten', 'Included')}</Status>
            ) : (
              <Status tone="warn">{t('Nicht enthalten', 'Not included')}</Status>
            ),
          },
          { name: t('Plätze', 'Seats'), value: <Seats seats={seats} members={members} /> },
          {
            name: t('Team-ID', 'Team id'),
            value: (
              <Group gap={4} wrap="nowrap">
                <code style={{ overflowWrap: 'anywhere' }}>{team.tenant_id}</code>
                <Copy value={team.tenant_id} what={t('Team-ID', 'team id')} />
              </Group>
            ),
          },
        ]}
      />
      <Text size="sm" c="dimmed" mt="md">
        {t(
          'Tarif, Plätze und das Limit des Teams ändert der Betreiber der Plattform.',
          'The operator of the platform changes plan, seats and the team’s limit.',
        )}
      </Text>
    </Panel>
  );
};
