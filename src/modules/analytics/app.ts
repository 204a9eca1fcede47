import { z } from 'zod';
import { answer, toCamel } from '../../core/spelling.ts';
import { adminProcedure, memberProcedure, personRouter } from '../../platform/trpc/procedures.ts';
import {
  AnalyticsPage,
  AnalyticsQuery,
  Comparison,
  ComparisonQuery,
  MemberAreas,
  MemberAreasQuery,
  MemberTrendQuery,
  OwnProgress,
  OwnTrendQuery,
  ProgressQuery,
  TeamScores,
  Trend,
  TrendQuery,
} from './schema.ts';
import { analyticsPage, comparison, memberAreas, teamScores } from './page.ts';
import { memberProgress, progressOf } from './service.ts';
import { memberTrend, ownTrend, teamTrend } from './trends.ts';

export const teamAnalytics = personRouter({
  show: memberProcedure
    .input(AnalyticsQuery)
    .output(AnalyticsPage)
    .query(({ ctx, input }) =>
      answer(analyticsPage(ctx.team, { ...input, userId: ctx.person.userId, leads: ctx.person.role !== 'member' })),
    ),

  scores: memberProcedure
    .input(AnalyticsQuery)
    .output(TeamScores)
    .query(({ ctx, input }) => answer(teamScores(ctx.team, input))),
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

  areasOf: adminProcedure
    .input(MemberAreasQuery)
    .output(MemberAreas)
    .query(({ ctx, input }) => answer(memberAreas(ctx.team, toCamel(input)))),

  trend: memberProcedure
    .input(OwnTrendQuery)
    .output(Trend)
    .query(({ ctx, input }) => ownTrend(ctx.team, ctx.person.userId, input)),

  trendOf: adminProcedure
    .input(MemberTrendQuery)
    .output(Trend)
    .query(({ ctx, input }) => memberTrend(ctx.team, toCamel(input))),
});

export const teamTrends = personRouter({
  show: memberProcedure
    .input(TrendQuery)
    .output(Trend)
    .query(({ ctx, input }) => teamTrend(ctx.team, input)),

  compare: adminProcedure
    .input(ComparisonQuery)
    .output(Comparison)
    .query(({ ctx, input }) => comparison(ctx.team, toCamel(input))),
});
