import { z } from 'zod';
import { counted, numberTexts } from '../../../core/counted.ts';
import { problemOf } from '../../../db/unavailable.ts';
import { gapBelow } from '../../../modules/analytics/service.ts';
import { TeamAnalytics, TeamAnalyticsQuery } from '../../../modules/analytics/schema.ts';
import { scoreDimensions, type Evaluation } from '../../../modules/trainings/schema.ts';
import type { ToolCall } from '../caller.ts';
import { tool } from '../tool.ts';
import { Complete, daysAgo, membersOf, nouns, pageSize, Person, personOf, rowsOf, spokenOf } from './names.ts';

export const teamProgress = tool('team_progress', {
  title: { de: 'Fortschritt des Teams', en: 'Team progress' },
  description:
    'How the team as a whole is doing: how many trainings it has done, its mean score, the mean of each of the five dimensions of a sales conversation (0 to 100), its skill gaps, and the mean score of each of the last 12 weeks. Of all time, or of the days from since to until. Contains no names. For who should practise what, use who_needs_help.',
  uses: ['analytics.team'],
  input: TeamAnalyticsQuery,
  output: TeamAnalytics,
  run: (call, days) => call.run((api) => api.analytics.team(days)),
  summary: ({ totals, skill_gaps: gaps }) => {
    const members = counted(totals.active_members ?? 0, nouns.activeMember);
    const trainings = counted(totals.sessions ?? 0, nouns.training);
    const mean = totals.avg_score === null ? { de: '–', en: '–' } : numberTexts(totals.avg_score);
    return {
      de: `${members.de}, ${trainings.de}, Durchschnitt ${mean.de}. Lücken: ${gaps.join(', ') || 'keine'}.`,
      en: `${members.en}, ${trainings.en}, mean score ${mean.en}. Gaps: ${gaps.join(', ') || 'none'}.`,
    };
  },
});

const reasons = ['no_practice', 'low_score'] as const;

const MemberInNeed = Person.extend({
  reason: z.enum(reasons).meta({
    description: `no_practice: no training in these days. low_score: the latest scored training is below ${gapBelow}.`,
  }),
  trainings: z.int().meta({ description: 'Trainings in these days.' }),
  last_training_at: z.string().nullable(),
  last_score: z.int().nullable(),
  weakest_dimension: z.enum(scoreDimensions).nullable().meta({ description: 'Of the latest scored training.' }),
});
type MemberInNeed = z.output<typeof MemberInNeed>;

const weakestOf = (dimensions: Record<(typeof scoreDimensions)[number], number>) =>
  scoreDimensions.toSorted((a, b) => dimensions[a] - dimensions[b])[0] ?? null;

/**
 * The members who need practice: first those who have not practised, then those with low scores. If the team has
 * switched off its leaderboard, members are not compared by their scores here either.
 */
const membersInNeed = async (call: ToolCall, days: number): Promise<{ members: MemberInNeed[]; complete: boolean }> => {
  const comparesScores = call.may('evaluations:read') && call.team.privacy.leaderboard;
  const wanted = {
    since: daysAgo(call, days),
    limit: pageSize,
    ...(comparesScores && { include: 'evaluation' }),
  };
  const trainings = await rowsOf((cursor) => call.run((api) => api.trainings.list({ ...wanted, ...cursor })), 2);
  const members = await membersOf(call);
  const byUser = Map.groupBy(trainings.rows, ({ user_id: userId }) => userId);

  const idle: MemberInNeed[] = [];
  const scored: { of: Omit<MemberInNeed, 'reason' | 'last_score' | 'weakest_dimension'>; latest: Evaluation }[] = [];
  for (const member of members.rows) {
    const { user_id: userId, status } = member;
    if (status !== 'active' || userId === null) continue;
    const own = byUser.get(userId) ?? [];
    const of = {
      ...personOf(member),
      trainings: own.length,
      last_training_at: own[0]?.created_at ?? null,
    };
    const latest = own.find(({ evaluation }) => evaluation)?.evaluation;
    if (own.length > 0) {
      if (latest) scored.push({ of, latest });
    } else if (trainings.complete) {
      idle.push({ ...of, reason: 'no_practice', last_score: null, weakest_dimension: null });
    }
  }

  const low: MemberInNeed[] = [];
  for (const { of, latest } of scored) {
    const { total, dimensions } = latest.score;
    if (total === null || total >= gapBelow) continue;
    low.push({ ...of, reason: 'low_score', last_score: total, weakest_dimension: weakestOf(dimensions) });
  }
  return {
    members: [...idle, ...low.toSorted((a, b) => (a.last_score ?? 0) - (b.last_score ?? 0))],
    complete: members.complete && trainings.complete,
  };
};

const whyHidden = ['privacy_restricted', 'insufficient_scope'] as const;
type WhyHidden = (typeof whyHidden)[number];

/** The reason why a part is left out. Throws any other error. */
const whyRefused = (error: unknown): WhyHidden => {
  const { code } = problemOf(error);
  if (code === 'privacy_restricted' || code === 'insufficient_scope') return code;
  throw error;
};

export const whoNeedsHelp = tool('who_needs_help', {
  title: { de: 'Wer braucht Unterstützung?', en: 'Who needs help?' },
  description:
    'Where coaching pays most: the dimensions of the team from the weakest up, and the members who have not practised lately or whose latest score is low. Members are left out (null, with the reason in members_hidden) where the team hides details about people or the caller may not see them. Follow up with member_evaluations, then assign_practice.',
  uses: ['analytics.team'],
  input: z.strictObject({
    days: z.int().min(1).max(90).default(14).meta({ description: 'The number of days to look back.' }),
  }),
  output: z.object({
    dimensions: z
      .array(z.object({ dimension: z.enum(scoreDimensions), mean: z.number() }))
      .meta({ description: 'Weakest first.' }),
    skill_gaps: TeamAnalytics.shape.skill_gaps,
    members: z.array(MemberInNeed).nullable(),
    members_hidden: z.enum(whyHidden).nullable().meta({ description: 'Why there are no members in the answer.' }),
    complete: Complete,
  }),
  async run(call, { days }) {
    const { dimensions, skill_gaps } = await call.run((api) => api.analytics.team({}));
    const weakestFirst = dimensions
      .flatMap(({ dimension, value }) => (dimension === null || value === null ? [] : [{ dimension, mean: value }]))
      .toSorted((a, b) => a.mean - b.mean);
    const team = { dimensions: weakestFirst, skill_gaps };
    try {
      return { ...team, ...(await membersInNeed(call, days)), members_hidden: null };
    } catch (error) {
      return { ...team, members: null, members_hidden: whyRefused(error), complete: true };
    }
  },
  summary: ({ dimensions: [weakest], members }) => {
    const names = members?.map(spokenOf) ?? [];
    const listed = `${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`;
    return {
      de: `Schwächste Dimension: ${weakest?.dimension ?? 'noch keine Werte'}. Unterstützung brauchen: ${members === null ? 'nicht sichtbar' : listed || 'niemand'}.`,
      en: `Weakest dimension: ${weakest?.dimension ?? 'no scores yet'}. Members who need help: ${members === null ? 'not visible' : listed || 'nobody'}.`,
    };
  },
});
