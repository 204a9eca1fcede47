import { daysToMs, later, utcDay } from '../../core/clock.ts';
import { memberMessages } from '../../core/messages/people.ts';
import { fail } from '../../core/problem.ts';
import type { Camel } from '../../core/spelling.ts';
import type { Team } from '../../platform/team.ts';
import { getMember } from '../membership/service.ts';
import { reports } from '../reporting/store.ts';
import { limits } from '../../core/limits.ts';
import { scoreDimensions } from '../trainings/schema.ts';
import type * as schema from './schema.ts';
import { sums } from './store.ts';

type TeamAnalytics = Camel<schema.TeamAnalytics>;
type OwnProgress = Camel<schema.OwnProgress>;
type Leaderboard = Camel<schema.Leaderboard>;
type Trend = schema.Trend;

/**
 * The analytics of the team, with its members' numbers but without names. Only the trainings of active members count.
 */
export const teamAnalytics = async (team: Team): Promise<TeamAnalytics> => {
  const sums = await readSums(team);
  const { members } = sums;
  return {
    ...figuresOf(sums),
    trend: weeksOf(sums).map((score) => ({ score })),
    members: whyHidden(members, team.privacy) === null ? members.map(entryOf).toSorted(bestFirst) : [],
  };
};

/**
 * The same for the app, with the leaderboard. One answer, because adding up the trainings of a large team takes time.
 */
export const analyticsPage = async (
  team: Team,
  { userId, leads }: { userId: string; leads: boolean },
): Promise<Camel<schema.AnalyticsPage>> => {
  const sums = await readSums(team, { weeks: 2 * weeksOfTrend });
  const { starts, cells, members } = sums;
  return {
    ...figuresOf(sums),
    trend: { ...comparedTrend('week', starts, cells), segments: [], middle: null, needed: null, hidden: false },
    leaderboard: await leaderboardOf(team, { userId, leads }, members),
  };
};

/** The progress of one active member: the same numbers as for a team of one. */
export const progressOf = async (team: Team, userId: string): Promise<OwnProgress> => {
  const sums = await readSums(team, { userId });
  const { totals, dimensions, skillGaps } = figuresOf(sums);
  const { sessions, scored, avgScore } = totals;
  const [own] = sums.members;
  const trendDelta = own ? entryOf(own).trendDelta : null;
  const trend = weeksOf(sums).map((score) => ({ score }));
  return { sessions, scored, avgScore, trendDelta, dimensions, skillGaps, trend };
};

/** The user of a member whose progress an admin reads. Refused while the team hides member details. */
export const shownUserOf = async (team: Team, memberId: string): Promise<string> => {
  if (!team.privacy.memberDetail) fail('privacy_restricted');
  const { userId } = await getMember(team, memberId);
  return userId ?? fail('not_found', { detail: memberMessages.notYetAccepted });
};

/** The progress of a member, for admins. */
export const memberProgress = async (team: Team, memberId: string): Promise<OwnProgress> =>
  progressOf(team, await shownUserOf(team, memberId));

/** The ids and names of active members; of those without a name, the first part of the address. */
const membersOf = async (
  { id, platform }: Team,
  userIds: string[],
): Promise<Map<string, { memberId: string; name: string }>> => {
  const people = await reports.peopleOf(platform.database.prisma, id, userIds);
  return new Map(
    people.flatMap(({ userId, memberId, name, email }) => {
      const given = name?.trim() ?? '';
      if (memberId === null || email === null) return [];
      return [[userId, { memberId, name: given || email.replace(/@[^@]*$/, '') }]];
    }),
  );
};

/** The longest leaderboard. The reader's own entry is on it even if its rank is lower. */
const shownAtMost = 1_000;

