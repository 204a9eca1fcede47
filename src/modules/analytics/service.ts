import { daysToMs, later, utcDay } from '../../core/clock.ts';
import { memberMessages } from '../../core/messages/people.ts';
import { trainingMessages } from '../../core/messages/trainings.ts';
import { fail } from '../../core/problem.ts';
import type { Camel } from '../../core/spelling.ts';
import type { Team } from '../../platform/team.ts';
import { getMember } from '../membership/service.ts';
import { limits } from '../../core/limits.ts';
import { scoreDimensions, type ScoreDimension } from '../trainings/schema.ts';
import type * as schema from './schema.ts';
import { sums } from './store.ts';

type TeamAnalytics = Camel<schema.TeamAnalytics>;
type OwnProgress = Camel<schema.OwnProgress>;
type Trend = schema.Trend;

/**
 * The analytics of the team, with its members' numbers but without names. Only trainings of active members count: all
 * of them, or those in a range of days. The start of a range does not shorten the trend and the members' deltas.
 */
export const teamAnalytics = async (team: Team, range: schema.TeamAnalyticsQuery = {}): Promise<TeamAnalytics> => {
  const { since, until } = range;
  if (since !== undefined && until !== undefined && until < since) {
    fail('validation_error', { field: 'until', detail: trainingMessages.untilBeforeSince });
  }
  const isRange = since !== undefined || until !== undefined;
  const sums = isRange ? await readSumsInRange(team, range) : await readSums(team, timesOfApi(team));
  const { members } = sums;
  const trend = weeksOf(sums).map((score) => ({ score }));
  return {
    ...(isRange ? shownFigures(team, sums) : figuresOf(sums)),
    trend: (await hidesLastWeek(team, until)) ? [...trend.slice(0, -1), { score: null }] : trend,
    members: whyHidden(members, team.privacy) === null ? members.map(entryOf).toSorted(bestFirst) : [],
  };
};

/** While the team hides member details, means of few members are left out: a mean of one member is their own score. */
const shownFigures = ({ privacy }: Team, sums: TeamSums): Figures => {
  const figures = figuresOf(sums);
  const areTooFew = (count: (member: MemberSums) => number) =>
    !privacy.memberDetail && sums.members.filter((member) => count(member) > 0).length < limits.comparedMembers;
  const { totals, dimensions, skillGaps } = figures;
  const hidesDimensions = areTooFew(({ scored }) => scored);
  return {
    totals: areTooFew(({ totalled }) => totalled) ? { ...totals, avgScore: null } : totals,
    dimensions: hidesDimensions ? dimensions.map(({ dimension }) => ({ dimension, value: null })) : dimensions,
    skillGaps: hidesDimensions ? [] : skillGaps,
  };
};

/**
 * Whether the last week of the trend is left out, because the team hides member details, and `until` cuts the week to
 * days in which few members have a score. The current week ends today in any case.
 */
const hidesLastWeek = async (
  { id: tenantId, privacy, platform }: Team,
  until: string | undefined,
): Promise<boolean> => {
  const today = utcDay(platform.clock.now());
  if (privacy.memberDetail || until === undefined || until >= today) return false;
  const last = midnightOf(until);
  if (last.getUTCDay() === 0) return false;
  const monday = mondayOf(last);
  const cut = { tenantId, starts: [monday], recentFrom: new Date(monday), until: endOfDay(last) };
  return (await sums.scoredPeople(platform.database, cut)).recent < limits.comparedMembers;
};

