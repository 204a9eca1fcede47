import { days, later } from '../../core/clock.ts';
import type { ScoreDimension } from '../../core/score-dimensions.ts';
import { statement } from '../../db/statement.ts';
import type { Team } from '../../platform/team.ts';
import { dayOf, lastWeeks } from './calendar.ts';
import type { Sum } from './mean.ts';

export const weeksOfTrend = 12;
const daysOfDelta = 30;

/** What an active member's trainings add up to. */
export interface MemberSums extends Record<ScoreDimension, number> {
  userId: string;
  sessions: number;
  scored: number;
  total: Sum;
  /** Totals of the last 30 days, today included, and of the 30 before. */
  recent: Sum;
  earlier: Sum;
}

/** Everything that the analytics of a team are worked out from, as it was at one moment. */
export interface TeamSums {
  activeMembers: number;
  /** Of each active member with an ended training: only then is anything counted of them. */
  members: MemberSums[];
  /** Totals of the last weeks, oldest first, the current one included. */
  weeks: Sum[];
}

const sumOf = (day: string) =>
  `json_build_object('sum', coalesce(sum(total) filter (where ${day}), 0), 'count', coalesce(sum(totalled) filter (where ${day}), 0))`;

type Values = [
  tenantId: string,
  weeks: string[],
  recentFrom: string,
  earlierFrom: string,
  today: string,
  ...user: string[],
];

// One statement, so that all of it is of one moment. The sums are kept per user whoever is a member: only those of active
// members are added up, over the weeks asked for.
const sumsOf = (whose: string) =>
  statement<TeamSums, Values>(
    `with person as materialized (
     select user_id from member where tenant_id = $1 and status = 'active' and status <> 'ended' ${whose}
   ), day as materialized (
     select user_id, week, week + n - 1 as day, total[n] as total, totalled[n] as totalled
       from person join training_week using (user_id) cross join generate_series(1, 7) as n
      where tenant_id = $1 and week = any ($2::date[]) and totalled[n] > 0
   ), lately as (
     select user_id, ${sumOf(`day between $3::date and $5::date`)} as recent,
            ${sumOf(`day >= $4::date and day < $3::date`)} as earlier
       from day group by user_id
   )
   select (select count(*)::integer from person) as "activeMembers",
          (select coalesce(json_agg(json_build_object(
                    'userId', user_id, 'sessions', sessions, 'scored', scored, 'total', json_build_object('sum', total, 'count', totalled),
                    'closing', closing, 'conversation_control', conversation_control, 'needs_analysis', needs_analysis,
                    'objection_handling', objection_handling, 'value_argument', value_argument,
                    'recent', coalesce(recent, none), 'earlier', coalesce(earlier, none))), '[]')
             from person join training_totals using (user_id) left join lately using (user_id)
                  cross join json_build_object('sum', 0, 'count', 0) as none
            where tenant_id = $1) as members,
          (select json_agg(totals order by week)
             from (select week, ${sumOf('true')} as totals
                     from unnest($2::date[]) as week left join day using (week) group by week) as weekly) as weeks`,
  );

const ofTeam = sumsOf('');
const ofUser = sumsOf('and user_id = $6');

/** The sums that analytics are made of, as they are now: the team's, or what one active member's come to alone. */
export const readSums = async (team: Team, userId?: string): Promise<TeamSums> => {
  const { clock, database } = team.platform;
  const now = clock.now();
  const daysAgo = (count: number) => dayOf(later(now, -days(count)));
  const values = [
    team.id,
    lastWeeks(now, weeksOfTrend),
    daysAgo(daysOfDelta - 1),
    daysAgo(2 * daysOfDelta - 1),
    dayOf(now),
  ] as const;
  const [sums] = await (userId === undefined
    ? database.rows(ofTeam, ...values)
    : database.rows(ofUser, ...values, userId));
  if (!sums) throw new Error('a statement without a condition gave no row');
  return sums;
};
