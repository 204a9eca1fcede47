import type { Team } from '../../src/platform/team.ts';
import type { Days } from './team-analytics.ts';

// The expected analytics, computed in the simplest way from the trainings themselves, without stored sums and without
// the code under test.

const names = ['closing', 'conversation_control', 'needs_analysis', 'objection_handling', 'value_argument'] as const;

interface Done {
  user: string;
  /** The day in UTC. */
  day: Date;
  scored: boolean;
  total: number | null;
  closing: number;
  conversation_control: number;
  needs_analysis: number;
  objection_handling: number;
  value_argument: number;
}

/** Half away from zero, computed by counting the tenths (or ones) that fit and comparing the rest. */
const round = (numerator: number, denominator: number, decimals: number): number => {
  const power = 10 ** decimals;
  const size = Math.abs(numerator) * power;
  const left = size % denominator;
  const whole = (size - left) / denominator + (2 * left >= denominator ? 1 : 0);
  return whole === 0 ? 0 : (Math.sign(numerator) * whole) / power;
};

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
const mean = (numbers: readonly number[], decimals = 1) =>
  numbers.length === 0 ? null : round(sum(numbers), numbers.length, decimals);

const midnight = (time: Date) => new Date(`${time.toISOString().slice(0, 10)}T00:00:00.000Z`);
const daysBefore = (day: Date, count: number) => {
  const moved = new Date(day);
  moved.setUTCDate(moved.getUTCDate() - count);
  return moved;
};
const mondayOf = (day: Date) => {
  let monday = day;
  while (monday.getUTCDay() !== 1) monday = daysBefore(monday, 1);
  return monday;
};

const totalsOf = (trainings: readonly Done[]) => trainings.flatMap(({ total }) => (total === null ? [] : [total]));

const readDone = async (team: Team): Promise<Done[]> => {
  const rows = await team.platform.database.prisma.training.findMany({
    where: { tenantId: team.id, status: { in: ['ended', 'scored'] } },
    include: { evaluation: true },
  });
  return rows.map(({ userId, createdAt, evaluation }) => ({
    user: userId,
    day: midnight(createdAt),
    scored: evaluation !== null,
    total: evaluation?.total ?? null,
    closing: evaluation?.closing ?? 0,
    conversation_control: evaluation?.conversationControl ?? 0,
    needs_analysis: evaluation?.needsAnalysis ?? 0,
    objection_handling: evaluation?.objectionHandling ?? 0,
    value_argument: evaluation?.valueArgument ?? 0,
  }));
};

/** `counted`: the trainings of the range. */
const memberOf = (counted: readonly Done[], trainings: readonly Done[], today: Date) => {
  const between = (from: number, to: number) =>
    totalsOf(trainings.filter(({ day }) => day >= daysBefore(today, from) && day <= daysBefore(today, to)));
  const [recent, earlier] = [between(29, 0), between(59, 30)];
  return {
    sessions: counted.length,
    avg_score: mean(totalsOf(counted)),
    trend_delta:
      recent.length === 0 || earlier.length === 0
        ? null
        : round(sum(recent) * earlier.length - sum(earlier) * recent.length, recent.length * earlier.length, 1),
  };
};

/** The expected answer of GET /analytics/team, with both switches on: of all days, or of a range. */
export const recomputed = async (team: Team, now: Date, { since, until }: Days = {}) => {
  const { prisma } = team.platform.database;
  const active = await prisma.member.findMany({ where: { tenantId: team.id, status: 'active' } });
  const users = active.map(({ userId }) => userId ?? '');
  const all = (await readDone(team)).filter(({ user }) => users.includes(user));
  const isIn = ({ day }: Done) =>
    (since === undefined || day >= new Date(since)) && (until === undefined || day <= new Date(until));
  const done = all.filter(isIn);
  const scored = done.filter((training) => training.scored);
  const today = until === undefined ? midnight(now) : new Date(until);
  const known = all.filter(({ day }) => until === undefined || day <= today);

  const dimensions = names.map((dimension) => ({ dimension, value: mean(scored.map((one) => one[dimension])) }));
  const gaps = dimensions.flatMap(({ dimension, value }) =>
    value !== null && value < 60 ? [{ dimension, value }] : [],
  );
  gaps.sort((a, b) => a.value - b.value || (a.dimension < b.dimension ? -1 : 1));

  const weeks = Array.from({ length: 12 }, (_, index) => daysBefore(mondayOf(today), 7 * (11 - index)).getTime());
  const trained = users.filter((user) => done.some((one) => one.user === user));
  const rank = (score: number | null) => score ?? -1000;
  const members = trained.map((user) => {
    const isOwn = (one: Done) => one.user === user;
    return memberOf(done.filter(isOwn), known.filter(isOwn), today);
  });
  members.sort(
    (a, b) =>
      rank(b.avg_score) - rank(a.avg_score) || b.sessions - a.sessions || rank(b.trend_delta) - rank(a.trend_delta),
  );
  return {
    totals: {
      active_members: users.length,
      scored: scored.length,
      sessions: done.length,
      avg_score: mean(totalsOf(done)),
    },
    dimensions,
    skill_gaps: gaps.map(({ dimension }) => dimension),
    trend: weeks.map((week) => ({
      score: mean(totalsOf(known.filter(({ day }) => mondayOf(day).getTime() === week)), 0),
    })),
    members: members.length < 5 ? [] : members,
  };
};
