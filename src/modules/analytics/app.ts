import { z } from 'zod';
import { appRouterOf, operation } from '../../trpc/operation.ts';
import { Leaderboard, OwnProgress } from './schema.ts';
import { leaderboardOf, progressOf } from './service.ts';

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

/** How somebody is doing themselves. It is theirs to see, whatever the team hides about single people. */
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