/** The leaderboard: the members of the team's analytics with the same numbers and rules, and with names. */
const leaderboardOf = async (
  team: Team,
  { userId, leads }: { userId: string; leads: boolean },
  members: readonly MemberSums[],
): Promise<Leaderboard> => {
  const reason = whyHidden(members, team.privacy);
  if (reason !== null) return { shown: false, reason, needed: limits.comparedMembers, entries: [] };

  const entries = members
    .map((member) => ({ userId: member.userId, ...entryOf(member) }))
    // Members with equal numbers keep their order between two calls.
    .toSorted((a, b) => bestFirst(a, b) || (a.userId < b.userId ? -1 : 1));
  const shown = entries.filter((entry, at) => at < shownAtMost || entry.userId === userId);
  const named = await membersOf(
    team,
    shown.map((entry) => entry.userId),
  );
  return {
    shown: true,
    reason: null,
    needed: limits.comparedMembers,
    entries: shown.map((entry) => ({
      rank: 1 + entries.findIndex(({ avgScore }) => avgScore === entry.avgScore),
      memberId: (leads && named.get(entry.userId)?.memberId) || null,
      // A member who has just left has no name.
      name: named.get(entry.userId)?.name ?? null,
      ...entry,
      isYou: entry.userId === userId,
    })),
  };
};

/** Why the members' numbers are not shown; null if they are. */
const whyHidden = (
  members: readonly MemberSums[],
  { memberDetail, leaderboard }: Team['privacy'],
): 'member_detail_off' | 'leaderboard_off' | 'too_few' | null => {
  if (!memberDetail) return 'member_detail_off';
  if (!leaderboard) return 'leaderboard_off';
  return members.length < limits.comparedMembers ? 'too_few' : null;
};

type MemberEntry = TeamAnalytics['members'][number];

const entryOf = ({ sessions, ...sum }: MemberSums): MemberEntry => ({
  sessions,
  avgScore: meanOf({ sum: sum.total, count: sum.totalled }, 1),
  trendDelta: differenceOfMeans(
    { sum: sum.recent, count: sum.recentCount },
    { sum: sum.earlier, count: sum.earlierCount },
    1,
  ),
});

/** Null is smaller than any number. */
const compareDescending = (a: number | null, b: number | null): number => {
  if (a === b) return 0;
  if (a === null) return 1;
  return b === null ? -1 : b - a;
};

/** Sorts by the numbers alone: another order, such as that of joining, would reveal who is who. */
const bestFirst = (a: MemberEntry, b: MemberEntry): number =>
  compareDescending(a.avgScore, b.avgScore) || b.sessions - a.sessions || compareDescending(a.trendDelta, b.trendDelta);

/** A mean below this is a gap. */
export const gapBelow = 60;

/** The figures of all members together. */
const figuresOf = ({
  activeMembers,
  members,
}: TeamSums): Pick<TeamAnalytics, 'totals' | 'dimensions' | 'skillGaps'> => {
  const totalOf = (read: (member: MemberSums) => number) => members.reduce((all, member) => all + read(member), 0);
  const scored = totalOf((member) => member.scored);
  const dimensions = scoreDimensions.map((dimension) => ({
    dimension,
    value: meanOf({ sum: totalOf((member) => member[dimension]), count: scored }, 1),
  }));
  return {
    totals: {
      activeMembers,
      scored,
      sessions: totalOf((member) => member.sessions),
      avgScore: meanOf({ sum: totalOf(({ total }) => total), count: totalOf(({ totalled }) => totalled) }, 1),
    },
    dimensions,
    skillGaps: dimensions
      .flatMap(({ dimension, value }) => (value !== null && value < gapBelow ? [{ dimension, value }] : []))
      // The sort is stable: equal dimensions keep their order.
      .toSorted((a, b) => a.value - b.value)
      .map(({ dimension }) => dimension),
  };
};

const weeksOfTrend = 12;
const daysOfDelta = 30;

/** A sum and the number of its values. */
interface Sum {
  sum: number;
  count: number;
}

/** The sums of an active member's trainings. */
type MemberSums = Awaited<ReturnType<typeof sums.whole>>['members'][number];

/** Everything from which a team's analytics are computed. */
interface TeamSums {
  activeMembers: number;
  /** Active members with at least one ended training. */
  members: readonly MemberSums[];
  /** The Mondays of the last weeks including the current one, oldest first. */
  starts: string[];
  /** The sums of the total scores of these weeks. */
  cells: Cell[];
}

