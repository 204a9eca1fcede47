import { z } from 'zod';
import { roles } from '../membership/schema.ts';
import { CalendarDay } from '../../platform/values.ts';
import { pointRange, ScoreDimension, scoreDimensions } from '../trainings/schema.ts';

const weeks = 12;

export const TeamAnalyticsQuery = z.strictObject({
  since: CalendarDay.optional().meta({
    description: 'The first day (UTC) whose trainings count. Without it, all count up to `until`.',
  }),
  until: CalendarDay.optional().meta({
    description: 'The last day (UTC) whose trainings count, not before `since`. Without it, today.',
  }),
});
export type TeamAnalyticsQuery = z.output<typeof TeamAnalyticsQuery>;

const mean = (what: string) =>
  z
    .number()
    .nullable()
    .meta({ ...pointRange, description: `${what}, to one decimal; null for none.` });

export const TeamAnalytics = z
  .object({
    totals: z
      .object({
        active_members: z.int().nullable().meta({
          minimum: 0,
          description: 'Active members now, the owner and admins included; `since` and `until` do not change it.',
        }),
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
        description: `The last ${weeks} ISO weeks in UTC, oldest first. The last one is the week of \`until\`, or the current week. \`since\` does not shorten it.`,
      }),
    members: z
      .array(
        z
          .object({
            sessions: z.int().meta({ minimum: 0, description: 'Trainings that ended.' }),
            avg_score: mean('The mean of the total scores'),
            trend_delta: z.number().nullable().meta({
              description:
                'The mean of the last 30 days (UTC, today or `until` included) less that of the 30 days before, to one decimal; null if either mean has no score.',
            }),
          })
          .meta({ id: 'MemberMeans', description: 'The figures of one member, without a name or an id.' }),
      )
      .meta({
        description:
          'An entry for each active member with an ended training, best mean first, without the member’s identity. Empty unless member details and leaderboard are on and there are at least five such members.',
      }),
  })
  .meta({ id: 'TeamAnalytics', description: 'Figures of the team, its skill gaps and its trend.' });
export type TeamAnalytics = z.output<typeof TeamAnalytics>;

// The app

const { totals, dimensions, skill_gaps, trend, members } = TeamAnalytics.shape;
const { avg_score, trend_delta } = members.element.shape;

const Leaderboard = z.object({
  shown: z.boolean(),
  reason: z
    .enum(['member_detail_off', 'leaderboard_off', 'too_few'])
    .nullable()
    .meta({ description: 'Why it is not shown, if it is not.' }),
  needed: z.int().meta({
    description: 'The least number of active members with a scored training in the range for which it is shown.',
  }),
  entries: z.array(
    z.object({
      rank: z.int().meta({ description: 'By `score`; members with the same score share it.' }),
      user_id: z.string(),
      member_id: z.string().nullable().meta({ description: 'Their page, for the owner and admins.' }),
      role: z.enum(roles).nullable().meta({ description: 'Their role, for the owner and admins.' }),
      name: z.string().nullable().meta({ description: 'Their name, else what their email begins with.' }),
      score: z.number().nullable().meta(pointRange),
      count: z.int().meta({ description: 'Scored trainings in the range.' }),
      change: z
        .number()
        .nullable()
        .meta({ description: 'Compared with as long a time before the range; null without a score there.' }),
      is_you: z.boolean(),
    }),
  ),
});

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
export const AnalyticsQuery = TrendQuery.pick({ range: true });
export type AnalyticsQuery = z.output<typeof AnalyticsQuery>;

const scores = z
  .array(z.int().nullable().meta(pointRange))
  .meta({ description: 'The mean total of each interval, to an integer; null for none.' });

const counts = z
  .array(z.int())
  .meta({ description: 'How many scored trainings each of these means has: 0 where it is null.' });

const Period = z.object({
  score: z.number().nullable().meta(pointRange),
  count: z.int().meta({ description: 'Scored trainings.' }),
});

