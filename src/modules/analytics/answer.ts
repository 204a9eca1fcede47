import { scoreDimensions } from '../../core/score-dimensions.ts';
import type { Team } from '../../platform/team.ts';
import { meanOf } from './mean.ts';
import type { Sum } from './mean.ts';
import { bestFirst, entryOf, whyHidden } from './ranking.ts';
import type { TeamAnalytics } from './schema.ts';
import type { MemberSums, TeamSums } from './sums.ts';

const gapBelow = 60;

const add = (sums: readonly Sum[]): Sum => ({
  sum: sums.reduce((all, { sum }) => all + sum, 0),
  count: sums.reduce((all, { count }) => all + count, 0),
});

const memberEntries = (members: readonly MemberSums[], privacy: Team['privacy']): TeamAnalytics['members'] =>
  whyHidden(members, privacy) === null ? members.map(entryOf).toSorted(bestFirst) : [];

/** What a team is told of itself, worked out from its sums; about single members only as far as its switches allow. */
export const analyticsOf = ({ activeMembers, members, weeks }: TeamSums, privacy: Team['privacy']): TeamAnalytics => {
  const totalOf = (read: (member: MemberSums) => number) => members.reduce((all, member) => all + read(member), 0);
  const scored = totalOf((member) => member.scored);
  const dimensions = scoreDimensions.map((dimension) => ({
    dimension,
    value: meanOf({ sum: totalOf((member) => member[dimension]), count: scored }, 1),
  }));
  return {
    totals: {
      active_members: activeMembers,
      scored,
      sessions: totalOf((member) => member.sessions),
      avg_score: meanOf(add(members.map(({ total }) => total)), 1),
    },
    dimensions,
    skill_gaps: dimensions
      .flatMap(({ dimension, value }) => (value !== null && value < gapBelow ? [{ dimension, value }] : []))
      // Stable: dimensions that are equally low stay in their order.
      .toSorted((a, b) => a.value - b.value)
      .map(({ dimension }) => dimension),
    trend: weeks.map((week) => ({ score: meanOf(week, 0) })),
    members: memberEntries(members, privacy),
  };
};
