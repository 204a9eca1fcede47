import { z } from 'zod';
import { daysToMs, later, utcDay } from '../../core/clock.ts';
import { memberMessages } from '../../core/messages/people.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { getMember } from '../members/membership.ts';
import { reports } from '../reporting/store.ts';
import { lockTeam } from '../teams/service.ts';
import { scoreDimensions } from '../trainings/schema.ts';
import type { OwnProgress, TeamAnalytics, Leaderboard } from './schema.ts';
import { sums } from './store.ts';

/** The analytics of the team, with its members' numbers but without names. Only the trainings of active members count. */
export const teamAnalytics = async (team: Team): Promise<TeamAnalytics> =>
  analyticsOf(await readSums(team), team.privacy);

/** The progress of one active member: the same numbers as for a team of one. */
export const progressOf = async (team: Team, userId: string): Promise<OwnProgress> => {
  const sums = await readSums(team, userId);
  const { totals, dimensions, skill_gaps, trend } = analyticsOf(sums, team.privacy);
  const { sessions, scored, avg_score } = totals;
  const [own] = sums.members;
  const trend_delta = own ? entryOf(own).trend_delta : null;
  return { sessions, scored, avg_score, trend_delta, dimensions, skill_gaps, trend };
};

/** The progress of a member, for admins. Refused while the team hides member details. */
export const memberProgress = async (team: Team, memberId: string): Promise<OwnProgress> => {
  if (!team.privacy.memberDetail) fail('privacy_restricted');
  const { user_id } = await getMember(team, memberId);
  return progressOf(team, user_id ?? fail('not_found', { detail: memberMessages.notYetAccepted }));
};

/** The names of active members; of those without one, the first part of the address. */
const namesOf = async ({ id, platform }: Team, userIds: string[]): Promise<Map<string, string>> => {
  const people = await reports.peopleOf(platform.database.prisma, id, userIds);
  return new Map(
    people.flatMap(({ user_id, member_id, name, email }) => {
      const given = name?.trim() ?? '';
      return member_id === null || email === null ? [] : [[user_id, given || email.replace(/@[^@]*$/, '')]];
    }),
  );
};

/** The longest leaderboard; the reader's own entry is always on it. */
const shownAtMost = 1_000;

/** The leaderboard: the members of the team's analytics with the same numbers and rules, and with names. */
export const leaderboardOf = async (team: Team, userId: string): Promise<Leaderboard> => {
  const { members } = await readSums(team);
  const reason = whyHidden(members, team.privacy);
  if (reason !== null) return { shown: false, reason, needed: fewestMembers, entries: [] };

  const entries = members
    .map((member) => ({ user_id: member.userId, ...entryOf(member) }))
    // Members with equal numbers keep their order between two calls.
    .toSorted((a, b) => bestFirst(a, b) || (a.user_id < b.user_id ? -1 : 1));
  const shown = entries.filter((entry, at) => at < shownAtMost || entry.user_id === userId);
  const named = await namesOf(
    team,
    shown.map(({ user_id }) => user_id),
  );
  return {
    shown: true,
    reason: null,
    needed: fewestMembers,
    entries: shown.map(({ user_id, ...entry }) => ({
      rank: 1 + entries.findIndex(({ avg_score }) => avg_score === entry.avg_score),
      user_id,
      // A member who has just left has no name.
      name: named.get(user_id) ?? null,
      ...entry,
      is_you: user_id === userId,
    })),
  };
};

/** With fewer members, single people could be recognised by their numbers. */
export const fewestMembers = 5;

/** Why the members' numbers are not shown; null if they are. */
const whyHidden = (members: readonly MemberSums[], { memberDetail, leaderboard }: Team['privacy']) => {
  if (!memberDetail) return 'member_detail_off';
  if (!leaderboard) return 'leaderboard_off';
  return members.length < fewestMembers ? 'too_few' : null;
};

type MemberEntry = TeamAnalytics['members'][number];

