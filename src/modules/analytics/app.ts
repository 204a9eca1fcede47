import { z } from 'zod';
import { answer } from '../../core/spelling.ts';
import { adminProcedure, memberProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import { AnalyticsPage, OwnProgress, OwnTrendQuery, ProgressQuery, Trend, TrendQuery } from './schema.ts';
import { analyticsPage, memberProgress, progressOf } from './service.ts';
import { ownTrend, teamTrend } from './trends.ts';

export const teamAnalytics = personRouter({
  show: memberProcedure
    .input(z.strictObject({}))
    .output(AnalyticsPage)
    .query(({ ctx }) => answer(analyticsPage(ctx.team, ctx.person.userId))),
});

/** The progress of one member. Members see their own even if the team hides member details. */
export const progress = personRouter({
  mine: memberProcedure
    .input(z.strictObject({}))
    .output(OwnProgress)
    .query(({ ctx }) => answer(progressOf(ctx.team, ctx.person.userId))),

  of: adminProcedure
    .input(ProgressQuery)
    .output(OwnProgress)
    .query(({ ctx, input }) => answer(memberProgress(ctx.team, input.member_id))),

  trend: memberProcedure
    .input(OwnTrendQuery)
    .output(Trend)
    .query(({ ctx, input }) => ownTrend(ctx.team, ctx.person.userId, input)),
});

export const teamTrends = personRouter({
  show: memberProcedure
    .input(TrendQuery)
    .output(Trend)
    .query(({ ctx, input }) => teamTrend(ctx.team, input)),
});
