import { SimpleGrid, Skeleton, Stack } from '@mantine/core';
import type { inferRouterOutputs } from '@trpc/server';
import type { appRouter } from '../../../modules/app-router.ts';
import { ProblemAlert } from '../../kit/messages.tsx';
import { useText } from '../../language/language.tsx';
import { app } from '../../server/server.ts';
import { Attention } from './attention.tsx';
import { FirstSteps, stepsTaken } from './first-steps.tsx';
import { LatestDeeds } from './latest-deeds.tsx';
import { RequestDays } from './request-days.tsx';
import { TeamNumbers } from './team-numbers.tsx';

export type Overview = inferRouterOutputs<typeof appRouter>['team']['overview'];

/** Holds the places of what comes. */
const Coming = () => {
  const t = useText();
  return (
    <Stack gap="lg" role="status" aria-label={t('Wird geladen', 'Loading')}>
      <SimpleGrid cols={{ base: 2, md: 5 }} spacing="md">
        {[1, 2, 3, 4, 5].map((one) => (
          <Skeleton key={one} height={106} radius="lg" />
        ))}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Skeleton height={260} radius="lg" />
        <Skeleton height={260} radius="lg" />
      </SimpleGrid>
      <Skeleton height={420} radius="lg" />
    </Stack>
  );
};

/** How the team is getting on; a new one is told how to begin. */
export const TeamOverview = () => {
  const { data: overview, error, refetch } = app.useAnswer('team.overview', {});
  const { data: words } = app.useAnswer('audit.actions', {});
  if (error && !overview) return <ProblemAlert error={error} retry={() => void refetch()} />;
  if (!overview) return <Coming />;

  const isNew = stepsTaken(overview).every((taken) => !taken);
  return (
    <Stack gap="lg">
      <FirstSteps overview={overview} />
      {!isNew && (
        <>
          <TeamNumbers overview={overview} />
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
            <Attention overview={overview} />
            <RequestDays days={overview.requests} />
          </SimpleGrid>
        </>
      )}
      <LatestDeeds entries={overview.latest} words={words?.actions} />
    </Stack>
  );
};
