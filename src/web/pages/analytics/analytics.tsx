import { Anchor, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import type { inferRouterOutputs } from '@trpc/server';
import { lazy, Suspense } from 'react';
import { Link } from 'react-router';
import type { appRouter } from '../../../modules/app-router.ts';
import type { publicRouter } from '../../../modules/public-router.ts';
import { Stat, Stats, Status } from '../../kit/facts.tsx';
import { Empty, ProblemAlert } from '../../kit/messages.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { Delta, DimensionBars, useDimensionName } from '../../kit/scores.tsx';
import { DataTable } from '../../kit/table.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { api, app } from '../../server/server.ts';
import { useSignedIn } from '../../session/signed-in.tsx';

const TrendChart = lazy(() => import('./trend-chart.tsx'));

type TeamAnalytics = inferRouterOutputs<typeof publicRouter>['analytics']['team'];

const AnalyticsSkeleton = () => {
  const t = useText();
  return (
    <Stack gap="lg" role="status" aria-label={t('Wird geladen', 'Loading')}>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
        {[1, 2, 3, 4].map((one) => (
          <Skeleton key={one} height={92} radius="lg" />
        ))}
      </SimpleGrid>
      <Skeleton height={340} radius="lg" />
      <Skeleton height={340} radius="lg" />
    </Stack>
  );
};

const Totals = ({ totals }: { totals: TeamAnalytics['totals'] }) => {
  const t = useText();
  const locale = useLocale();
  const shown = (value: number | null) => (value === null ? '–' : value.toLocaleString(locale));
  return (
    <Stats label={t('Zusammen', 'In total')}>
      <Stat label={t('Punkte im Schnitt', 'Points on average')} value={shown(totals.avg_score)} />
      <Stat label={t('Ausgewertete Trainings', 'Scored trainings')} value={shown(totals.scored)} />
      <Stat label={t('Beendete Trainings', 'Ended trainings')} value={shown(totals.sessions)} />
      <Stat label={t('Aktive Mitglieder', 'Active members')} value={shown(totals.active_members)} />
    </Stats>
  );
};

/** The areas in which practice would help the team most. */
const Gaps = ({ analytics: { skill_gaps, totals } }: { analytics: TeamAnalytics }) => {
  const t = useText();
  const locale = useLocale();
  const nameOf = useDimensionName();
  if (totals.avg_score === null) return null;
  const named = new Intl.ListFormat(locale).format(skill_gaps.map(nameOf));
  return (
    <Text size="sm" mt="lg">
      {skill_gaps.length === 0
        ? t('In keinem Bereich hat das Team eine deutliche Lücke.', 'The team has no clear gap in any area.')
        : t(`Hier lohnt sich Üben am meisten: ${named}.`, `Practice pays off most here: ${named}.`)}
    </Text>
  );
};

export default function AnalyticsPage() {
  const t = useText();
  const { data, error, refetch } = api.useQuery('analytics.team', {});
  return (
    <Page
      title={t('Auswertung', 'Analytics')}
      lead={t(
        'Wie Ihr Team übt und wo es steht, aus allen Trainings seiner aktiven Mitglieder.',
        'How your team practises and where it stands, from all trainings of its active members.',
      )}
    >
      {error && !data ? <ProblemAlert error={error} retry={() => void refetch()} /> : null}
      {!data && !error ? <AnalyticsSkeleton /> : null}
      {data && (
        <>
          <Totals totals={data.totals} />
          <Panel title={t('Punkte in den letzten zwölf Wochen', 'Points over the last twelve weeks')}>
            <Suspense fallback={<Skeleton height={260} />}>
              <TrendChart scores={data.trend.map(({ score }) => score)} />
            </Suspense>
          </Panel>
          <Panel title={t('Punkte je Bereich', 'Points by area')}>
            <DimensionBars label={t('Mittlere Punkte des Teams', 'The team’s mean points')} values={data.dimensions} />
            <Gaps analytics={data} />
          </Panel>
          <Leaderboard />
        </>
      )}
    </Page>
  );
}

type Answer = inferRouterOutputs<typeof appRouter>['leaderboard']['show'];
type Entry = Answer['entries'][number];

/** Says why there is no leaderboard, and how to get one. */
const NotShown = ({ reason, needed }: Pick<Answer, 'needed'> & { reason: NonNullable<Answer['reason']> }) => {
  const t = useText();
  const leads = useSignedIn().may('admin');
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

/** The leaderboard, if the team's settings allow it and enough members have practised. */
const Leaderboard = () => {
  const t = useText();
  const { data, error, refetch } = app.useQuery('leaderboard.show', {});
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
