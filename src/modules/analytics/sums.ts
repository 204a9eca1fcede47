import { z } from 'zod';
import { days, later } from '../../core/clock.ts';
import type { Team } from '../../platform/team.ts';
import { reports } from '../reporting/store.ts';
import { dayOf, lastWeeks } from './calendar.ts';

export const weeksOfTrend = 12;
const daysOfDelta = 30;

const Sum = z.object({ sum: z.int(), count: z.int() });

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
  /** Totals of the last 30 days, today included, and of the 30 before. */
  recent: Sum,
  earlier: Sum,
});
/** The sums of an active member's trainings. */
export type MemberSums = z.output<typeof Member>;

/** Everything that the analytics of a team are worked out from, as it was at one moment. */
const TeamSums = z.object({
  activeMembers: z.int(),
  /** Of each active member with an ended training: only then is anything counted of them. */
  members: z.array(Member),
  /** Totals of the last weeks, oldest first, the current one included. */
  weeks: z.array(Sum),
});
export type TeamSums = z.output<typeof TeamSums>;

/** The sums that analytics are made of, as they are now: the team's, or what one active member's come to alone. */
export const readSums = async (team: Team, userId?: string): Promise<TeamSums> => {
  const { clock, database } = team.platform;
  const now = clock.now();
  const daysAgo = (count: number) => dayOf(later(now, -days(count)));
  const row = await reports.trainingSums(
    database,
    {
      tenantId: team.id,
      weeks: lastWeeks(now, weeksOfTrend),
      recentFrom: daysAgo(daysOfDelta - 1),
      earlierFrom: daysAgo(2 * daysOfDelta - 1),
      today: dayOf(now),
    },
    userId,
  );
  return TeamSums.parse(row);
};
