import type { Team } from '../../platform/team.ts';
import { differenceOfMeans, meanOf } from './mean.ts';
import type { TeamAnalytics } from './schema.ts';
import type { MemberSums } from './sums.ts';

/** Fewer members than this could be told apart by what they did. */
export const fewestMembers = 5;

/** Why members are not shown beside each other; null where they are. */
export const whyHidden = (members: readonly MemberSums[], { memberDetail, leaderboard }: Team['privacy']) => {
  if (!memberDetail) return 'member_detail_off';
  if (!leaderboard) return 'leaderboard_off';
  return members.length < fewestMembers ? 'too_few' : null;
};

type MemberEntry = TeamAnalytics['members'][number];

export const entryOf = ({ sessions, total, recent, earlier }: MemberSums): MemberEntry => ({
  sessions,
  avg_score: meanOf(total, 1),
  trend_delta: differenceOfMeans(recent, earlier, 1),
});

/** Null counts as less than any number. */
const descending = (a: number | null, b: number | null): number => {
  if (a === b) return 0;
  if (a === null) return 1;
  return b === null ? -1 : b - a;
};

/** By the numbers alone: an order by anything else, such as who came first, would tell who is who. */
export const bestFirst = (a: MemberEntry, b: MemberEntry): number =>
  descending(a.avg_score, b.avg_score) || b.sessions - a.sessions || descending(a.trend_delta, b.trend_delta);
