import { limits } from '../../core/limits.ts';
import { runIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import { Language, Plan, Role, TeamStatus } from '../../db/generated/enums.ts';
import { bool, day, float, int, json, listOf, oneOf, query, text, time, uuid } from '../../db/query.ts';
import type { ParametersOf } from '../../db/query.ts';
import { apiIsOnSql } from '../teams/plan.ts';

// Reports: reads that join tables of several modules, each in one statement. Nothing is written here.

// One statement, so that all counts are of one moment. A score counts for the week in which its session started.
const teamCounts = query({
  name: 'reporting.teamCounts',
  why: 'counts over seven tables, of one moment; Prisma needs a statement for each count',
  sql: `with this_week as materialized (select date_trunc('week', :now::timestamptz at time zone 'UTC')::date as monday),
   scored as materialized (
     select week, sum(scores)::integer as scores
       from this_week, member join training_week using (tenant_id, user_id)
            cross join lateral (select sum(n) as scores from unnest(totalled) as n) as days
      where tenant_id = :tenantId and status = 'active' and status <> 'ended' and week in (monday, monday - 7)
      group by week)
   select keys_active, key_last_used_at, endpoints_active, endpoints_disabled, endpoints_paused,
          invitations_open, invitations_ending, invitations_ending_at, invitations_expired, mails_failed, seats,
          (select count(*)::integer from member where tenant_id = :tenantId and status <> 'ended') as taken,
          assignments_open, assignments_overdue,
          coalesce((select scores from scored where week = monday), 0) as this_week,
          coalesce((select scores from scored where week = monday - 7), 0) as last_week
     from this_week cross join team cross join (
            select count(*) filter (where revoked_at is null and (expires_at is null or expires_at > :now))::integer as keys_active,
                   max(last_used_at) as key_last_used_at
              from api_key where tenant_id = :tenantId) as keys
          cross join (
            select count(*) filter (where status = 'active')::integer as endpoints_active,
                   count(*) filter (where status = 'disabled')::integer as endpoints_disabled,
                   count(*) filter (where status = 'disabled_failures')::integer as endpoints_paused
              from webhook_endpoint where tenant_id = :tenantId) as endpoints
          cross join (
            select count(*) filter (where expires_at > :now)::integer as invitations_open,
                   count(*) filter (where expires_at > :now and expires_at <= :invitationsUntil)::integer as invitations_ending,
                   min(expires_at) filter (where expires_at > :now and expires_at <= :invitationsUntil) as invitations_ending_at,
                   count(*) filter (where expires_at <= :now)::integer as invitations_expired
              from invitation where tenant_id = :tenantId) as invitations
          cross join (
            select count(*)::integer as mails_failed
              from mail where tenant_id = :tenantId and created_at > :mailsSince and sent_at is null and error is not null) as mails
          cross join (
            select count(*)::integer as assignments_open,
                   count(*) filter (where due_date < (:now at time zone 'UTC')::date)::integer as assignments_overdue
              from assignment
             where tenant_id = :tenantId and status in ('open', 'in_progress')
               and (changed_since_removal
                    or member_id <> all (array(select member_id from pending_revocation where tenant_id = :tenantId)))) as assignments
    where team.id = :tenantId`,
  parameters: { tenantId: uuid, now: time, invitationsUntil: time, mailsSince: time },
  row: {
    keys_active: int.checked,
    key_last_used_at: time.orNull,
    endpoints_active: int.checked,
    endpoints_disabled: int.checked,
    endpoints_paused: int.checked,
    invitations_open: int.checked,
    invitations_ending: int.checked,
    invitations_ending_at: time.orNull,
    invitations_expired: int.checked,
    mails_failed: int.checked,
    seats: int,
    taken: int.checked,
    assignments_open: int.checked,
    assignments_overdue: int.checked,
    this_week: int.checked,
    last_week: int.checked,
  },
});

// Read key by key, because the last days of one key are stored together.
const requestsByDay = query({
  name: 'reporting.requestsByDay',
  why: 'walks the index of each key of the team; grouped by Prisma it reads all days of the team',
  sql: `select day::text as day, sum(requests)::float8 as requests, sum(limited)::float8 as limited,
               sum(refused)::float8 as refused, sum(failed)::float8 as failed
          from api_key cross join lateral (
            select day, requests, limited, refused, failed from api_key_day
             where api_key_day.tenant_id = :tenantId and key_id = api_key.id and day >= :first::date) as days
         where tenant_id = :tenantId
         group by day`,
  parameters: { tenantId: uuid, first: day },
  row: {
    day: text.checked,
    requests: float.checked,
    limited: float.checked,
    refused: float.checked,
    failed: float.checked,
  },
});

const teamsFound = query({
  name: 'reporting.teamsFound',
  why: 'searches three tables, by text within a name and by an id as text',
  sql: `select id from team
         where name ilike :like or id::text = :text
            or id in (select tenant_id from member where email ilike :emailLike or id::text = :text)
            or id in (select tenant_id from api_key where prefix = :text or id::text = :text)
         order by created_at, id
         limit 100`,
  parameters: { text, like: text, emailLike: text },
  row: { id: uuid },
});

const sumOf = (which: string) =>
  `json_build_object('sum', coalesce(sum(total) filter (where ${which}), 0), 'count', coalesce(sum(totalled) filter (where ${which}), 0))`;

// One statement, so that all numbers are of one moment. The sums of former members are stored as well, but only those of active members are
// added up, over the wanted weeks.
const trainingSumsSql = (whose: string): string =>
  `with person as materialized (
     select user_id from member where tenant_id = :tenantId and status = 'active' and status <> 'ended' ${whose}
   ), day as materialized (
     select user_id, week, week + n - 1 as day, total[n] as total, totalled[n] as totalled
       from person join training_week using (user_id) cross join generate_series(1, 7) as n
      where tenant_id = :tenantId and week = any (:weeks::date[]) and totalled[n] > 0
   ), lately as (
     select user_id, ${sumOf(`day between :recentFrom::date and :today::date`)} as recent,
            ${sumOf(`day >= :earlierFrom::date and day < :recentFrom::date`)} as earlier
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
            where tenant_id = :tenantId) as members,
          (select json_agg(totals order by week)
             from (select week, ${sumOf('true')} as totals
                     from unnest(:weeks::date[]) as week left join day using (week) group by week) as weekly) as weeks`;

const sumsParameters = { tenantId: uuid, weeks: listOf(day), recentFrom: day, earlierFrom: day, today: day } as const;
const sumsRow = { activeMembers: int.checked, members: json.checked, weeks: json.checked } as const;
const sumsWhy = 'adds up the weeks of all active members within the database, of one moment';

const trainingSums = query({
  name: 'reporting.trainingSums',
  why: sumsWhy,
  sql: trainingSumsSql(''),
  parameters: sumsParameters,
  row: sumsRow,
});

const trainingSumsOfUser = query({
  name: 'reporting.trainingSumsOfUser',
  why: sumsWhy,
  sql: trainingSumsSql('and user_id = :userId'),
  parameters: { ...sumsParameters, userId: uuid },
  row: sumsRow,
});

/**
 * Where the segments of a trend come from: the sums by week, or the scored trainings, which the index of each user finds. Each row is a
 * score or a sum of scores of one day.
 */
const segmentSources = {
  none: '',
  member_role: '',
  situation: 'situation_id',
  personality: 'personality_id',
  industry: 'industry_id',
} as const;
type TrendSegment = keyof typeof segmentSources;

const dailyScores = (segment: 'none' | 'member_role'): string =>
  `select week + n - 1 as day, ${segment === 'none' ? `''` : 'role::text'} as segment, user_id, total[n] as total, totalled[n] as n
     from person join training_week using (user_id) cross join generate_series(1, 7) as n
    where tenant_id = :tenantId and week >= :firstWeek::date and totalled[n] > 0`;

// With an array of users PostgreSQL expects many rows and reads the evaluations at once; with a join it would look up each of them.
const singleScores = (column: string): string =>
  `select (t.created_at at time zone 'UTC')::date as day, coalesce(t.${column}::text, '') as segment, t.user_id, e.total, 1 as n
     from training t join evaluation e on e.tenant_id = :tenantId and e.training_id = t.id
    where t.tenant_id = :tenantId and t.user_id = any (array(select user_id from person)) and t.listed = any ('{true,false}')
      and t.status = 'scored' and t.created_at >= :firstWeek::date at time zone 'UTC' and e.total is not null`;

// `rest`: of each interval, the people in segments with too few people. The sums of these segments must not be shown, and neither may their
// difference to the whole be the sum of too few.
const scoreTrendOf = (segment: TrendSegment, whose: '' | 'and user_id = :userId') => {
  const source = segmentSources[segment];
  return {
    name: `reporting.scoreTrend ${segment}${whose === '' ? '' : ' of one user'}`,
    why: 'adds up scores of all active members by interval and segment within the database',
    sql: `with person as materialized (
     select user_id, role from member where tenant_id = :tenantId and status = 'active' and status <> 'ended' ${whose}
   ), score as (
     ${segment === 'none' || segment === 'member_role' ? dailyScores(segment) : singleScores(source)}
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
    row: {
      at: int.checked,
      segment: text.checked,
      people: int.checked,
      sum: float.checked,
      count: float.checked,
      rest: int.checked,
    },
  };
};

const trendParameters = { tenantId: uuid, starts: listOf(day), firstWeek: day, fewestPeople: int } as const;

const teamTrend = (segment: TrendSegment) => query({ ...scoreTrendOf(segment, ''), parameters: trendParameters });
const ownTrend = (segment: TrendSegment) =>
  query({ ...scoreTrendOf(segment, 'and user_id = :userId'), parameters: { ...trendParameters, userId: uuid } });

const trends = {
  none: { team: teamTrend('none'), own: ownTrend('none') },
  member_role: { team: teamTrend('member_role'), own: ownTrend('member_role') },
  situation: { team: teamTrend('situation'), own: ownTrend('situation') },
  personality: { team: teamTrend('personality'), own: ownTrend('personality') },
  industry: { team: teamTrend('industry'), own: ownTrend('industry') },
} as const;

const namesOfActive = query({
  name: 'reporting.namesOfActive',
  why: 'joins three tables, and makes a name of an email where there is none',
  sql: `select u.id as user_id, coalesce(nullif(btrim(p.name), ''), regexp_replace(m.email, '@[^@]*$', '')) as name
          from member m
          join team_user u on u.tenant_id = m.tenant_id and u.id = m.user_id
          join person p on p.id = u.person_id
         where m.tenant_id = :tenantId and m.user_id = any (:userIds::uuid[]) and m.status = 'active' and m.status <> 'ended'`,
  parameters: { tenantId: uuid, userIds: listOf(uuid) },
  row: { user_id: uuid, name: text.checked },
});

// For a person with several memberships this takes the present one, or else the last.
const peopleOf = query({
  name: 'reporting.peopleOf',
  why: 'joins three tables, and picks one membership of several',
  sql: `select u.id as user_id, case when m.status <> 'ended' then m.id end as member_id, p.name, m.email
          from team_user u
          join person p on p.id = u.person_id
          left join lateral (
            select id, status, email from member where tenant_id = :tenantId and user_id = u.id
             order by (status = 'ended'), listed_at desc limit 1) as m on true
         where u.tenant_id = :tenantId and u.id = any (:userIds::uuid[])`,
  parameters: { tenantId: uuid, userIds: listOf(uuid) },
  row: { user_id: uuid, member_id: uuid.orNull, name: text.orNull, email: text.orNull },
});

// Only active members: before accepting the invitation a person gets no other mail.
const readersOf = query({
  name: 'reporting.readersOf',
  why: 'joins four tables for the language that each member reads',
  sql: `select m.id, m.email, coalesce(p.language, team.language) as language, team.name as team_name
          from member m
          join team on team.id = m.tenant_id
          left join team_user u on u.tenant_id = m.tenant_id and u.id = m.user_id
          left join person p on p.id = u.person_id
         where m.tenant_id = :tenantId and m.id = any (:memberIds::uuid[]) and m.status = 'active'`,
  parameters: { tenantId: uuid, memberIds: listOf(uuid) },
  row: { id: uuid, email: text, language: oneOf('language', Language).checked, team_name: text },
});

const teamsOfPerson = query({
  name: 'reporting.teamsOfPerson',
  why: 'joins three tables on every call of the app, in one round trip',
  sql: `select team.id as "tenantId", team.name, team.status, team.plan, team.ended_at as "endedAt",
               team.deletion_started_at is not null as "isBeingDeleted",
               team.rate_limit_per_min as "rateLimitPerMin",
               team.member_detail_enabled as "memberDetail", team.leaderboard_enabled as leaderboard,
               member.id as "memberId", team_user.id as "userId", member.role, member.rights
          from team_user
          join member on member.tenant_id = team_user.tenant_id and member.user_id = team_user.id and member.status = 'active'
          join team on team.id = team_user.tenant_id
         where team_user.person_id = :personId
         order by team.name, team.id`,
  parameters: { personId: uuid },
  row: {
    tenantId: uuid,
    name: text,
    status: oneOf('team_status', TeamStatus),
    plan: oneOf('plan', Plan),
    endedAt: time.orNull,
    isBeingDeleted: bool.checked,
    rateLimitPerMin: int,
    memberDetail: bool,
    leaderboard: bool,
    memberId: uuid,
    userId: uuid,
    role: oneOf('role', Role),
    rights: listOf(text),
  },
});

/** The name of a thing. If it is the same in both languages, only `de` is set. */
const nameRow = { id: uuid, de: text.orNull, en: text.orNull } as const;

/** The present names of actors and targets in the audit log, for one type at a time. */
const naming = (kind: string, sql: string) =>
  query({
    name: `reporting.namesOf ${kind}`,
    why: 'the names that the audit log shows, from the tables of nine modules, each cut to its beginning',
    sql,
    parameters: { tenantId: uuid, ids: listOf(uuid) },
    row: nameRow,
  });

/** Old titles may be longer than the present limit. */
const longestName = limits.titleCharacters;

const namings = new Map(
  Object.entries({
    key: naming(
      'key',
      `select id, name as de, null::text as en from api_key where tenant_id = :tenantId and id = any (:ids::uuid[])`,
    ),
    // A user without a name is shown by the last address in this team. The account may have another address by now.
    person: naming(
      'person',
      `select u.id, null::text as en,
              coalesce(p.name, (select m.email from member m where m.tenant_id = u.tenant_id and m.user_id = u.id
                                 order by m.listed_at desc limit 1)) as de
         from team_user u join person p on p.id = u.person_id
        where u.tenant_id = :tenantId and u.id = any (:ids::uuid[])`,
    ),
    member: naming(
      'member',
      `select m.id, null::text as en, coalesce(p.name, m.email) as de
         from member m
         left join team_user u on u.tenant_id = m.tenant_id and u.id = m.user_id
         left join person p on p.id = u.person_id
        where m.tenant_id = :tenantId and m.id = any (:ids::uuid[])`,
    ),
    team: naming(
      'team',
      `select id, name as de, null::text as en from team where id = :tenantId and id = any (:ids::uuid[])`,
    ),
    assignment: naming(
      'assignment',
      `select id, left(title, ${longestName}) as de, null::text as en
         from assignment where tenant_id = :tenantId and id = any (:ids::uuid[])`,
    ),
    // The title of a private case is not shown.
    case: naming(
      'case',
      `select id, left(title, ${longestName}) as de, null::text as en
         from "case" where tenant_id = :tenantId and id = any (:ids::uuid[]) and not private`,
    ),
    catalog_item: naming(
      'catalog_item',
      `select id, name_de as de, name_en as en from catalog_item
        where id = any (:ids::uuid[]) and (tenant_id is null or tenant_id = :tenantId)`,
    ),
    crm_connection: naming(
      'crm_connection',
      `select id, coalesce(label, provider) as de, null::text as en
         from crm_connection where tenant_id = :tenantId and id = any (:ids::uuid[])`,
    ),
    webhook_endpoint: naming(
      'webhook_endpoint',
      `select id, url as de, null::text as en
         from webhook_endpoint where tenant_id = :tenantId and id = any (:ids::uuid[])`,
    ),
  }),
);

/** The number of a key's newest requests that are read for its routes. */
const requestsOfKey = 50_000;

const teamsToNotify = query({
  name: 'reporting.teamsToNotify',
  why: 'checks for rows in two tables, one of them without a row in a third',
  sql: `select t.id
          from team t
         where t.id > :after and ${apiIsOnSql('t')}
           and exists (select from api_key k
                        where k.tenant_id = t.id and k.revoked_at is null
                          and (k.expires_at is null or k.expires_at > :now))
           and exists (select from member m
                        where m.tenant_id = t.id and m.status = 'active' and m.role in ('owner', 'admin')
                          and not exists (select from version_notice n
                                           where n.tenant_id = m.tenant_id and n.user_id = m.user_id and n.version = :version))
         order by t.id
         limit 100`,
  parameters: { after: uuid, now: time, version: text },
  row: { id: uuid },
});

// Routes of later versions begin with the version.
const activeKeys = query({
  name: 'reporting.activeKeys',
  why: 'collects the routes of the newest requests of each key',
  sql: `select k.name, k.prefix, k.last_used_at, coalesce(seen.routes, '{}') as routes
          from api_key k
         cross join lateral (
           select array_agg(distinct method || ' ' || route) filter (where route is not null and route !~ '^/v[0-9]+/') as routes
             from (select method, route from request_log_entry e
                    where e.tenant_id = k.tenant_id and e.key_id = k.id
                    order by e.id desc limit ${requestsOfKey}) as newest) as seen
         where k.tenant_id = :tenantId and k.revoked_at is null
           and (k.expires_at is null or k.expires_at > :now)
         order by k.last_used_at desc nulls last, k.id`,
  parameters: { tenantId: uuid, now: time },
  row: { name: text, prefix: text, last_used_at: time.orNull, routes: listOf(text).checked },
});

export const reports = {
  /** The teams in which a person is an active member, with the membership's role and rights. */
  teamsOfPerson: (database: Database, personId: string) => database.run(teamsOfPerson, { personId }),

  /** Names and addresses of users of a team, also of former members. */
  peopleOf: (database: Database, tenantId: string, userIds: string[]) => database.run(peopleOf, { tenantId, userIds }),

  /** Active members with their languages. */
  readersOf: (tx: Tx, tenantId: string, memberIds: string[]) => runIn(tx, readersOf, { tenantId, memberIds }),

  /** The sums of the trainings of all active members, or of one user, as JSON. */
  trainingSums: async (database: Database, wanted: ParametersOf<typeof sumsParameters>, userId: string | undefined) => {
    const [row] = await (userId === undefined
      ? database.run(trainingSums, wanted)
      : database.run(trainingSumsOfUser, { ...wanted, userId }));
    return row;
  },

  /** The sums of total scores by interval and segment: of all active members, or of one user. */
  scoreTrend: (
    database: Database,
    {
      segment,
      userId,
      ...wanted
    }: ParametersOf<typeof trendParameters> & { segment: TrendSegment; userId?: string | undefined },
  ) =>
    userId === undefined
      ? database.run(trends[segment].team, wanted)
      : database.run(trends[segment].own, { ...wanted, userId }),

  /** The names of active members, by their user ids. */
  namesOfActive: (database: Database, tenantId: string, userIds: string[]) =>
    database.run(namesOfActive, { tenantId, userIds }),

  /** The present names of things of one type: `api_key`s are of type `key`. Things of an unknown type have none. */
  names: async (database: Database, tenantId: string, { type, ids }: { type: string; ids: string[] }) => {
    const names = namings.get(type);
    return names ? database.run(names, { tenantId, ids }) : [];
  },

  /** The next teams that have used a key since a time and have an admin who was not notified of a version's end. */
  teamsToNotify: async (database: Database, wanted: { version: string; after: string; now: Date }) =>
    (await database.run(teamsToNotify, wanted)).map(({ id }) => id),

  /** The active keys of a team, with the routes that the request log still has. */
  activeKeys: (database: Database, wanted: { tenantId: string; now: Date }) => database.run(activeKeys, wanted),

  teamCounts: (database: Database, wanted: ParametersOf<typeof teamCounts.parameters>) =>
    database.run(teamCounts, wanted),

  requestsByDay: (database: Database, tenantId: string, first: string) =>
    database.run(requestsByDay, { tenantId, first }),

  /** Active keys that expire soon, except rotated ones. */
  expiringKeys: (
    { prisma }: Database,
    tenantId: string,
    { after, until, most }: { after: Date; until: Date; most: number },
  ) =>
    prisma.apiKey.findMany({
      where: { tenantId, revokedAt: null, expiresAt: { gt: after, lte: until }, rotatedToId: null },
      select: { id: true, name: true, expiresAt: true },
      orderBy: [{ expiresAt: 'asc' }, { id: 'asc' }],
      take: most,
    }),

  /** Endpoints that are paused, or have failed since some time, the longest failing first. */
  failingEndpoints: (
    { prisma }: Database,
    tenantId: string,
    { failingBefore, most }: { failingBefore: Date; most: number },
  ) =>
    prisma.webhookEndpoint.findMany({
      where: {
        tenantId,
        failingSince: { not: null },
        OR: [{ status: 'disabled_failures' }, { status: 'active', failingSince: { lte: failingBefore } }],
      },
      select: { id: true, url: true, status: true, failingSince: true },
      orderBy: [{ failingSince: 'asc' }, { id: 'asc' }],
      take: most,
    }),

  /** Connections whose token the CRM refuses, or whose last sync failed. */
  failingConnections: async ({ prisma }: Database, tenantId: string, most: number) => {
    const failed = await prisma.crmConnection.findMany({
      where: {
        tenantId,
        disconnectedAt: null,
        OR: [{ status: 'credentials_refused' }, { status: 'active', lastFailedAt: { not: null } }],
      },
      select: { id: true, provider: true, label: true, status: true, lastFailedAt: true, lastSyncedAt: true },
      orderBy: [{ lastFailedAt: 'asc' }, { id: 'asc' }],
    });
    return failed
      .filter(
        ({ status, lastFailedAt, lastSyncedAt }) =>
          status === 'credentials_refused' || (lastFailedAt ?? 0) > (lastSyncedAt ?? 0),
      )
      .slice(0, most);
  },

  /** The ids of teams by a part of the name or of a member's email, or by an id or a key's prefix. */
  teamsFound: async (database: Database, wanted: { text: string; like: string; emailLike: string }) =>
    (await database.run(teamsFound, wanted)).map(({ id }) => id),
};