const entryOf = ({ sessions, total, recent, earlier }: MemberSums): MemberEntry => ({
  sessions,
  avg_score: meanOf(total, 1),
  trend_delta: differenceOfMeans(recent, earlier, 1),
});

/** Null is smaller than any number. */
const descending = (a: number | null, b: number | null): number => {
  if (a === b) return 0;
  if (a === null) return 1;
  return b === null ? -1 : b - a;
};

/** Sorts by the numbers alone: another order, such as that of joining, would reveal who is who. */
const bestFirst = (a: MemberEntry, b: MemberEntry): number =>
  descending(a.avg_score, b.avg_score) || b.sessions - a.sessions || descending(a.trend_delta, b.trend_delta);

/** A mean below this is a gap. */
export const gapBelow = 60;

/** Computes a team's analytics from its sums. Numbers of single members are included only if the team's privacy settings allow it. */
const analyticsOf = ({ activeMembers, members, weeks }: TeamSums, privacy: Team['privacy']): TeamAnalytics => {
  const totalOf = (read: (member: MemberSums) => number) => members.reduce((all, member) => all + read(member), 0);
  const scored = totalOf((member) => member.scored);
  const dimensions = scoreDimensions.map((dimension) => ({
    dimension,
    value: meanOf({ sum: totalOf((member) => member[dimension]), count: scored }, 1),
  }));
  return {
    totals: {
      active_members: activeMembers,
      scored,
      sessions: totalOf((member) => member.sessions),
      avg_score: meanOf({ sum: totalOf(({ total }) => total.sum), count: totalOf(({ total }) => total.count) }, 1),
    },
    dimensions,
    skill_gaps: dimensions
      .flatMap(({ dimension, value }) => (value !== null && value < gapBelow ? [{ dimension, value }] : []))
      // The sort is stable: equal dimensions keep their order.
      .toSorted((a, b) => a.value - b.value)
      .map(({ dimension }) => dimension),
    trend: weeks.map((week) => ({ score: meanOf(week, 0) })),
    members: whyHidden(members, privacy) === null ? members.map(entryOf).toSorted(bestFirst) : [],
  };
};

const weeksOfTrend = 12;
const daysOfDelta = 30;

/** A sum and the number of its values. */
const Sum = z.object({ sum: z.int(), count: z.int() });
type Sum = z.output<typeof Sum>;

const Member = z.object({
  userId: z.string(),
  sessions: z.int(),
  scored: z.int(),
  total: Sum,
  closing: z.int(),
  conversation_control: z.int(),
  needs_analysis: z.int(),
  objection_handling: z.int(),
  value_argument: z.int(),
  /** Totals of the last 30 days including today, and of the 30 days before. */
  recent: Sum,
  earlier: Sum,
});
/** The sums of an active member's trainings. */
type MemberSums = z.output<typeof Member>;

/** Everything from which a team's analytics are computed, read at one moment. */
const TeamSums = z.object({
  activeMembers: z.int(),
  /** Active members with at least one ended training. */
  members: z.array(Member),
  /** Totals of the last weeks including the current one, oldest first. */
  weeks: z.array(Sum),
});
type TeamSums = z.output<typeof TeamSums>;

/** Reads the current sums of the team, or of one active member. */
const readSums = async (team: Team, userId?: string): Promise<TeamSums> => {
  const { clock, database } = team.platform;
  const now = clock.now();
  const daysAgo = (count: number) => utcDay(later(now, -daysToMs(count)));
  const row = await sums.ofTeam(database, {
    tenantId: team.id,
    userId: userId ?? null,
    weeks: lastWeeks(now, weeksOfTrend),
    recentFrom: daysAgo(daysOfDelta - 1),
    earlierFrom: daysAgo(2 * daysOfDelta - 1),
    today: utcDay(now),
  });
  return TeamSums.parse(row);
};

