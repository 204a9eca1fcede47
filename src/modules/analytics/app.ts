import { z } from 'zod';
import { appRouterOf, operation } from '../../trpc/operation.ts';
import { Leaderboard, OwnProgress } from './schema.ts';
import { progressOf, leaderboardOf } from './service.ts';

export const leaderboard = appRouterOf({
  show: operation(
    'query',
    {
      audience: 'person',
      needs: 'member',
      summary: 'How the team’s members compare, or why that is not shown',
      input: z.strictObject({}),
      output: Leaderboard,
    },
    ({ ctx }) => leaderboardOf(ctx.team, ctx.person.userId),
  ),
});

/** A member's own progress. Members see it even if the team hides member details. */
export const progress = appRouterOf({
  mine: operation(
    'query',
    {
      audience: 'person',
      needs: 'member',
      summary: 'What your own trainings add up to',
      input: z.strictObject({}),
      output: OwnProgress,
    },
    ({ ctx }) => progressOf(ctx.team, ctx.person.userId),
  ),
});
