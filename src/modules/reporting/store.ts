import { limits } from '../../core/limits.ts';
import type { Database } from '../../db/database.ts';
import { day, float, int, listOf, query, text, time, uuid } from '../../db/query.ts';

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
          invitations_open, invitations_expired, seats,
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
                   count(*) filter (where expires_at <= :now)::integer as invitations_expired
              from invitation where tenant_id = :tenantId) as invitations
          cross join (
            select count(*)::integer as assignments_open,
                   count(*) filter (where due_date < (:now at time zone 'UTC')::date)::integer as assignments_overdue
              from assignment
             where tenant_id = :tenantId and status in ('open', 'in_progress')
               and (changed_since_removal
                    or member_id <> all (array(select member_id from pending_revocation where tenant_id = :tenantId)))) as assignments
    where team.id = :tenantId`,
  parameters: { tenantId: uuid, now: time },
  row: {
    keys_active: int.checked,
    key_last_used_at: time.orNull,
    endpoints_active: int.checked,
    endpoints_disabled: int.checked,
    endpoints_paused: int.checked,
    invitations_open: int.checked,
    invitations_expired: int.checked,
    seats: int,
    taken: int.checked,
    assignments_open: int.checked,
    assignments_overdue: int.checked,
    this_week: int.checked,
    last_week: int.checked,
  },
});

// Key by key: the last days of each lie together.
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
            or id in (select tenant_id from member where email ilike :like or id::text = :text)
            or id in (select tenant_id from api_key where prefix = :text or id::text = :text)
         order by created_at, id
         limit 100`,
  parameters: { text, like: text },
  row: { id: uuid },
});

/** How a thing is called; where that is the same in every language, only `de` is given. */
const nameRow = { id: uuid, de: text.orNull, en: text.orNull } as const;

/** Names of things that the audit log names, all of one kind at once. */
const naming = (kind: string, sql: string) =>
  query({
    name: `reporting.namesOf ${kind}`,
    why: 'the names that the audit log shows, from the tables of nine modules, each cut to its beginning',
    sql,
    parameters: { tenantId: uuid, ids: listOf(uuid) },
    row: nameRow,
  });

/** Titles from before they were limited may be longer. */
const longestName = limits.titleCharacters;

const namings = new Map(
  Object.entries({
    key: naming(
      'key',
      `select id, name as de, null::text as en from api_key where tenant_id = :tenantId and id = any (:ids::uuid[])`,
    ),
    // Without a name, the address that the team knew them by last: their own may be another by now.
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
    // A private case keeps its title to itself.
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
      `select id, provider as de, null::text as en
         from crm_connection where tenant_id = :tenantId and id = any (:ids::uuid[])`,
    ),
    webhook_endpoint: naming(
      'webhook_endpoint',
      `select id, url as de, null::text as en
         from webhook_endpoint where tenant_id = :tenantId and id = any (:ids::uuid[])`,
    ),
  }),
);

export const reports = {
  /** The present names of things of one type: `api_key`s are of type `key`. Things of an unknown type have none. */
  names: async (database: Database, tenantId: string, { type, ids }: { type: string; ids: string[] }) => {
    const names = namings.get(type);
    return names ? database.run(names, { tenantId, ids }) : [];
  },

  teamCounts: (database: Database, tenantId: string, now: Date) => database.run(teamCounts, { tenantId, now }),

  requestsByDay: (database: Database, tenantId: string, first: string) =>
    database.run(requestsByDay, { tenantId, first }),

  /** Active keys that end soon. One that was rotated is meant to end. */
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

  /** Endpoints that are paused or about to be, those that failed longest first. */
  failingEndpoints: ({ prisma }: Database, tenantId: string, most: number) =>
    prisma.webhookEndpoint.findMany({
      where: { tenantId, status: { not: 'disabled' }, failingSince: { not: null } },
      select: { id: true, url: true, status: true, failingSince: true },
      orderBy: [{ failingSince: 'asc' }, { id: 'asc' }],
      take: most,
    }),

  /** The ids of teams by a part of the name or of a member's email, or by an id or a key's prefix. */
  teamsFound: async (database: Database, wanted: { text: string; like: string }) =>
    (await database.run(teamsFound, wanted)).map(({ id }) => id),
};
