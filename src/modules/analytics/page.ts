import { limits } from '../../core/limits.ts';
import type { Camel } from '../../core/spelling.ts';
import type { Team } from '../../platform/team.ts';
import { reports } from '../reporting/store.ts';
import { scoreDimensions } from '../trainings/schema.ts';
import type * as schema from './schema.ts';
import {
  cellsOf,
  compareDescending,
  comparedTrend,
  differenceOfMeans,
  endOfDay,
  gapsOf,
  meanOf,
  readSums,
  shownUserOf,
  sumOfDimension,
  whyHidden,
  type MemberSums,
} from './service.ts';
import { compareMembers, intervalsOf } from './trends.ts';

// The analytics page of the app: the scores of a range of time, compared with the same length of time before it, and
// the leaderboard of this range. It is one answer, because adding up the trainings of a large team takes time. The
// overview shows only the scores, because a long leaderboard takes time, too.

type TeamScores = Camel<schema.TeamScores>;
type AnalyticsPage = Camel<schema.AnalyticsPage>;
type Leaderboard = AnalyticsPage['leaderboard'];

interface Reader {
  userId: string;
  /** Whether the reader may open the members' pages. */
  leads: boolean;
}

export const analyticsPage = async (
  team: Team,
  { range, ...reader }: Reader & schema.AnalyticsQuery,
): Promise<AnalyticsPage> => {
  const { scores, scored } = await readScores(team, range);
  return { ...scores, leaderboard: await leaderboardOf(team, reader, scored) };
};

export const teamScores = async (team: Team, { range }: schema.AnalyticsQuery): Promise<TeamScores> =>
  (await readScores(team, range)).scores;

/** The areas of a member in a range, for admins, beside those of the whole team. */
export const memberAreas = async (
  team: Team,
  { memberId, range }: Camel<schema.MemberAreasQuery>,
): Promise<Camel<schema.MemberAreas>> => {
  const userId = await shownUserOf(team, memberId);
  const [own, all] = await Promise.all([readScores(team, range, userId), readScores(team, range)]);
  return { member: own.scores.dimensions, team: all.scores.dimensions };
};

/** The trends of some members and their areas, beside the team's trend. */
export const comparison = async (
  team: Team,
  wanted: Camel<schema.ComparisonQuery>,
): Promise<Camel<schema.Comparison>> => {
  // This refuses members that may not be compared.
  const { segments, ...trend } = await compareMembers(team, wanted);
  const areasOf = async (userId: string) => (await readScores(team, wanted.range, userId)).scores.dimensions;
  const areas = await Promise.all(wanted.userIds.map(areasOf));
  return { ...trend, segments: segments.map((segment, at) => ({ ...segment, areas: areas[at] ?? [] })) };
};

/** The scores of a range, of the team or of one member, and the members who have a score in it. */
const readScores = async (
  team: Team,
  range: schema.AnalyticsQuery['range'],
  userId?: string,
): Promise<{ scores: TeamScores; scored: readonly MemberSums[] }> => {
  const now = team.platform.clock.now();
  const { unit, starts } = intervalsOf(range, now);
  const half = starts.length / 2;
  const [first = '', middle = ''] = [starts[0], starts[half]];
  const earlierFrom = new Date(first);
  const { activeMembers, members, intervals } = await readSums(team, {
    ...(userId !== undefined && { userId }),
    since: earlierFrom,
    starts,
    recentFrom: new Date(middle),
    earlierFrom,
    until: endOfDay(now),
  });
  const shown = intervals.filter(({ at }) => at >= half);
  const before = intervals.filter(({ at }) => at >= 0 && at < half);
  const scored = members.filter(({ recentCount }) => recentCount > 0);
  const scoredBefore = members.filter(({ earlierCount }) => earlierCount > 0);
  /** The areas of so few people would reveal those of single people. */
  const areTooFew = (people: readonly MemberSums[]) =>
    !team.privacy.memberDetail && people.length < limits.comparedMembers;
  const dimensions = scoreDimensions.map((dimension) => {
    if (areTooFew(scored)) return { dimension, value: null, change: null };
    const sum = sumOfDimension(shown, dimension);
    const change = areTooFew(scoredBefore) ? null : differenceOfMeans(sum, sumOfDimension(before, dimension), 1);
    return { dimension, value: meanOf(sum, 1), change };
  });
  const scores = {
    people: {
      active: activeMembers,
      scored: scored.length,
      scoredBefore: scoredBefore.length,
    },
    dimensions,
    skillGaps: gapsOf(dimensions),
    trend: {
      ...comparedTrend(unit, starts, cellsOf(intervals)),
      segments: [],
      middle: null,
      needed: null,
      hidden: false,
    },
  };
  return { scores, scored };
};

/** The longest leaderboard. The reader's own entry is on it even if its rank is lower. */
const shownAtMost = 1_000;

const leaderboardOf = async (
  team: Team,
  { userId: reader, leads }: Reader,
  members: readonly MemberSums[],
): Promise<Leaderboard> => {
  const reason = whyHidden(members, team.privacy);
  if (reason !== null) return { shown: false, reason, needed: limits.comparedMembers, entries: [] };

  const entries = members
    .map(({ userId, recent, recentCount, earlier, earlierCount }) => {
      const sum = { sum: recent, count: recentCount };
      const change = differenceOfMeans(sum, { sum: earlier, count: earlierCount }, 1);
      return { userId, score: meanOf(sum, 1), count: recentCount, change };
    })
    // Members with equal numbers keep their order between two calls.
    .toSorted(
      (a, b) =>
        compareDescending(a.score, b.score) ||
        b.count - a.count ||
        compareDescending(a.change, b.change) ||
        (a.userId < b.userId ? -1 : 1),
    );
  let rank = 0;
  const ranked = entries.map((entry, at) => {
    if (entry.score !== entries[at - 1]?.score) rank = at + 1;
    return { rank, ...entry };
  });
  const shown = ranked.filter(({ userId }, at) => at < shownAtMost || userId === reader);
  const named = await membersOf(
    team,
    shown.map(({ userId }) => userId),
  );
  return {
    shown: true,
    reason: null,
    needed: limits.comparedMembers,
    entries: shown.map((entry) => {
      // A member who has just left has no name.
      const member = named.get(entry.userId);
      return {
        memberId: (leads && member?.memberId) || null,
        role: (leads && member?.role) || null,
        name: member?.name ?? null,
        ...entry,
        isYou: entry.userId === reader,
      };
    }),
  };
};

/** Active members by user; those without a name have the first part of their address. */
const membersOf = async ({ id, platform }: Team, userIds: string[]) => {
  const people = await reports.peopleOf(platform.database.prisma, id, userIds);
  return new Map(
    people.flatMap(({ userId, memberId, role, name, email }) => {
      const given = name?.trim() ?? '';
      if (memberId === null || email === null) return [];
      return [[userId, { memberId, role, name: given || email.replace(/@[^@]*$/, '') }] as const];
    }),
  );
};