/** The progress of one active member: the same numbers as for a team of one. */
export const progressOf = async (team: Team, userId: string): Promise<OwnProgress> => {
  const sums = await readSums(team, { ...timesOfApi(team), userId });
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

/** Why the members' numbers are not shown; null if they are. */
export const whyHidden = (
  members: readonly { userId: string }[],
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
export const compareDescending = (a: number | null, b: number | null): number => {
  if (a === b) return 0;
  if (a === null) return 1;
  return b === null ? -1 : b - a;
};

/** Sorts by the numbers alone. Any other order, such as that in which members joined, would reveal who is who. */
const bestFirst = (a: MemberEntry, b: MemberEntry): number =>
  compareDescending(a.avgScore, b.avgScore) || b.sessions - a.sessions || compareDescending(a.trendDelta, b.trendDelta);

/** A mean below this is a gap. */
export const gapBelow = 60;

/** The sum of the trainings' scores in a dimension. */
export const sumOfDimension = (
  sums: readonly Pick<MemberSums, ScoreDimension | 'scored'>[],
  dimension: ScoreDimension,
): Sum => ({
  sum: sums.reduce((all, one) => all + one[dimension], 0),
  count: sums.reduce((all, { scored }) => all + scored, 0),
});

/** The mean of each dimension. */
export const meansOf = (
  sums: Parameters<typeof sumOfDimension>[0],
): { dimension: ScoreDimension; value: number | null }[] =>
  scoreDimensions.map((dimension) => ({ dimension, value: meanOf(sumOfDimension(sums, dimension), 1) }));

/** The dimensions with a gap, the lowest first. */
export const gapsOf = (dimensions: readonly { dimension: ScoreDimension; value: number | null }[]): ScoreDimension[] =>
  dimensions
    .flatMap(({ dimension, value }) => (value !== null && value < gapBelow ? [{ dimension, value }] : []))
    // The sort is stable: dimensions with the same mean keep their order.
    .toSorted((a, b) => a.value - b.value)
    .map(({ dimension }) => dimension);

type Figures = Pick<TeamAnalytics, 'totals' | 'dimensions' | 'skillGaps'>;

/** The figures of all members together. */
const figuresOf = ({ activeMembers, members }: TeamSums): Figures => {
  const totalOf = (read: (member: MemberSums) => number) => members.reduce((all, member) => all + read(member), 0);
  const dimensions = meansOf(members);
  return {
    totals: {
      activeMembers,
      scored: totalOf(({ scored }) => scored),
      sessions: totalOf(({ sessions }) => sessions),
      avgScore: meanOf({ sum: totalOf(({ total }) => total), count: totalOf(({ totalled }) => totalled) }, 1),
    },
    dimensions,
    skillGaps: gapsOf(dimensions),
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
export type MemberSums = Awaited<ReturnType<typeof sums.whole>>['members'][number];

type WholeSums = Awaited<ReturnType<typeof sums.whole>>;

/** Everything from which a team's analytics are computed. */
interface TeamSums {
  activeMembers: number;
  /** Active members with at least one ended training that counts. */
  members: WholeSums['members'];
  /** The first days of the intervals, oldest first. */
  starts: readonly string[];
  /** The sums of each interval's trainings. Trainings before the first interval are summed at -1. */
  intervals: WholeSums['intervals'];
}

interface AnalyticsTimes {
  /** Earlier trainings are left out. */
  since: Date;
  /** The first days of the intervals, oldest first. */
  starts: string[];
  /** Each member's sums are also made from `earlierFrom` to `recentFrom`, and from `recentFrom` to `until`. */
  earlierFrom: Date;
  recentFrom: Date;
  until: Date;
}

/** The first midnight (UTC) after a time. */
export const endOfDay = (time: Date): Date => later(new Date(utcDay(time)), daysToMs(1));

/**
 * The last twelve weeks, the last 30 days, and the 30 days before. All end with the day of `last`, by default today.
 */
const timesOfApi = ({ platform }: Team, last = platform.clock.now()): AnalyticsTimes => {
  const until = endOfDay(last);
  return {
    since: firstTime,
    starts: lastWeeks(last, weeksOfTrend),
    recentFrom: later(until, -daysToMs(daysOfDelta)),
    earlierFrom: later(until, -daysToMs(2 * daysOfDelta)),
    until,
  };
};

/** A time before all trainings. */
const firstTime = new Date(0);

/**
 * There are no trainings before the first or after the last of these days. If an earlier or later day were used, the
 * weeks and days around it could leave the years that PostgreSQL and JavaScript write in the same way.
 */
const farthest = { first: '1970-01-01', last: '9999-01-01' };

const midnightOf = (day: string): Date =>
  new Date(day < farthest.first ? farthest.first : day > farthest.last ? farthest.last : day);

/**
 * The sums of a range of days, including its first and last day. Earlier trainings are read as far back as trend and
 * deltas need them.
 */
const readSumsInRange = async (team: Team, { since, until }: schema.TeamAnalyticsQuery): Promise<TeamSums> => {
  const { id: tenantId, platform } = team;
  const times = timesOfApi(team, until === undefined ? undefined : midnightOf(until));
  const from = since === undefined ? firstTime : midnightOf(since);
  const firstOfTrend = new Date(times.starts[0] ?? from);
  const [activeMembers, whole] = await Promise.all([
    sums.activeMembers(platform.database, tenantId),
    sums.wholeInRange(platform.database, {
      tenantId,
      ...times,
      since: from < firstOfTrend ? from : firstOfTrend,
      from,
      before: times.until,
    }),
  ]);
  return { activeMembers, starts: times.starts, ...whole };
};

/** Reads the current sums of the team, or of one active member. */
export const readSums = async (
  { id: tenantId, platform: { database } }: Team,
  { userId, ...times }: AnalyticsTimes & { userId?: string },
): Promise<TeamSums> => {
  const [activeMembers, whole] = await Promise.all([
    sums.activeMembers(database, tenantId),
    sums.whole(database, { tenantId, userId, ...times }),
  ]);
  return { activeMembers, starts: times.starts, ...whole };
};

/** The mean totals of the weeks. */
const weeksOf = ({ intervals, starts }: TeamSums) => scoresOf(cellsOf(intervals), starts.length);

/** The sum of an interval's total scores, and the interval's position. */
type IntervalTotal = Sum & { at: number };

/** The sums of the total scores, without intervals that have no total score. */
export const cellsOf = (
  intervals: readonly Pick<TeamSums['intervals'][number], 'at' | 'total' | 'totalled'>[],
): IntervalTotal[] =>
  intervals.flatMap(({ at, total, totalled }) =>
    at < 0 || totalled === 0 ? [] : [{ at, sum: total, count: totalled }],
  );

export const sumOf = (cells: readonly IntervalTotal[]): Sum => ({
  sum: cells.reduce((all, { sum }) => all + sum, 0),
  count: cells.reduce((all, { count }) => all + count, 0),
});

/** The numbers of trainings behind the means of `scoresOf`. */
export const countsOf = (cells: readonly IntervalTotal[], length: number): number[] =>
  Array.from({ length }, (_, at) => cells.find((cell) => cell.at === at)?.count ?? 0);

/** The means of the intervals in the second half, and how this half as a whole differs from the first half. */
export const comparedTrend = (
  unit: Trend['unit'],
  starts: readonly string[],
  cells: readonly IntervalTotal[],
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

/** The mean total of each interval, rounded to an integer; null for an interval without scores. */
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
