import { runIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { day, float, int, json, listOf, query, text, uuid } from '../../db/query.ts';
import type { ParametersOf } from '../../db/query.ts';
import { teamTable } from '../../platform/team-table.ts';

// The tables `training_totals` and `training_week`: sums of trainings and evaluations. They are read for active members only.

/** SQL: the active members, or one of them. */
const activePeople = `select user_id, role from member
      where tenant_id = :tenantId and status = 'active' and status <> 'ended' and (:userId::uuid is null or user_id = :userId)`;

const sumOf = (which: string) =>
  `json_build_object('sum', coalesce(sum(total) filter (where ${which}), 0), 'count', coalesce(sum(totalled) filter (where ${which}), 0))`;

// One statement, so that all numbers are of one moment. The sums of former members are stored as well, but only those of active members are
// added up, over the wanted weeks.
const trainingSums = query({
  name: 'analytics.trainingSums',
  why: 'adds up the weeks of all active members within the database, of one moment',
  sql: `with active_member as materialized (${activePeople}
   ), day as materialized (
     select user_id, week, week + n - 1 as day, total[n] as total, totalled[n] as totalled
       from active_member join training_week using (user_id) cross join generate_series(1, 7) as n
      where tenant_id = :tenantId and week = any (:weeks::date[]) and totalled[n] > 0
   ), lately as (
     select user_id, ${sumOf(`day between :recentFrom::date and :today::date`)} as recent,
            ${sumOf(`day >= :earlierFrom::date and day < :recentFrom::date`)} as earlier
       from day group by user_id
   )
   select (select count(*)::integer from active_member) as "activeMembers",
          (select coalesce(json_agg(json_build_object(
                    'userId', user_id, 'sessions', sessions, 'scored', scored, 'total', json_build_object('sum', total, 'count', totalled),
                    'closing', closing, 'conversation_control', conversation_control, 'needs_analysis', needs_analysis,
                    'objection_handling', objection_handling, 'value_argument', value_argument,
                    'recent', coalesce(recent, none), 'earlier', coalesce(earlier, none))), '[]')
             from active_member join training_totals using (user_id) left join lately using (user_id)
                  cross join json_build_object('sum', 0, 'count', 0) as none
            where tenant_id = :tenantId) as members,
          (select json_agg(totals order by week)
             from (select week, ${sumOf('true')} as totals
                     from unnest(:weeks::date[]) as week left join day using (week) group by week) as weekly) as weeks`,
  parameters: {
    tenantId: uuid,
    userId: uuid.orNull,
    weeks: listOf(day),
    recentFrom: day,
    earlierFrom: day,
    today: day,
  },
  row: { activeMembers: int.checked, members: json.checked, weeks: json.checked },
});

const dailyScores = `
  select week + n - 1 as day, case :segment::text when 'member_role' then role::text else '' end as segment, user_id,
         total[n] as total, totalled[n] as n
    from active_member join training_week using (user_id) cross join generate_series(1, 7) as n
   where tenant_id = :tenantId and week >= :firstWeek::date and totalled[n] > 0`;

// With an array of users PostgreSQL expects many rows and reads the evaluations at once; with a join it would look up each of them.
const singleScores = `
  select (t.created_at at time zone 'UTC')::date as day, t.user_id, e.total, 1 as n,
         coalesce(case :segment::text when 'situation' then t.situation_id when 'personality' then t.personality_id
                                      else t.industry_id end::text, '') as segment
    from training t join evaluation e on e.tenant_id = :tenantId and e.training_id = t.id
   where t.tenant_id = :tenantId and t.user_id = any (array(select user_id from active_member)) and t.listed = any ('{true,false}')
     and t.status = 'scored' and t.created_at >= :firstWeek::date at time zone 'UTC' and e.total is not null`;

// `rest`: of each interval, the people in segments with too few people. The sums of these segments must not be shown, and neither may their
// difference to the whole be the sum of too few.
const scoreTrend = (source: string, scores: string) =>
  query({
    name: `analytics.scoreTrend ${source}`,
    why: 'adds up scores of all active members by interval and segment within the database',
    sql: `with active_member as materialized (${activePeople}
   ), score as (${scores}
   ), of_user as materialized (
     select width_bucket(day, :starts::date[]) - 1 as at, segment, user_id, sum(total) as total, sum(n) as n
       from score where day >= (:starts::date[])[1] group by 1, 2, 3
   ), cell as materialized (
     select at, segment, count(*) as people, sum(total) as total, sum(n) as n from of_user group by at, segment
   ), rest as (
     select at, count(distinct user_id) as people from of_user join cell using (at, segment)
      where cell.people < :fewestPeople::int group by at)
   select at, segment, cell.people::int as people, total::float8 as sum, n::float8 as count, coalesce(rest.people, 0)::int as rest
     from cell left join rest using (at)`,
    parameters: {
      tenantId: uuid,
      userId: uuid.orNull,
      segment: text,
      starts: listOf(day),
      firstWeek: day,
      fewestPeople: int,
    },
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

/** The sums by day have no catalog items: these come from the scored trainings, which the index of each user finds. */
const trendOfDays = scoreTrend('days', dailyScores);
const trendOfTrainings = scoreTrend('trainings', singleScores);

/** SQL: an array with the value of an aggregate for each day of the week, Monday first. */
const eachDay = (aggregate: string): string => {
  const sums = [1, 2, 3, 4, 5, 6, 7].map((of) => `coalesce(${aggregate} filter (where day = ${of}), 0)`);
  return `array[${sums.join(', ')}]`;
};

const recountWhy = 'adds up all trainings of a team within the database';

const recountTotals = query({
  name: 'analytics.recountTotals',
  why: recountWhy,
  sql: `insert into training_totals (tenant_id, user_id, sessions, scored, totalled, total,
                                     closing, conversation_control, needs_analysis, objection_handling, value_argument)
        select training.tenant_id, user_id, count(*), count(training_id), count(total), coalesce(sum(total), 0),
               coalesce(sum(closing), 0), coalesce(sum(conversation_control), 0), coalesce(sum(needs_analysis), 0),
               coalesce(sum(objection_handling), 0), coalesce(sum(value_argument), 0)
          from training left join evaluation on evaluation.tenant_id = training.tenant_id and training_id = training.id
         where training.tenant_id = :tenantId and status in ('ended', 'scored')
         group by training.tenant_id, user_id`,
  parameters: { tenantId: uuid },
  row: {},
});

// In the order of the weeks, as if counted one by one, so that a read of some weeks reads few pages.
const recountWeeks = query({
  name: 'analytics.recountWeeks',
  why: recountWhy,
  sql: `insert into training_week (tenant_id, week, user_id, total, totalled)
        select tenant_id, week, user_id, ${eachDay('sum(total)')}, ${eachDay('count(total)')}
          from (select training.tenant_id, user_id, total, date_trunc('week', started)::date as week,
                       extract(isodow from started) as day
                  from training join evaluation on evaluation.tenant_id = training.tenant_id and training_id = training.id
                       cross join lateral (select training.created_at at time zone 'UTC' as started) as utc
                 where training.tenant_id = :tenantId) as scored
         group by tenant_id, week, user_id
         order by week, user_id`,
  parameters: { tenantId: uuid },
  row: {},
});

type UserKey = { tenantId: string; userId: string };

interface AddedToWeek {
  week: string;
  /** 1 is Monday. */
  day: number;
  total: number;
  totalled: number;
}

const noDays = [0, 0, 0, 0, 0, 0, 0];

export const sums = {
  /** Prisma writes this as one `INSERT … ON CONFLICT`, so two that count at once lose nothing. */
  addSession: (tx: Tx, key: UserKey) =>
    tx.trainingTotals.upsert({
      where: { tenantId_userId: key },
      create: { ...key, sessions: 1 },
      update: { sessions: { increment: 1 } },
    }),

  /** Changes a user's sums; false if the user has no row. */
  change: async (tx: Tx, key: UserKey, data: Prisma.TrainingTotalsUpdateManyMutationInput): Promise<boolean> =>
    (await tx.trainingTotals.updateMany({ where: key, data })).count > 0,

  /**
   * Adds to a day of a user's week. Call it after `change`, which locks the user's row of totals. A week has a row as soon as a training of
   * it is scored, even without a total.
   */
  addToWeek: async (tx: Tx, key: UserKey, { week, day, total, totalled }: AddedToWeek) => {
    const where = { tenantId_week_userId: { ...key, week: new Date(week) } };
    const known = await tx.trainingWeek.findUnique({ where });
    const withAdded = (days: readonly number[] = noDays, added: number) =>
      days.map((sum, index) => (index + 1 === day ? sum + added : sum));
    const sums = { total: withAdded(known?.total, total), totalled: withAdded(known?.totalled, totalled) };
    await tx.trainingWeek.upsert({
      where,
      create: { ...where.tenantId_week_userId, ...sums },
      update: sums,
    });
  },

  /** Computes all sums of a team again. */
  recount: async (tx: Tx, tenantId: string) => {
    await tx.trainingTotals.deleteMany({ where: { tenantId } });
    await tx.trainingWeek.deleteMany({ where: { tenantId } });
    await runIn(tx, recountTotals, { tenantId });
    await runIn(tx, recountWeeks, { tenantId });
  },

  /** The sums of the trainings of all active members, or of one user, as JSON. */
  ofTeam: async (database: Database, wanted: ParametersOf<typeof trainingSums.parameters>) =>
    (await database.run(trainingSums, wanted))[0],

  /** The sums of total scores by interval and segment: of all active members, or of one user. */
  trend: (database: Database, wanted: ParametersOf<typeof trendOfDays.parameters> & { segment: TrendSegment }) =>
    database.run(
      wanted.segment === 'none' || wanted.segment === 'member_role' ? trendOfDays : trendOfTrainings,
      wanted,
    ),
};

/** The sums, as the team's export has them. */
export const totalsData = teamTable({
  module: 'analytics',
  rows: 'from training_totals',
  file: 'training_totals.json',
  key: { user_id: 'uuid' },
  values: [
    'user_id',
    'sessions',
    'scored',
    'totalled',
    'total',
    'closing',
    'conversation_control',
    'needs_analysis',
    'objection_handling',
    'value_argument',
  ],
});

export const weekData = teamTable({
  module: 'analytics',
  rows: 'from training_week',
  file: 'training_weeks.json',
  key: { week: 'date', user_id: 'uuid' },
  values: ['week', 'user_id', 'total', 'totalled'],
});

/** Deletes the sums of a user. */
export const removeSums = async (tx: Tx, key: UserKey): Promise<number> => {
  const totals = await tx.trainingTotals.deleteMany({ where: key });
  const weeks = await tx.trainingWeek.deleteMany({ where: key });
  return totals.count + weeks.count;
};
