import { utcDay } from '../../core/clock.ts';
import { limits } from '../../core/limits.ts';
import type { Camel } from '../../core/spelling.ts';
import type { Team } from '../../platform/team.ts';
import type { MemberTrendQuery, Trend, TrendQuery } from './schema.ts';
import { comparedTrend, countsOf, lastWeeks, scoresOf, shownUserOf } from './service.ts';
import { sums } from './store.ts';

// Mean scores over time, of the whole team or of one member, also by segment. A score counts for the day (UTC) on which
// its session started.

/** The first days of the last months (UTC) including the current one, oldest first. */
const lastMonths = (now: Date, count: number): string[] =>
  Array.from({ length: count }, (_, at) =>
    utcDay(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + at + 1 - count, 1))),
  );

const weeksOf = { '12_weeks': 12, '6_months': 26 } as const;

/** The intervals of a range, after as many with which they are compared. */
const intervalsOf = (range: TrendQuery['range'], now: Date): Pick<Trend, 'unit' | 'starts'> =>
  range === '12_months'
    ? { unit: 'month', starts: lastMonths(now, 2 * 12) }
    : { unit: 'week', starts: lastWeeks(now, 2 * weeksOf[range]) };

/** The most segments in an answer. */
const shownSegments = 20;

type Cell = Awaited<ReturnType<typeof sums.bySegment>>[number];

/**
 * The cells of one interval that may be shown if each mean must cover at least five people. A reader could subtract the
 * shown cells from the whole, so the hidden ones together must cover no one or at least five people: otherwise the
 * smallest shown segment is hidden too.
 */
export const withEnoughPeople = <C extends Pick<Cell, 'people' | 'rest'>>(cells: readonly C[]): C[] => {
  const enough = cells.filter(({ people }) => people >= limits.comparedMembers).toSorted((a, b) => b.people - a.people);
  const rest = cells[0]?.rest ?? 0;
  return rest > 0 && rest < limits.comparedMembers ? enough.slice(0, -1) : enough;
};

interface Wanted extends TrendQuery {
  /** Only this member. */
  userId?: string;
  /** Whether each mean of a segment must be one of enough people. */
  isLimited: boolean;
}

const trendOf = async (team: Team, { range, segment, userId, isLimited }: Wanted): Promise<Trend> => {
  const { database, clock } = team.platform;
  const intervals = intervalsOf(range, clock.now());
  const starts = intervals.starts.slice(intervals.starts.length / 2);
  const wanted = { tenantId: team.id, userId };
  const [whole, cells] = await Promise.all([
    sums.byInterval(database, { ...wanted, starts: intervals.starts }),
    segment === undefined
      ? []
      : sums.bySegment(database, { ...wanted, starts, segment, fewestPeople: limits.comparedMembers }),
  ]);
  const shown = isLimited ? [...Map.groupBy(cells, ({ at }) => at).values()].flatMap(withEnoughPeople) : cells;
  const segments = [...Map.groupBy(shown, (cell) => cell.segment)]
    .map(([id, own]) => ({
      id: id === '' ? null : id,
      count: own.reduce((sum, { count }) => sum + count, 0),
      scores: scoresOf(own, starts.length),
      counts: countsOf(own, starts.length),
    }))
    // Equal ones keep their order between two calls.
    .toSorted((a, b) => b.count - a.count || (a.id ?? '').localeCompare(b.id ?? ''));
  return {
    ...comparedTrend(intervals.unit, intervals.starts, whole),
    segments: segments.slice(0, shownSegments),
    needed: isLimited ? limits.comparedMembers : null,
    hidden: shown.length < cells.length,
  };
};

/** The team's trend. Segments with few people are hidden unless the team shows and compares its members. */
export const teamTrend = (team: Team, wanted: TrendQuery): Promise<Trend> =>
  trendOf(team, { ...wanted, isLimited: !team.privacy.memberDetail || !team.privacy.leaderboard });

/** The trend of one active member, for that member. */
export const ownTrend = (team: Team, userId: string, wanted: TrendQuery): Promise<Trend> =>
  trendOf(team, { ...wanted, userId, isLimited: false });

/** The trend of one active member, for admins. */
export const memberTrend = async (team: Team, { memberId, ...wanted }: Camel<MemberTrendQuery>): Promise<Trend> =>
  ownTrend(team, await shownUserOf(team, memberId), wanted);
