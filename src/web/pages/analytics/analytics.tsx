import { SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import type { inferRouterOutputs } from '@trpc/server';
import { lazy, Suspense } from 'react';
import type { publicRouter } from '../../../modules/public-router.ts';
import { Stat, Stats } from '../../kit/facts.tsx';
import { ProblemAlert } from '../../kit/messages.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { DimensionBars, useDimensionName } from '../../kit/scores.tsx';
import { useLocale, useText } from '../../language/language.tsx';
import { api } from '../../server/server.ts';
import { Leaderboard } from './leaderboard.tsx';

const TrendChart = lazy(() => import('./trend-chart.tsx'));

type TeamAnalytics = inferRouterOutputs<typeof publicRouter>['analytics']['team'];

const Coming = () => {
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

/** Where practice would help the team most. */
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
  const { data, error, refetch } = api.useAnswer('analytics.team', {});
  return (
    <Page
      title={t('Auswertung', 'Analytics')}
      lead={t(
        'Wie Ihr Team übt und wo es steht, aus allen Trainings seiner aktiven Mitglieder.',
        'How your team practises and where it stands, from all trainings of its active members.',
      )}
    >
      {error && !data ? <ProblemAlert error={error} retry={() => void refetch()} /> : null}
      {!data && !error ? <Coming /> : null}
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
