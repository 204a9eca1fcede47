import { z } from 'zod';
import { personProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { AnalyticsPage, OwnProgress, OwnTrendQuery, ProgressWanted, Trend, TrendQuery } from './schema.ts';
import { analyticsPage, memberProgress, progressOf } from './service.ts';
import { ownTrend, teamTrend } from './trends.ts';

export const teamAnalytics = personRouter({
  show: personProcedure
    .meta({ needs: 'member', summary: 'The team’s analytics, and how its members compare or why that is not shown' })
    .input(z.strictObject({}))
    .output(AnalyticsPage)
    .query(({ ctx }) => analyticsPage(ctx.team, ctx.person.userId)),
});

/** The progress of one member. Members see their own even if the team hides member details. */
export const progress = personRouter({
  mine: personProcedure
    .meta({ needs: 'member', summary: 'What your own trainings add up to' })
    .input(z.strictObject({}))
    .output(OwnProgress)
    .query(({ ctx }) => progressOf(ctx.team, ctx.person.userId)),

  of: personProcedure
    .meta({
      needs: 'admin',
      summary: 'What the trainings of a member add up to; refused while the team hides member details',
    })
    .input(ProgressWanted)
    .output(OwnProgress)
    .query(({ ctx, input }) => memberProgress(ctx.team, input.member_id)),

  trend: personProcedure
    .meta({ needs: 'member', summary: 'Your mean scores over time' })
    .input(OwnTrendQuery)
    .output(Trend)
    .query(({ ctx, input }) => ownTrend(ctx.team, ctx.person.userId, input)),
});

export const teamTrends = personRouter({
  show: personProcedure
    .meta({ needs: 'member', summary: 'The team’s mean scores over time' })
    .input(TrendQuery)
    .output(Trend)
    .query(({ ctx, input }) => teamTrend(ctx.team, input)),
});
