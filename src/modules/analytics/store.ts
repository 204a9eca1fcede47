import type { Database } from '../../db/database.ts';
import {
  bool,
  float,
  int,
  listOf,
  query,
  text,
  time,
  uuid,
  type ParametersOf,
  type Query,
  type RowOf,
} from '../../db/query.ts';

// Sums of trainings and evaluations, for active members only. They are added up when they are read.

// A training is listed while its user is an active member, so the statements need no join with the users. With such a
// join, PostgreSQL would misjudge the number of rows and look up each evaluation, instead of reading a team's at once.
interface SumsDeclaration<Parameters> {
  name: string;
  /** SQL: the condition of the trainings. */
  condition: string;
  /** SQL: whether the members' sums count a training. The sums of the intervals count all trainings that are read. */
  counts: string;
  parameters: Parameters;
}

const allMembers = {
  name: 'of all members',
  condition: 't.tenant_id = :tenantId and t.listed',
  counts: 'true',
  parameters: {},
} as const;
const oneMember = {
  name: 'of one member',
  condition: 't.tenant_id = :tenantId and t.user_id = :userId and t.listed',
  counts: 'true',
  parameters: { userId: uuid },
} as const;
// A range has a statement of its own. If one statement took both bounds as parameters, its plan would expect few
// trainings and look up the evaluation of each, which takes much longer for all trainings of a large team.
const allMembersInRange = {
  name: 'of all members in a range',
  condition: 't.tenant_id = :tenantId and t.listed and t.created_at < :before',
  counts: 't.created_at >= :from',
  parameters: { from: time, before: time },
} as const;

/** SQL: the training is scored, and did not start before the first of the intervals. */
const practisedWithin = `t.status = 'scored' and t.created_at >= (:starts::timestamptz[])[1]`;

/** SQL: the training has a total score, and did not start before the first of the intervals. */
const scoredWithin = `${practisedWithin} and e.total is not null`;

/**
 * SQL: the position of the interval in which the training started; -1 before the first one. The intervals begin at
 * times, because PostgreSQL would need long to convert the time of each training to a day.
 */
const interval = 'width_bucket(t.created_at, :starts::timestamptz[]) - 1';

const sumOf = (column: string) => `coalesce(sum(${column}), 0)::int`;

// The sum of a dimension has the name of the dimension, which is a value of `ScoreDimension`.
const dimensionSums = `${sumOf('closing')} as closing, ${sumOf('conversation_control')} as conversation_control,
          ${sumOf('needs_analysis')} as needs_analysis, ${sumOf('objection_handling')} as objection_handling,
          ${sumOf('value_argument')} as value_argument`;
const dimensionRow = {
  closing: int.checked,
  conversation_control: int.checked,
  needs_analysis: int.checked,
  objection_handling: int.checked,
  value_argument: int.checked,
} as const;

/** SQL: the sum and the number of total scores of a range of time. */
const totalsWithin = (range: string, sum: string, count: string) => `
          coalesce(sum(total) filter (where ${range}), 0)::int as ${sum},
          (count(total) filter (where ${range}))::int as "${count}"`;

// A training has an evaluation if and only if it is scored. The trainings of each status are read from an index of
// their own. The rows of members and of intervals are made in one pass, because reading the trainings costs the most.
const wholeSums = <const Own extends Query['parameters']>({
  name,
  condition,
  counts,
  parameters,
}: SumsDeclaration<Own>) =>
  query({
    name: `analytics.wholeSums ${name}`,
    why: 'adds up trainings within the database',
    sql: `with done as (
     select t.user_id, ${counts} as counts, t.created_at, ${interval} as at, true as is_scored, e.total, e.closing,
            e.conversation_control, e.needs_analysis, e.objection_handling, e.value_argument
       from training t join evaluation e on e.tenant_id = :tenantId and e.training_id = t.id
      where ${condition} and t.created_at >= :since and t.status = 'scored'
     union all
     select t.user_id, ${counts}, t.created_at, ${interval}, false, null, null, null, null, null, null
       from training t where ${condition} and t.created_at >= :since and t.status = 'ended')
   select user_id as "userId", counts, at, count(*)::int as sessions, (count(*) filter (where is_scored))::int as scored,
          ${sumOf('total')} as total, count(total)::int as totalled,
          ${dimensionSums},
          ${totalsWithin('created_at >= :recentFrom and created_at < :until', 'recent', 'recentCount')},
          ${totalsWithin('created_at >= :earlierFrom and created_at < :recentFrom', 'earlier', 'earlierCount')}
     from done group by grouping sets ((user_id, counts), (at))`,
    parameters: {
      tenantId: uuid,
      ...parameters,
      since: time,
      starts: listOf(time),
      recentFrom: time,
      earlierFrom: time,
      until: time,
    },
    row: {
      userId: uuid.orNull,
      counts: bool.orNull,
      at: int.orNull,
      sessions: int.checked,
      scored: int.checked,
      total: int.checked,
      totalled: int.checked,
      ...dimensionRow,
      recent: int.checked,
      recentCount: int.checked,
      earlier: int.checked,
      earlierCount: int.checked,
    },
  });

