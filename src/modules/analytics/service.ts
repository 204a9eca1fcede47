import type { Team } from '../../platform/team.ts';
import { analyticsOf } from './answer.ts';
import type { TeamAnalytics } from './schema.ts';
import { readTeamSums } from './sums.ts';

export { countScore, countSession, recount } from './counting.ts';
export type { CountedScore } from './counting.ts';

/** How the team as a whole is doing, and its members without their names. Only active members' trainings count. */
export const teamAnalytics = async (team: Team): Promise<TeamAnalytics> =>
  analyticsOf(await readTeamSums(team), team.privacy);
