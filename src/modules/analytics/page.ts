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
  meansOf,
  shownUserOf,
  sumOfDimension,
  whyHidden,
} from './service.ts';
import { sums, type MemberScores } from './store.ts';
import { compareMembers, intervalsOf } from './trends.ts';

// The analytics page of the app: the scores of a range of time, compared with the same length of time before it, and
// the leaderboard of this range. It is one answer, because adding up the trainings of a large team takes time. The
// overview shows only the scores, because a long leaderboard takes time, too.

type TeamScores = Camel<schema.TeamScores>;
type AnalyticsPage = Camel<schema.AnalyticsPage>;
type Leaderboard = AnalyticsPage['leaderboard'];

interface AnalyticsReader {
  userId: string;
  /** Whether the reader may open the members' pages. */
  leads: boolean;
}

export const analyticsPage = async (
  team: Team,
  { range, ...reader }: AnalyticsReader & schema.AnalyticsQuery,
): Promise<AnalyticsPage> => {
  const times = timesOf(team, range);
  const [areas, members, activeMembers] = await Promise.all([
    readAreas(team, times),
    sums.byMember(team.platform.database, times),
    sums.activeMembers(team.platform.database, team.id),
  ]);
  const scored = members.filter(({ recentCount }) => recentCount > 0);
  const scoredBefore = members.filter(({ earlierCount }) => earlierCount > 0).length;
  const people = { active: activeMembers, scored: scored.length, scoredBefore };
  return { ...scoresOf(team, areas, people), leaderboard: await leaderboardOf(team, reader, scored) };
};

export const teamScores = async (team: Team, { range }: schema.AnalyticsQuery): Promise<TeamScores> => {
  const times = timesOf(team, range);
  const [areas, { recent, earlier }, activeMembers] = await Promise.all([
    readAreas(team, times),
    sums.scoredPeople(team.platform.database, times),
    sums.activeMembers(team.platform.database, team.id),
  ]);
  return scoresOf(team, areas, { active: activeMembers, scored: recent, scoredBefore: earlier });
};

/**
 * For admins: the mean of a member in each area of the scores, in a range of time, and that of the whole team. Only the
 * member's mean has a change: for the team's change, the trainings of twice as long a time would be read.
 */
export const memberAreas = async (
  team: Team,
  { memberId, range }: Camel<schema.MemberAreasQuery>,
): Promise<Camel<schema.MemberAreas>> => {
  const userId = await shownUserOf(team, memberId);
  const times = timesOf(team, range);
  const [own, ofTeam] = await Promise.all([
    readAreas(team, times, userId),
    sums.byInterval(team.platform.database, {
      tenantId: team.id,
      userId: undefined,
      starts: times.starts.slice(times.starts.length / 2),
    }),
  ]);
  return { member: dimensionsOf(own), team: meansOf(ofTeam) };
};

/** The trends and areas of some members, beside the team's trend. */
export const comparison = async (
  team: Team,
  wanted: Camel<schema.ComparisonQuery>,
): Promise<Camel<schema.Comparison>> => {
  // This comes first, because it refuses members who may not be compared.
  const { segments, ...trend } = await compareMembers(team, wanted);
  const times = timesOf(team, wanted.range);
  const areasOf = async (userId: string) => dimensionsOf(await readAreas(team, times, userId));
  const areas = await Promise.all(wanted.userIds.map(areasOf));
  return { ...trend, segments: segments.map((segment, at) => ({ ...segment, areas: areas[at] ?? [] })) };
};

/** The intervals of a range, which begins at `recentFrom`. `starts` has as many earlier intervals before them. */
const timesOf = ({ id: tenantId, platform }: Team, range: schema.AnalyticsQuery['range']) => {
  const now = platform.clock.now();
  const { unit, starts } = intervalsOf(range, now);
  return { tenantId, unit, starts, recentFrom: new Date(starts[starts.length / 2] ?? now), until: endOfDay(now) };
};

type Times = ReturnType<typeof timesOf>;

/** The sums of the team or of one member by interval: `shown` in the range, `before` in the time before it. */
const readAreas = async ({ id: tenantId, platform }: Team, { unit, starts }: Times, userId?: string) => {
  const intervals = await sums.byInterval(platform.database, { tenantId, userId, starts });
  const half = starts.length / 2;
  return {
    unit,
    starts,
    intervals,
    shown: intervals.filter(({ at }) => at >= half),
    before: intervals.filter(({ at }) => at < half),
  };
};

type Areas = Awaited<ReturnType<typeof readAreas>>;

/** The means of the areas. `hidden.shown` leaves out the means and their changes, `hidden.before` only the changes. */
const dimensionsOf = ({ shown, before }: Areas, hidden = { shown: false, before: false }): TeamScores['dimensions'] =>
  scoreDimensions.map((dimension) => {
    if (hidden.shown) return { dimension, value: null, change: null };
    const sum = sumOfDimension(shown, dimension);
    const change = hidden.before ? null : differenceOfMeans(sum, sumOfDimension(before, dimension), 1);
    return { dimension, value: meanOf(sum, 1), change };
  });

const scoresOf = ({ privacy }: Team, areas: Areas, people: TeamScores['people']): TeamScores => {
  /** Whether member details are hidden and the means of so few people would reveal the scores of single people. */
  const areTooFew = (count: number) => !privacy.memberDetail && count < limits.comparedMembers;
  const dimensions = dimensionsOf(areas, {
    shown: areTooFew(people.scored),
    before: areTooFew(people.scoredBefore),
  });
  return {
    people,
    dimensions,
    skillGaps: gapsOf(dimensions),
    trend: {
      ...comparedTrend(areas.unit, areas.starts, cellsOf(areas.intervals)),
      segments: [],
      middle: null,
      needed: null,
      hidden: false,
    },
  };
};

/** The most entries of a leaderboard. If the reader's own entry has a lower rank, it is added. */
const shownAtMost = 1_000;

const leaderboardOf = async (
  team: Team,
  { userId: reader, leads }: AnalyticsReader,
  members: readonly MemberScores[],
): Promise<Leaderboard> => {
  const reason = whyHidden(members, team.privacy);
  if (reason !== null) return { shown: false, reason, needed: limits.comparedMembers, entries: [] };

  const entries = members
    .map(({ userId, recent, recentCount, earlier, earlierCount }) => {
      const sum = { sum: recent, count: recentCount };
      const change = differenceOfMeans(sum, { sum: earlier, count: earlierCount }, 1);
      return { userId, score: meanOf(sum, 1), count: recentCount, change };
    })
    // The id comes last, so that members with equal numbers have the same order in each call.
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
      // A member who left after the scores were read has no name.
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

/** The present members of these users, by user. A member without a name has the first part of their address. */
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
