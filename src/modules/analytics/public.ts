import { answer, toCamel } from '../../core/spelling.ts';
import { apiKeyProcedure, keyRouter, route } from '../../platform/trpc/procedures.ts';
import { TeamAnalytics, TeamAnalyticsQuery } from './schema.ts';
import { teamAnalytics } from './service.ts';

const weeks = [null, null, null, 58, 61, 64, 63, 66, 70, 69, 72, 74];

export const analytics = keyRouter({
  team: apiKeyProcedure
    .meta(
      route('GET /analytics/team', {
        operationId: 'getTeamAnalytics',
        scope: 'analytics:read',
        summary: 'Read the team’s analytics',
        description:
          'The trainings of the team’s active members, added up: all, or those of the days from `since` to `until`. For instance, `since=2026-10-01&until=2026-10-31` is October. A score counts for the day on which its training started (`created_at`). `active_members` is always the present number. Means are exact and rounded half away from zero. While member details are off, means of chosen days with scores of fewer than five members are null.',
        example: {
          input: { since: '2026-09-01', until: '2026-11-22' },
          output: {
            totals: { active_members: 6, scored: 181, sessions: 204, avg_score: 68.4 },
            dimensions: [
              { dimension: 'closing', value: 57.9 },
              { dimension: 'conversation_control', value: 73.1 },
              { dimension: 'needs_analysis', value: 71.6 },
              { dimension: 'objection_handling', value: 54.2 },
              { dimension: 'value_argument', value: 66 },
            ],
            skill_gaps: ['objection_handling', 'closing'],
            trend: weeks.map((score) => ({ score })),
            members: [
              { sessions: 41, avg_score: 77.3, trend_delta: 4.1 },
              { sessions: 36, avg_score: 71, trend_delta: -0.6 },
              { sessions: 52, avg_score: 69.8, trend_delta: 2.3 },
              { sessions: 44, avg_score: 64.5, trend_delta: null },
              { sessions: 31, avg_score: 59.9, trend_delta: 0 },
            ],
          },
        },
      }),
    )
    .input(TeamAnalyticsQuery)
    .output(TeamAnalytics)
    .query(({ ctx, input }) => answer(teamAnalytics(ctx.team, toCamel(input)))),
});
