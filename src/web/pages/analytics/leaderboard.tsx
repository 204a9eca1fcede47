import { Anchor, Group, Skeleton, Text } from '@mantine/core';
import type { inferRouterOutputs } from '@trpc/server';
import { Link } from 'react-router';
import type { appRouter } from '../../../modules/app-router.ts';
import { Status } from '../../kit/facts.tsx';
import { Empty, ProblemAlert } from '../../kit/messages.tsx';
import { Panel } from '../../kit/page.tsx';
import { Delta } from '../../kit/scores.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { useHere } from '../../session/signed-in.tsx';

type Answer = inferRouterOutputs<typeof appRouter>['leaderboard']['show'];
type Entry = Answer['entries'][number];

/** Why nobody is compared, and what would change that. */
const NotShown = ({ reason, needed }: Pick<Answer, 'needed'> & { reason: NonNullable<Answer['reason']> }) => {
  const t = useText();
  const leads = useHere().may('admin');
  const reasons: Readonly<Record<typeof reason, { title: string; about: string }>> = {
    member_detail_off: {
      title: t('Einzelne Personen sind verborgen', 'Individual people are hidden'),
      about: t(
        'Ihr Team hat abgeschaltet, dass Angaben zu einzelnen Personen zu sehen sind.',
        'Your team has switched off showing details about individual people.',
      ),
    },
    leaderboard_off: {
      title: t('Die Rangliste ist abgeschaltet', 'The leaderboard is switched off'),
      about: t('Ihr Team vergleicht seine Mitglieder nicht.', 'Your team does not compare its members.'),
    },
    too_few: {
      title: t('Noch zu wenige, die geübt haben', 'Too few have practised yet'),
      about: t(
        `Damit niemand zu erkennen ist, erscheint die Rangliste erst ab ${needed} aktiven Mitgliedern mit einem beendeten Training.`,
        `So that nobody can be identified, the leaderboard needs at least ${needed} active members with an ended training.`,
      ),
    },
  };
  const { title, about } = reasons[reason];
  return (
    <Empty
      title={title}
      action={
        leads && reason !== 'too_few' ? (
          <Anchor component={Link} to="/settings" size="sm">
            {t('Zu den Einstellungen', 'To the settings')}
          </Anchor>
        ) : undefined
      }
    >
      {about}
    </Empty>
  );
};

const Table = ({ entries, label }: { entries: readonly Entry[]; label: string }) => {
  const t = useText();
  const locale = useLocale();
  return (
    <DataTable
      label={label}
      rows={entries}
      keyOf={({ user_id }) => user_id}
      empty={null}
      columns={[
        {
          label: t('Wer', 'Who'),
          cell: ({ rank, name, is_you }) => (
            <Group gap="xs" wrap="nowrap">
              <Text span inherit c="dimmed" miw={24} ta="start" style={{ fontVariantNumeric: 'tabular-nums' }}>
                {rank}.
              </Text>
              <Text span inherit fw={is_you ? 650 : 400}>
                {name ?? t('Ohne Namen', 'Without a name')}
              </Text>
              {is_you && <Status tone="info">{t('Sie', 'You')}</Status>}
            </Group>
          ),
        },
        {
          label: t('Punkte im Schnitt', 'Points on average'),
          cell: ({ avg_score }) => (avg_score === null ? '–' : avg_score.toLocaleString(locale)),
          align: 'end',
        },
        {
          label: t('In 30 Tagen', 'In 30 days'),
          cell: ({ trend_delta }) => <Delta value={trend_delta} />,
          align: 'end',
        },
        {
          label: t('Beendete Trainings', 'Ended trainings'),
          cell: ({ sessions }) => sessions.toLocaleString(locale),
          align: 'end',
        },
      ]}
    />
  );
};

/** How members compare, where the team wants that and they are enough. */
export const Leaderboard = () => {
  const t = useText();
  const { data, error, refetch } = app.useAnswer('leaderboard.show', {});
  const title = t('Rangliste', 'Leaderboard');
  return (
    <Panel title={title}>
      {error && !data ? <ProblemAlert error={error} retry={() => void refetch()} /> : null}
      {!data && !error ? <Skeleton height={260} role="status" aria-label={t('Wird geladen', 'Loading')} /> : null}
      {data &&
        (data.reason === null ? (
          <Table entries={data.entries} label={title} />
        ) : (
          <NotShown {...data} reason={data.reason} />
        ))}
    </Panel>
  );
};
