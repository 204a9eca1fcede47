import { z } from 'zod';
import { appRouterOf, operation } from '../../trpc/operation.ts';
import { Leaderboard, OwnProgress, OwnTrendQuery, ProgressWanted, Trend, TrendQuery } from './schema.ts';
import { leaderboardOf, memberProgress, progressOf } from './service.ts';
import { ownTrend, teamTrend } from './trends.ts';

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

/** The progress of one member. Members see their own even if the team hides member details. */
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

  of: operation(
    'query',
    {
      audience: 'person',
      needs: 'admin',
      summary: 'What the trainings of a member add up to; refused while the team hides member details',
      input: ProgressWanted,
      output: OwnProgress,
    },
    ({ ctx, input }) => memberProgress(ctx.team, input.member_id),
  ),

  trend: operation(
    'query',
    {
      audience: 'person',
      needs: 'member',
      summary: 'Your mean scores over time',
      input: OwnTrendQuery,
      output: Trend,
    },
    ({ ctx, input }) => ownTrend(ctx.team, ctx.person.userId, input),
  ),
});

export const teamTrends = appRouterOf({
  show: operation(
    'query',
    {
      audience: 'person',
      needs: 'member',
      summary: 'The team’s mean scores over time',
      input: TrendQuery,
      output: Trend,
    },
    ({ ctx, input }) => teamTrend(ctx.team, input),
  ),
});
