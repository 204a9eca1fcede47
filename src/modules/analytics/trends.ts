import { utcDay } from '../../core/clock.ts';
import { limits } from '../../core/limits.ts';
import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import type { Camel } from '../../core/spelling.ts';
import type { Team } from '../../platform/team.ts';
import type { ComparisonQuery, MemberTrendQuery, Trend, TrendQuery } from './schema.ts';
import { reports } from '../reporting/store.ts';
import { cellsOf, comparedTrend, countsOf, lastWeeks, meanOf, scoresOf, shownUserOf, sumOf } from './service.ts';
import { sums } from './store.ts';

// Mean scores over time, of the whole team or of one member, also by segment. A score counts for the day (UTC) on which
// its training started.

/** The first days of the last months (UTC) including the current one, oldest first. */
const lastMonths = (now: Date, count: number): string[] =>
  Array.from({ length: count }, (_, at) =>
    utcDay(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + at + 1 - count, 1))),
  );

const weeksOf = { '12_weeks': 12, '6_months': 26 } as const;

/** The intervals of a range, oldest first. They come after as many earlier intervals, with which they are compared. */
export const intervalsOf = (range: TrendQuery['range'], now: Date): Pick<Trend, 'unit' | 'starts'> =>
  range === '12_months'
    ? { unit: 'month', starts: lastMonths(now, 2 * 12) }
    : { unit: 'week', starts: lastWeeks(now, 2 * weeksOf[range]) };

/** The most segments in an answer. */
const shownSegments = 20;

type SegmentTotal = Awaited<ReturnType<typeof sums.bySegment>>[number];

/**
 * The cells of one interval that may be shown if each mean must cover at least five people. A reader could subtract the
 * shown cells from the whole, so the hidden ones together must cover no one or at least five people: otherwise the
 * smallest shown segment is hidden too.
 */
export const withEnoughPeople = <C extends Pick<SegmentTotal, 'people' | 'rest'>>(cells: readonly C[]): C[] => {
  const enough = cells.filter(({ people }) => people >= limits.comparedMembers).toSorted((a, b) => b.people - a.people);
  const rest = cells[0]?.rest ?? 0;
  return rest > 0 && rest < limits.comparedMembers ? enough.slice(0, -1) : enough;
};

type Sums = Parameters<typeof sumOf>[0];

const segmentOf = (id: string | null, cells: Sums, length: number): Trend['segments'][number] => ({
  id,
  score: meanOf(sumOf(cells), 1),
  count: sumOf(cells).count,
  scores: scoresOf(cells, length),
  counts: countsOf(cells, length),
});

/** Whether the team shows and compares its members. */
const comparesMembers = ({ privacy }: Team): boolean => privacy.memberDetail && privacy.leaderboard;

interface WantedTrend extends TrendQuery {
  /** If present, only the trainings of this member count. */
  userId?: string;
  /** Includes the range of the middle half of the members, if the team compares them. */
  hasMiddle?: boolean;
  /** Whether each mean of a segment must cover enough people. */
  isLimited: boolean;
}

const trendOf = async (
  team: Team,
  { range, segment, userId, hasMiddle = false, isLimited }: WantedTrend,
): Promise<Trend> => {
  const { database, clock } = team.platform;
  const intervals = intervalsOf(range, clock.now());
  const starts = intervals.starts.slice(intervals.starts.length / 2);
  const wanted = { tenantId: team.id, userId };
  const few = { tenantId: team.id, starts, fewestPeople: limits.comparedMembers };
  const [middle, whole, cells] = await Promise.all([
    hasMiddle && comparesMembers(team) ? sums.middleHalf(database, few) : null,
    sums.byInterval(database, { ...wanted, starts: intervals.starts }),
    segment === undefined ? [] : sums.bySegment(database, { ...few, userId, segment }),
  ]);
  const shown = isLimited ? [...Map.groupBy(cells, ({ at }) => at).values()].flatMap(withEnoughPeople) : cells;
  const segments = [...Map.groupBy(shown, (cell) => cell.segment)]
    .map(([id, own]) => segmentOf(id === '' ? null : id, own, starts.length))
    // The id comes last, so that segments with equal counts have the same order in each call.
    .toSorted((a, b) => b.count - a.count || (a.id ?? '').localeCompare(b.id ?? ''));
  return {
    ...comparedTrend(intervals.unit, intervals.starts, cellsOf(whole)),
    segments: segments.slice(0, shownSegments),
    middle:
      middle &&
      starts.map((_, at) => {
        const found = middle.find((one) => one.at === at);
        return found ? { low: found.low, high: found.high } : null;
      }),
    needed: isLimited ? limits.comparedMembers : null,
    hidden: shown.length < cells.length,
  };
};

/** The team's trend. Segments with few people are hidden unless the team shows and compares its members. */
export const teamTrend = (team: Team, wanted: TrendQuery): Promise<Trend> =>
  trendOf(team, { ...wanted, isLimited: !comparesMembers(team) });

/** The trend of one active member, for that member. */
export const ownTrend = (team: Team, userId: string, wanted: TrendQuery): Promise<Trend> =>
  trendOf(team, { ...wanted, userId, hasMiddle: true, isLimited: false });

/** The trend of one active member, for admins. */
export const memberTrend = async (team: Team, { memberId, ...wanted }: Camel<MemberTrendQuery>): Promise<Trend> =>
  ownTrend(team, await shownUserOf(team, memberId), wanted);

/**
 * The team's trend and the trends of some members, each as a segment. Refused unless the team shows and compares its
 * members.
 */
export const compareMembers = async (team: Team, { userIds, range }: Camel<ComparisonQuery>): Promise<Trend> => {
  if (!comparesMembers(team)) fail('privacy_restricted');
  const { database } = team.platform;
  const known = await reports.peopleOf(database.prisma, team.id, userIds.filter(isId));
  if (!userIds.every((id) => known.some(({ userId }) => userId === id))) fail('not_found');
  const trend = await trendOf(team, { range, hasMiddle: true, isLimited: false });
  const { starts } = trend;
  const cells = await Promise.all(
    userIds.map((userId) => sums.byInterval(database, { tenantId: team.id, userId, starts })),
  );
  return { ...trend, segments: userIds.map((id, at) => segmentOf(id, cellsOf(cells[at] ?? []), starts.length)) };
};