/** Reads the current sums of the team, or of one active member. */
const readSums = async (
  { id: tenantId, platform }: Team,
  { userId, weeks = weeksOfTrend }: { userId?: string; weeks?: number } = {},
): Promise<TeamSums> => {
  const { clock, database } = platform;
  const starts = lastWeeks(clock.now(), weeks);
  const tomorrow = later(new Date(utcDay(clock.now())), daysToMs(1));
  const [activeMembers, whole] = await Promise.all([
    sums.activeMembers(database, tenantId),
    sums.whole(database, {
      tenantId,
      userId,
      starts,
      recentFrom: later(tomorrow, -daysToMs(daysOfDelta)),
      earlierFrom: later(tomorrow, -daysToMs(2 * daysOfDelta)),
      until: tomorrow,
    }),
  ]);
  return { activeMembers, starts, ...whole };
};

/** The mean totals of the weeks. */
const weeksOf = ({ cells, starts }: TeamSums) => scoresOf(cells, starts.length);

/** The sum of the total scores of an interval, and its position. */
type Cell = Sum & { at: number };

export const sumOf = (cells: readonly Cell[]): Sum => ({
  sum: cells.reduce((all, { sum }) => all + sum, 0),
  count: cells.reduce((all, { count }) => all + count, 0),
});

/** The numbers of trainings behind the means of `scoresOf`. */
export const countsOf = (cells: readonly Cell[], length: number): number[] =>
  Array.from({ length }, (_, at) => cells.find((cell) => cell.at === at)?.count ?? 0);

/** The means of the last half of the intervals, and how all of them together compare with the first half. */
export const comparedTrend = (
  unit: Trend['unit'],
  starts: readonly string[],
  cells: readonly Cell[],
): Pick<Trend, 'unit' | 'starts' | 'scores' | 'counts' | 'period' | 'before' | 'change'> => {
  const half = starts.length / 2;
  const shown = cells.filter(({ at }) => at >= half).map((cell) => ({ ...cell, at: cell.at - half }));
  const [period, before] = [sumOf(shown), sumOf(cells.filter(({ at }) => at < half))];
  return {
    unit,
    starts: starts.slice(half),
    scores: scoresOf(shown, half),
    counts: countsOf(shown, half),
    period: { score: meanOf(period, 1), count: period.count },
    before: { score: meanOf(before, 1), count: before.count },
    change: differenceOfMeans(period, before, 1),
  };
};

/** The mean total of each interval, to an integer; null for none. */
export const scoresOf = (cells: readonly (Sum & { at: number })[], count: number): (number | null)[] => {
  const byInterval = new Map(cells.map((cell) => [cell.at, cell]));
  return Array.from({ length: count }, (_, at) => meanOf(byInterval.get(at) ?? { sum: 0, count: 0 }, 0));
};

/** Rounds a fraction of whole numbers exactly, half away from zero. Doubles would round some of them wrongly. */
const round = (numerator: bigint, denominator: bigint, decimals: number): number => {
  const scaled = 2n * numerator * 10n ** BigInt(decimals);
  const half = numerator < 0n ? -denominator : denominator;
  return Number((scaled + half) / (2n * denominator)) / 10 ** decimals;
};

/** The mean of whole numbers; null if there are none. */
export const meanOf = ({ sum, count }: Sum, decimals: number): number | null =>
  count === 0 ? null : round(BigInt(sum), BigInt(count), decimals);

/** The difference of two means, rounded once at the end; null if one of them has no values. */
export const differenceOfMeans = (a: Sum, b: Sum, decimals: number): number | null => {
  if (a.count === 0 || b.count === 0) return null;
  const [aSum, aCount, bSum, bCount] = [BigInt(a.sum), BigInt(a.count), BigInt(b.sum), BigInt(b.count)];
  return round(aSum * bCount - bSum * aCount, aCount * bCount, decimals);
};

/** The Monday of the ISO week (UTC) of a time, as `YYYY-MM-DD`. */
export const mondayOf = (time: Date): string => utcDay(later(time, -daysToMs((time.getUTCDay() + 6) % 7)));

/** The Mondays of the last ISO weeks including the current one, oldest first. */
export const lastWeeks = (now: Date, count: number): string[] =>
  Array.from({ length: count }, (_, index) => mondayOf(later(now, daysToMs(7 * (index + 1 - count)))));
