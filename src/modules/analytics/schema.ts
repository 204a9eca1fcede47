import { z } from 'zod';
import { pointRange, ScoreDimension, scoreDimensions } from '../trainings/schema.ts';

const weeks = 12;

const mean = (what: string) =>
  z
    .number()
    .nullable()
    .meta({ ...pointRange, description: `${what}, to one decimal; null for none.` });

export const TeamAnalytics = z
  .object({
    totals: z
      .object({
        active_members: z
          .int()
          .nullable()
          .meta({ minimum: 0, description: 'Active members, the owner and admins included.' }),
        scored: z.int().nullable().meta({ minimum: 0, description: 'Trainings with an evaluation.' }),
        sessions: z.int().nullable().meta({ minimum: 0, description: 'Trainings that ended, scored or not.' }),
        avg_score: mean('The mean of their total scores'),
      })
      .meta({ id: 'TeamTotals', description: 'The trainings of all active members together.' }),
    dimensions: z
      .array(
        z
          .object({
            dimension: ScoreDimension.nullable().meta({ description: 'The dimension.' }),
            value: mean('The mean of the dimension'),
          })
          .meta({ id: 'DimensionMean', description: 'The team’s mean in one dimension.' }),
      )
      .meta({
        minItems: scoreDimensions.length,
        maxItems: scoreDimensions.length,
        description: 'All five, in alphabetical order.',
      }),
    skill_gaps: z.array(ScoreDimension).meta({
      maxItems: scoreDimensions.length,
      description: 'The dimensions whose mean is below 60, lowest first.',
    }),
    trend: z
      .array(
        z
          .object({
            score: z
              .int()
              .nullable()
              .meta({ ...pointRange, description: 'The week’s mean total, to an integer; null for none.' }),
          })
          .meta({ id: 'TrendWeek', description: 'One week of the trend.' }),
      )
      .meta({
        minItems: weeks,
        maxItems: weeks,
        description: `The last ${weeks} ISO weeks in UTC, oldest first; the current one is the last.`,
      }),
    members: z
      .array(
        z
          .object({
            sessions: z.int().meta({ minimum: 0, description: 'Trainings that ended.' }),
            avg_score: mean('The mean of the total scores'),
            trend_delta: z.number().nullable().meta({
              description:
                'The mean of the last 30 days (UTC, today included) less that of the 30 before, to one decimal; null when either has no score.',
            }),
          })
          .meta({ id: 'MemberMeans', description: 'The figures of one member, without a name or an id.' }),
      )
      .meta({
        description:
          'An entry for each active member with an ended training, best mean first, without the member’s identity. Empty unless member details and leaderboard are both on and there are at least five.',
      }),
  })
  .meta({ id: 'TeamAnalytics', description: 'Figures of the team, its skill gaps and its trend.' });
export type TeamAnalytics = z.output<typeof TeamAnalytics>;

// ── The app ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const trendRanges = ['12_weeks', '6_months', '12_months'] as const;
const trendSegments = ['situation', 'personality', 'industry', 'member_role'] as const;

const ownTrendQuery = {
  range: z
    .enum(trendRanges)
    .default('12_weeks')
    .meta({ description: 'By ISO week; for twelve months by month. Both in UTC.' }),
  segment: z.enum(['situation', 'personality', 'industry']).optional(),
};
export const OwnTrendQuery = z.strictObject(ownTrendQuery);
export const TrendQuery = z.strictObject({ ...ownTrendQuery, segment: z.enum(trendSegments).optional() });
export type TrendQuery = z.output<typeof TrendQuery>;

export const ProgressWanted = z.strictObject({ member_id: z.string() });