/** Rounds a fraction of whole numbers exactly, half away from zero. Doubles would round some of them wrongly. */
const rounded = (numerator: bigint, denominator: bigint, decimals: number): number => {
  const scaled = 2n * numerator * 10n ** BigInt(decimals);
  const half = numerator < 0n ? -denominator : denominator;
  return Number((scaled + half) / (2n * denominator)) / 10 ** decimals;
};

/** The mean of whole numbers; null if there are none. */
export const meanOf = ({ sum, count }: Sum, decimals: number): number | null =>
  count === 0 ? null : rounded(BigInt(sum), BigInt(count), decimals);

/** The difference of two means, rounded once at the end; null if one of them has no values. */
export const differenceOfMeans = (a: Sum, b: Sum, decimals: number): number | null => {
  if (a.count === 0 || b.count === 0) return null;
  const [aSum, aCount, bSum, bCount] = [BigInt(a.sum), BigInt(a.count), BigInt(b.sum), BigInt(b.count)];
  return rounded(aSum * bCount - bSum * aCount, aCount * bCount, decimals);
};

/** The user of a training and its start, whose day and week its score counts for. */
interface CountedTraining {
  userId: string;
  createdAt: Date;
}

export interface CountedScore {
  total: number | null;
  closing: number;
  conversationControl: number;
  needsAnalysis: number;
  objectionHandling: number;
  valueArgument: number;
}

/** Counts a training that ended. */
export const countTraining = async (tx: Tx, team: Team, { userId }: Pick<CountedTraining, 'userId'>): Promise<void> => {
  await sums.addSession(tx, { tenantId: team.id, userId });
};

/**
 * Counts a saved evaluation, in place of the one that it corrects. The training was counted when it ended, so its user has a row of
 * totals. This row is always locked before that of the week.
 */
export const countScore = async (
  tx: Tx,
  team: Team,
  { userId, createdAt }: CountedTraining,
  { before, now }: { before?: CountedScore; now: CountedScore },
): Promise<void> => {
  const user = { tenantId: team.id, userId };
  const change = (of: Exclude<keyof CountedScore, 'total'>) => ({ increment: now[of] - (before?.[of] ?? 0) });
  const totalBefore = before?.total ?? null;
  const total = (now.total ?? 0) - (totalBefore ?? 0);
  const totalled = Number(now.total !== null) - Number(totalBefore !== null);
  const counted = await sums.change(tx, user, {
    scored: { increment: before ? 0 : 1 },
    totalled: { increment: totalled },
    total: { increment: total },
    closing: change('closing'),
    conversationControl: change('conversationControl'),
    needsAnalysis: change('needsAnalysis'),
    objectionHandling: change('objectionHandling'),
    valueArgument: change('valueArgument'),
  });
  if (!counted) throw new Error('a score was to be counted for a user none of whose trainings was');

  await sums.addToWeek(tx, user, { ...weekDayOf(createdAt), total, totalled });
};

/**
 * Computes all sums again from the trainings, after rows were written in bulk. It locks the team, which everything that counts holds, so
 * nothing is counted meanwhile. It must be the first lock of its transaction.
 */
export const recount = async (tx: Tx, team: Team): Promise<void> => {
  await lockTeam(tx, team);
  await sums.recount(tx, team.id);
};

/** A day (UTC) within its ISO week. */
interface WeekDay {
  /** The week's Monday, as `YYYY-MM-DD`. */
  week: string;
  /** 1 is Monday, 7 is Sunday. */
  day: number;
}

/** The ISO week and day (UTC) of a time. */
export const weekDayOf = (time: Date): WeekDay => {
  const sinceMonday = (time.getUTCDay() + 6) % 7;
  return { week: utcDay(later(time, -daysToMs(sinceMonday))), day: sinceMonday + 1 };
};

/** The Mondays of the last ISO weeks including the current one, oldest first. */
export const lastWeeks = (now: Date, count: number): string[] =>
  Array.from({ length: count }, (_, index) => weekDayOf(later(now, daysToMs(7 * (index + 1 - count)))).week);