/** The most members that are compared. */
const comparedAtMost = 4;
export const ComparisonQuery = z.strictObject({
  range: ownTrendQuery.range,
  user_ids: z.array(z.string()).max(comparedAtMost),
});
export type ComparisonQuery = z.output<typeof ComparisonQuery>;

export const Trend = z.object({
  unit: z.enum(['week', 'month']),
  starts: z
    .array(z.iso.date())
    .meta({ description: 'The first day of each interval, oldest first; the current one is the last.' }),
  scores,
  counts,
  period: Period.meta({ description: 'The mean of all these intervals, to one decimal.' }),
  before: Period.meta({ description: 'The mean of as many intervals before them.' }),
  change: z.number().nullable().meta({ description: 'The difference of both; null if one of them has no score.' }),
  segments: z
    .array(
      z.object({
        id: z.string().nullable().meta({
          description: 'A catalog item, a role or a user; null for trainings without one.',
        }),
        score: Period.shape.score.meta({ description: 'The mean of the shown intervals, to one decimal.' }),
        count: z.int().meta({ description: 'Scored trainings in the shown intervals.' }),
        scores,
        counts,
      }),
    )
    .meta({ description: 'The segments with the most trainings, the largest first.' }),
  middle: z
    .array(z.object({ low: z.int(), high: z.int() }).nullable())
    .nullable()
    .meta({
      description:
        'For each interval, the range of the means of the middle half of the members; null for an interval with fewer than five people. Null as a whole unless the trend is one of people, and the team shows and compares them.',
    }),
  needed: z.int().nullable().meta({
    description:
      'The least number of people for a score of a segment, because the team does not show or compare individual people; null if the number does not matter.',
  }),
  hidden: z
    .boolean()
    .meta({ description: 'Whether scores of segments are left out, because they would reveal those of few people.' }),
});
export type Trend = z.output<typeof Trend>;

export const TeamScores = z.object({
  people: z.object({
    active: z.int().meta({ description: 'Active members.' }),
    scored: z.int().meta({ description: 'Of these, those with a scored training in the range.' }),
    scored_before: z
      .int()
      .meta({ description: 'Active members with a scored training in as long a time before the range.' }),
  }),
  dimensions: z.array(
    z.object({
      dimension: ScoreDimension,
      value: mean('The mean of the dimension in the range'),
      change: Trend.shape.change,
    }),
  ),
  skill_gaps,
  trend: Trend.meta({ description: 'The trend of the range, without segments.' }),
});
export type TeamScores = z.output<typeof TeamScores>;

export const Comparison = Trend.extend({
  segments: z
    .array(
      Trend.shape.segments.element.extend({
        areas: TeamScores.shape.dimensions.meta({ description: 'The means of this member in the range.' }),
      }),
    )
    .meta({ description: 'The members, in the order in which they were asked for.' }),
});
export type Comparison = z.output<typeof Comparison>;

export const AnalyticsPage = TeamScores.extend({ leaderboard: Leaderboard });
export type AnalyticsPage = z.output<typeof AnalyticsPage>;

export const MemberTrendQuery = OwnTrendQuery.extend({ member_id: z.string() });
export type MemberTrendQuery = z.output<typeof MemberTrendQuery>;

export const OwnProgress = z.object({
  sessions: totals.shape.sessions,
  scored: totals.shape.scored,
  avg_score,
  trend_delta,
  dimensions,
  skill_gaps,
  trend,
});
export type OwnProgress = z.output<typeof OwnProgress>;

export const ProgressQuery = z.strictObject({ member_id: z.string() });

export const MemberAreasQuery = AnalyticsQuery.extend({ member_id: z.string() });
export type MemberAreasQuery = z.output<typeof MemberAreasQuery>;
/** The means of the areas in a range: those of one member, and those of the team. */
export const MemberAreas = z.object({ member: TeamScores.shape.dimensions, team: dimensions });
export type MemberAreas = z.output<typeof MemberAreas>;
