import { utcDay, daysToMs, later } from '../../core/clock.ts';
import type { Camel } from '../../core/spelling.ts';
import type { Team } from '../../platform/team.ts';
import { durationGrowth } from '../../deliveries/outcomes.ts';
import type { Health, HealthQuery } from './schema.ts';
import { endpointsOf, getEndpoint } from './service.ts';
import { endpointDays, endpointHealth } from './history-store.ts';

// Outcomes and durations of the attempts to endpoints.

/** The number of attempts whose durations are in the same class; `duration` is the number of the class. */
interface DurationCount {
  duration: number;
  attempts: number;
}

/**
 * A percentile (0 to 1) of counted durations in milliseconds; null if there are none. Assumes that durations are evenly
 * distributed in their class, on a logarithmic scale.
 */
const percentileOf = (counts: readonly DurationCount[], percentile: number): number | null => {
  const sorted = counts.toSorted((a, b) => a.duration - b.duration);
  const all = sorted.reduce((sum, { attempts }) => sum + attempts, 0);
  let left = percentile * all;
  for (const { duration, attempts } of sorted) {
    if (attempts > 0 && left <= attempts) return Math.round(durationGrowth ** (duration - 1 + left / attempts));
    left -= attempts;
  }
  return null;
};

type HealthNumbers = Camel<Health>['total'];
type HealthRows = Awaited<ReturnType<typeof endpointHealth>>;

const numbersOf = (rows: HealthRows): HealthNumbers => {
  const countOf = (wanted: boolean) =>
    rows.reduce((sum, { delivered, attempts }) => sum + (delivered === wanted ? attempts : 0), 0);
  return {
    delivered: countOf(true),
    failed: countOf(false),
    p50Ms: percentileOf(rows, 0.5),
    p95Ms: percentileOf(rows, 0.95),
  };
};

/** Outcomes and durations of the attempts in each interval, to one endpoint or to all endpoints of the team. */
export const healthOf = async (team: Team, { starts, end, endpointId: wanted }: Camel<HealthQuery>) => {
  const endpointId = wanted === undefined ? null : (await getEndpoint(team, wanted)).id;
  const rows = await endpointHealth(team.platform.database, { tenantId: team.id, starts, end, endpointId });
  const byInterval = Map.groupBy(rows, ({ at }) => at);
  const numbers = {
    total: numbersOf(rows),
    intervals: starts.map((_, at) => numbersOf(byInterval.get(at) ?? [])),
  };
  if (attemptsIn(numbers.total) !== 1) return numbers;
  const only = await onlyDuration(team, { starts, end, endpointId });
  if (only === undefined) return numbers;
  const exact = (of: HealthNumbers) => (attemptsIn(of) === 1 ? { ...of, p50Ms: only, p95Ms: only } : of);
  return { total: exact(numbers.total), intervals: numbers.intervals.map(exact) };
};

const attemptsIn = ({ delivered, failed }: HealthNumbers): number => delivered + failed;

/**
 * The duration of the only attempt in the days of a period, from the sums of these days. Undefined if the days have no
 * attempt or several.
 */
const onlyDuration = async (
  team: Team,
  { starts, end, endpointId }: Pick<HealthQuery, 'starts' | 'end'> & { endpointId: string | null },
): Promise<number | undefined> => {
  const [first] = starts;
  if (first === undefined) return undefined;
  const days = { first: utcDay(first), last: utcDay(end), endpointId };
  const { attempts, totalMs } = await endpointDays.sum(team.platform.database, team, days);
  return attempts === 1 ? totalMs : undefined;
};

/** Outcomes of the attempts to each endpoint on each of the last days (UTC), ending with today. */
export const daysOfEndpoints = async (team: Team, { days: wanted }: { days: number }) => {
  const { database, clock } = team.platform;
  const now = clock.now();
  const dates = Array.from({ length: wanted }, (_, at) => utcDay(later(now, -daysToMs(wanted - 1 - at))));
  const endpoints = await endpointsOf(team);
  const rows = await endpointDays.since(database, team, dates[0] ?? utcDay(now));
  const known = new Map(rows.map(({ endpointId, ...of }) => [`${endpointId} ${of.day}`, of]));
  return {
    endpoints: endpoints.map(({ id }) => ({
      endpointId: id,
      days: dates.map((date) => known.get(`${id} ${date}`) ?? { day: date, delivered: 0, failed: 0 }),
    })),
  };
};
