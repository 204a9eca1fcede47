import type { Team } from '../../platform/team.ts';
import { analyticsOf } from './answer.ts';
import { entryOf } from './ranking.ts';
import type { OwnProgress, TeamAnalytics } from './schema.ts';
import { readSums } from './sums.ts';

export { countScore, countSession, recount } from './counting.ts';
export type { CountedScore } from './counting.ts';
export { leaderboardOf } from './leaderboard.ts';

/** How the team as a whole is doing, and its members without their names. Only active members' trainings count. */
export const teamAnalytics = async (team: Team): Promise<TeamAnalytics> =>
  analyticsOf(await readSums(team), team.privacy);

/** How an active member is doing: the team's numbers, as if they were alone in it. */
export const progressOf = async (team: Team, userId: string): Promise<OwnProgress> => {
  const sums = await readSums(team, userId);
  const { totals, dimensions, skill_gaps, trend } = analyticsOf(sums, team.privacy);
  const [own] = sums.members;
  return {
    sessions: totals.sessions,
    scored: totals.scored,
    avg_score: totals.avg_score,
    trend_delta: own ? entryOf(own).trend_delta : null,
    dimensions,
    skill_gaps,
    trend,
  };
};
