import type { Database } from '../../db/database.ts';
import { day, float, int, listOf, query, text, uuid } from '../../db/query.ts';
import type { ParametersOf } from '../../db/query.ts';

// Sums of trainings and evaluations, for active members only. They are added up when they are read.

/** SQL: the active members, or one of them. */
const activePeople = `select user_id, role from member
      where tenant_id = :tenantId and status = 'active' and (:userId::uuid is null or user_id = :userId)`;

// With an array of users PostgreSQL expects many rows and reads the evaluations at once; with a join it would look up each of them.
const theirs = `t.tenant_id = :tenantId and t.user_id = any (array(select user_id from active_member)) and t.listed`;

const ofUser = { tenantId: uuid, userId: uuid.orNull } as const;

const sumOf = (column: string) => `coalesce(sum(${column}), 0)::int`;

const memberSums = query({
  name: 'analytics.memberSums',
  why: 'adds up the trainings of all active members within the database',
  sql: `with active_member as materialized (${activePeople}
   ), done as (
     select t.user_id, e.*, e.training_id is not null as is_scored, (t.created_at at time zone 'UTC')::date as day
       from training t left join evaluation e on e.tenant_id = :tenantId and e.training_id = t.id
      where ${theirs} and t.status in ('ended', 'scored'))
   select user_id as "userId", count(*)::int as sessions, (count(*) filter (where is_scored))::int as scored,
          ${sumOf('total')} as total, count(total)::int as totalled,
          ${sumOf('closing')} as closing, ${sumOf('conversation_control')} as conversation_control,
          ${sumOf('needs_analysis')} as needs_analysis, ${sumOf('objection_handling')} as objection_handling,
          ${sumOf('value_argument')} as value_argument,
          coalesce(sum(total) filter (where day between :recentFrom and :today), 0)::int as recent,
          (count(total) filter (where day between :recentFrom and :today))::int as "recentCount",
          coalesce(sum(total) filter (where day >= :earlierFrom and day < :recentFrom), 0)::int as earlier,
          (count(total) filter (where day >= :earlierFrom and day < :recentFrom))::int as "earlierCount"
     from done group by user_id`,
  parameters: { ...ofUser, recentFrom: day, earlierFrom: day, today: day },
  row: {
    userId: uuid,
    sessions: int.checked,
    scored: int.checked,
    total: int.checked,
    totalled: int.checked,
    closing: int.checked,
    conversation_control: int.checked,
    needs_analysis: int.checked,
    objection_handling: int.checked,
    value_argument: int.checked,
    recent: int.checked,
    recentCount: int.checked,
    earlier: int.checked,
    earlierCount: int.checked,
  },
});

// `rest`: of each interval, the people in segments with too few people. The sums of these segments must not be shown, and neither may their
// difference to the whole be the sum of too few.
const scoreTrend = query({
  name: 'analytics.scoreTrend',
  why: 'adds up scores of all active members by interval and segment within the database',
  sql: `with active_member as materialized (${activePeople}
   ), score as materialized (
     select width_bucket((t.created_at at time zone 'UTC')::date, :starts::date[]) - 1 as at, t.user_id, e.total,
            coalesce(case :segment::text when 'situation' then t.situation_id when 'personality' then t.personality_id
                                         when 'industry' then t.industry_id end::text, '') as item
       from training t join evaluation e on e.tenant_id = :tenantId and e.training_id = t.id
      where ${theirs} and t.status = 'scored' and e.total is not null
        and t.created_at >= (:starts::date[])[1]::timestamp at time zone 'UTC'
   ), of_user as materialized (
     select at, case :segment when 'member_role' then role::text else item end as segment, user_id, sum(total) as total, count(*) as n
       from score join active_member using (user_id) group by 1, 2, 3
   ), cell as materialized (
     select at, segment, count(*) as people, sum(total) as total, sum(n) as n from of_user group by at, segment
   ), rest as (
     select at, count(distinct user_id) as people from of_user join cell using (at, segment)
      where cell.people < :fewestPeople::int group by at)
   select at, segment, cell.people::int as people, total::float8 as sum, n::float8 as count, coalesce(rest.people, 0)::int as rest
     from cell left join rest using (at)`,
  parameters: { ...ofUser, segment: text, starts: listOf(day), fewestPeople: int },
  row: {
    at: int.checked,
    segment: text.checked,
    people: int.checked,
    sum: float.checked,
    count: float.checked,
    rest: int.checked,
  },
});

type TrendSegment = 'none' | 'member_role' | 'situation' | 'personality' | 'industry';

export const sums = {
  /** The sums of each active member with a training that ended, or of one. */
  ofMembers: (database: Database, wanted: ParametersOf<typeof memberSums.parameters>) =>
    database.run(memberSums, wanted),

  /** The sums of total scores by interval and segment: of all active members, or of one user. */
  trend: (database: Database, wanted: ParametersOf<typeof scoreTrend.parameters> & { segment: TrendSegment }) =>
    database.run(scoreTrend, wanted),
};