// `rest`: for each interval, the number of people in segments with too few people. The sums of these segments must not
// be shown. The shown segments must not reveal them either, as the difference to the whole.
const segmentSums = <const Own extends Query['parameters']>({ name, condition, parameters }: SumsDeclaration<Own>) =>
  query({
    name: `analytics.segmentSums ${name}`,
    why: 'adds up scores by interval and segment within the database',
    sql: `with score as materialized (
     select ${interval} as at, t.user_id, e.total,
            coalesce(case :segment::text when 'situation' then t.situation_id when 'personality' then t.personality_id
                                         when 'industry' then t.industry_id end::text, '') as item
       from training t join evaluation e on e.tenant_id = :tenantId and e.training_id = t.id
      where ${condition} and ${scoredWithin}
   ), of_user as materialized (
     select at, case :segment when 'member_role' then role::text else item end as segment, score.user_id,
            sum(total) as total, count(*) as n
       from score
       join member on member.tenant_id = :tenantId and member.user_id = score.user_id and member.status = 'active'
      group by 1, 2, 3
   ), cell as materialized (
     select at, segment, count(*) as people, sum(total) as total, sum(n) as n from of_user group by at, segment
   ), rest as (
     select at, count(distinct user_id) as people from of_user join cell using (at, segment)
      where cell.people < :fewestPeople::int group by at)
   select at, segment, cell.people::int as people, total::float8 as sum, n::float8 as count,
          coalesce(rest.people, 0)::int as rest
     from cell left join rest using (at)`,
    parameters: {
      tenantId: uuid,
      ...parameters,
      segment: text,
      starts: listOf(time),
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

// The pages of the app read the areas and the members at the same time, each in a statement of its own: PostgreSQL adds
// them up on two CPUs, and the pages that show no member get few rows.
const areaSums = <const Own extends Query['parameters']>({ name, condition, parameters }: SumsDeclaration<Own>) =>
  query({
    name: `analytics.areaSums ${name}`,
    why: 'adds up scores by interval within the database',
    sql: `select ${interval} as at, count(*)::int as scored, ${sumOf('total')} as total, count(total)::int as totalled,
            ${dimensionSums}
       from training t join evaluation e on e.tenant_id = :tenantId and e.training_id = t.id
      where ${condition} and ${practisedWithin} group by 1`,
    parameters: { tenantId: uuid, ...parameters, starts: listOf(time) },
    row: {
      at: int.checked,
      scored: int.checked,
      total: int.checked,
      totalled: int.checked,
      ...dimensionRow,
    },
  });

const memberParameters = { tenantId: uuid, starts: listOf(time), recentFrom: time, until: time } as const;

const memberScores = query({
  name: 'analytics.memberScores',
  why: 'adds up scores by member within the database',
  sql: `select user_id as "userId",${totalsWithin('created_at >= :recentFrom and created_at < :until', 'recent', 'recentCount')},
            ${totalsWithin('created_at < :recentFrom', 'earlier', 'earlierCount')}
       from (select t.user_id, t.created_at, e.total
               from training t join evaluation e on e.tenant_id = :tenantId and e.training_id = t.id
              where ${allMembers.condition} and ${scoredWithin}) as score
      group by user_id`,
  parameters: memberParameters,
  row: {
    userId: uuid,
    recent: int.checked,
    recentCount: int.checked,
    earlier: int.checked,
    earlierCount: int.checked,
  },
});

// Every scored training has an evaluation, and few of these are without a total score. To leave them out is much cheaper than to join
// all evaluations.
const scoredPeople = query({
  name: 'analytics.scoredPeople',
  why: 'counts the members with a score within the database',
  sql: `select (count(*) filter (where recent))::int as recent, (count(*) filter (where earlier))::int as earlier
          from (select bool_or(t.created_at >= :recentFrom and t.created_at < :until) as recent,
                       bool_or(t.created_at < :recentFrom) as earlier
                  from training t
                 where ${allMembers.condition} and ${practisedWithin}
                   and not exists (select from evaluation e
                                    where e.tenant_id = :tenantId and e.training_id = t.id and e.total is null)
                 group by t.user_id) as member`,
  parameters: memberParameters,
  row: { recent: int.checked, earlier: int.checked },
});

// The quartiles of the members, not of their trainings: a member who practises often does not count more than others.
const middleHalf = query({
  name: 'analytics.middleHalf',
  why: 'finds the quartiles within the database',
  sql: `with of_user as (
     select ${interval} as at, avg(e.total::float8) as mean
       from training t join evaluation e on e.tenant_id = :tenantId and e.training_id = t.id
      where ${allMembers.condition} and ${scoredWithin} group by 1, t.user_id)
   select at, round(percentile_cont(0.25) within group (order by mean))::int as low,
          round(percentile_cont(0.75) within group (order by mean))::int as high
     from of_user group by at having count(*) >= :fewestPeople::int`,
  parameters: { tenantId: uuid, starts: listOf(time), fewestPeople: int },
  row: { at: int.checked, low: int.checked, high: int.checked },
});

type Segment = 'member_role' | 'situation' | 'personality' | 'industry';

const sumsOf = <const Own extends Query['parameters']>(shown: SumsDeclaration<Own>) => ({
  whole: wholeSums(shown),
  areas: areaSums(shown),
  segments: segmentSums(shown),
});
const ofAll = sumsOf(allMembers);
const ofOne = sumsOf(oneMember);
const wholeInRange = wholeSums(allMembersInRange);

/** A member's total scores in the two times that are compared. */
export type MemberScores = RowOf<(typeof memberScores)['row']>;

type WholeRow = RowOf<(typeof wholeInRange)['row']>;

/**
 * The sums of each member who has trainings that count. The sums of the two compared times (`recent` and
 * `earlier`) also include trainings that do not count.
 */
const ofMembers = (rows: readonly WholeRow[]) => {
  const byUser = Map.groupBy(
    rows.filter(({ userId }) => userId !== null),
    ({ userId }) => userId ?? '',
  );
  return [...byUser].flatMap(([userId, own]) => {
    const counted = own.find(({ counts }) => counts);
    if (!counted) return [];
    const { counts: _counts, at: _at, ...member } = counted;
    for (const { recent, recentCount, earlier, earlierCount } of own.filter((row) => row !== counted)) {
      member.recent += recent;
      member.recentCount += recentCount;
      member.earlier += earlier;
      member.earlierCount += earlierCount;
    }
    return [{ ...member, userId }];
  });
};

const wholeOf = (rows: readonly WholeRow[]) => ({
  members: ofMembers(rows),
  intervals: rows.flatMap(({ at, ...sums }) => (at === null ? [] : [{ ...sums, at }])),
});

/** The parameters of a query, with the first days of the intervals. */
type WithDays<Parameters> = Omit<Parameters, 'starts'> & { starts: readonly string[] };

/** The intervals begin at midnight (UTC) of their first days. */
const withTimes = <Wanted extends { starts: readonly string[] }>({ starts, ...wanted }: Wanted) => ({
  ...wanted,
  starts: starts.map((day) => `${day}T00:00:00Z`),
});

/** The parameters for all active members, or for one user. */
type SumsParameters<Sum extends keyof typeof ofAll> = WithDays<ParametersOf<(typeof ofAll)[Sum]['parameters']>> & {
  userId: string | undefined;
};

type MemberParameters = WithDays<ParametersOf<typeof memberParameters>>;

export const sums = {
  activeMembers: ({ prisma }: Database, tenantId: string) =>
    prisma.member.count({ where: { tenantId, status: 'active' } }),

  /** The sums of each member with a training that ended, and the sums of each interval. */
  whole: async (database: Database, { userId, ...wanted }: SumsParameters<'whole'>) =>
    wholeOf(
      await (userId === undefined
        ? database.run(ofAll.whole, withTimes(wanted))
        : database.run(ofOne.whole, { ...withTimes(wanted), userId })),
    ),

  /** Like `whole`, for trainings that started before `before`. The members' sums count only those from `from` on. */
  wholeInRange: async (database: Database, wanted: WithDays<ParametersOf<(typeof wholeInRange)['parameters']>>) =>
    wholeOf(await database.run(wholeInRange, withTimes(wanted))),

  /** The sums of total scores and areas by interval. */
  byInterval: (database: Database, { userId, ...wanted }: SumsParameters<'areas'>) =>
    userId === undefined
      ? database.run(ofAll.areas, withTimes(wanted))
      : database.run(ofOne.areas, { ...withTimes(wanted), userId }),

  /** Each member's total scores in the intervals: those from `recentFrom` on, and those before it. */
  byMember: (database: Database, wanted: MemberParameters) => database.run(memberScores, withTimes(wanted)),

  /** How many members have a total score from `recentFrom` on, and how many have one before `recentFrom`. */
  scoredPeople: async (database: Database, wanted: MemberParameters) => {
    const [people] = await database.run(scoredPeople, withTimes(wanted));
    return people ?? { recent: 0, earlier: 0 };
  },

  /** By interval, the range of the mean scores of the middle half of the members; absent if too few have a score. */
  middleHalf: (database: Database, wanted: WithDays<ParametersOf<(typeof middleHalf)['parameters']>>) =>
    database.run(middleHalf, withTimes(wanted)),

  /** The sums of total scores by interval and segment. */
  bySegment: (database: Database, { userId, ...wanted }: SumsParameters<'segments'> & { segment: Segment }) =>
    userId === undefined
      ? database.run(ofAll.segments, withTimes(wanted))
      : database.run(ofOne.segments, { ...withTimes(wanted), userId }),
};
