import { SimpleGrid, Stack } from '@mantine/core';
import { LatestTrainings } from './latest-trainings.tsx';
import { NextAssignments } from './next-assignments.tsx';
import { OwnProgress } from './own-progress.tsx';

/** What a member sees first: what to do, how it goes, what was. */
export const OwnOverview = () => (
  <Stack gap="lg">
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <NextAssignments />
      <OwnProgress />
    </SimpleGrid>
    <LatestTrainings />
  </Stack>
);
