import { storedRowBytes } from '../../platform/storage-counter.ts';
import { daysToMs, later, utcDay } from '../../core/clock.ts';
import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { demandsAt } from '../../core/sign-in-demand.ts';
import { runIn, runOn, type Database, type Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { Language, Plan, Role, SignInDemand, TeamStatus } from '../../db/generated/enums.ts';
import { bool, float, int, likeText, listOf, oneOf, query, text, time, uuid } from '../../db/query.ts';

import type { Platform } from '../../platform/team.ts';

// Reports: reads that join tables of several modules. Nothing is written here.

/** SQL: how many bytes a team's rows in a table count in the team's storage. */
const storedIn = (table: string, size: string): string =>
  `(select coalesce(sum(${storedRowBytes} + ${size}), 0) from "${table}" where tenant_id = :tenantId)`;

const lengthOf = (...columns: readonly string[]): string =>
  columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ');

const storedBytes = query({
  name: 'reporting.storedBytes',
  why: 'adds up the sizes of texts within the database',
  sql: `select (${storedIn('assignment', lengthOf('title', 'note'))}
                + ${storedIn('case', 'bytes')}
                + ${storedIn('directory_user', lengthOf('attributes', 'user_name'))}
                + ${storedIn('training', lengthOf('external_ref'))}
                + ${storedIn('evaluation', lengthOf('tips::text', 'strongest', 'biggest_lever'))})::float8 as stored,
               ${storedIn('idempotency_record', lengthOf('key', 'answer'))}::float8 as answers`,
  parameters: { tenantId: uuid },
  row: { stored: float.checked, answers: float.checked },
});

const teamsOfPerson = query({
  name: 'reporting.teamsOfPerson',
  why: 'joins three tables on every call of the app, in one round trip',
  sql: `select team.id as "tenantId", team.name, team.status, team.plan, team.ended_at as "endedAt",
               team.deletion_started_at is not null as "isBeingDeleted",
               team.rate_limit_per_min as "rateLimitPerMin",
               team.member_detail_enabled as "memberDetail", team.leaderboard_enabled as leaderboard,
               team.sign_in_demand as "signInDemand", team.planned_demand as "plannedDemand",
               team.planned_from as "plannedFrom", member.id as "memberId", team_user.id as "userId", member.role, member.rights
          from team_user
          join member on member.tenant_id = team_user.tenant_id and member.user_id = team_user.id
                     and member.status = 'active'
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
    signInDemand: oneOf('sign_in_demand', SignInDemand),
    plannedDemand: oneOf('sign_in_demand', SignInDemand).orNull,
    plannedFrom: time.orNull,
    memberId: uuid,
    userId: uuid,
    role: oneOf('role', Role),
    rights: listOf(text),
  },
});

const withCompanyAccount = `(m.company_subject is not null
  and exists (select from company_sign_in c where c.tenant_id = :tenantId and c.enabled))`;

/**
 * SQL: whether an active member `m`, with their person `p`, meets a demand for sign-ins. The demand for the company
 * account does not apply to the owner.
 */
export const meetsDemand = {
  second_factor: `(coalesce(p.two_factor_enabled or p.has_passkey, false) or ${withCompanyAccount})`,
  company: `(m.role = 'owner' or ${withCompanyAccount})`,
} as const;

const activeMembers = `from member m
          join team on team.id = m.tenant_id
          left join team_user u on u.tenant_id = m.tenant_id and u.id = m.user_id
          left join person p on p.id = u.person_id
         where m.tenant_id = :tenantId and m.status = 'active'`;

const sharedRule = 'the members list has the same rule as a filter';

const readiness = query({
  name: 'reporting.readiness',
  why: sharedRule,
  sql: `select count(*)::int as members,
               count(*) filter (where ${meetsDemand.second_factor})::int as "secondFactor",
               count(*) filter (where ${meetsDemand.company})::int as company
          ${activeMembers}`,
  parameters: { tenantId: uuid },
  row: { members: int.checked, secondFactor: int.checked, company: int.checked },
});

const unreadyFor = (demand: keyof typeof meetsDemand) =>
  query({
    name: `reporting.unready for ${demand}`,
    why: sharedRule,
    sql: `select m.email, coalesce(p.language, team.language) as language
            ${activeMembers} and not ${meetsDemand[demand]}
           order by m.id`,
    parameters: { tenantId: uuid },
    row: { email: text, language: oneOf('language', Language).checked },
  });
const unready = { second_factor: unreadyFor('second_factor'), company: unreadyFor('company') };

/** SQL: whether the member `m` has practised since a time. */
const practisedSince = (time: string): string =>
  `exists (select from training t where t.tenant_id = :tenantId and t.user_id = m.user_id and t.listed
                                    and t.created_at >= ${time})`;

/** The last reminder of each assignment. Only the audit log has every reminder, with the person who sent it. */
const lastReminders = query({
  name: 'reporting.lastReminders',
  why: 'reads only the newest entry of each assignment',
  sql: `select a.id, e.created_at as at, e.automatic, e.user_id as "userId", ${practisedSince('e.created_at')} as practised
          from assignment a
          join member m on m.tenant_id = :tenantId and m.id = a.member_id
         cross join lateral (
           select created_at, actor_kind = 'service' as automatic, case when actor_kind = 'person' then actor_id end as user_id
             from audit_entry
            where tenant_id = :tenantId and target_type = 'assignment' and target_id = a.id::text
              and action = 'assignment.reminded'
            order by created_at desc, id desc limit 1) as e
         where a.tenant_id = :tenantId and a.id = any(:ids)`,
  parameters: { tenantId: uuid, ids: listOf(uuid) },
  row: { id: uuid, at: time, automatic: bool.checked, userId: text.orNull, practised: bool.checked },
});

const remindedSince = query({
  name: 'reporting.remindedSince',
  why: 'counts people by what they did after their last reminder',
  sql: `select count(*)::int as people, count(*) filter (where ${practisedSince('last.at')})::int as practised
          from (select a.member_id, max(e.created_at) as at
                  from audit_entry e
                  join assignment a on a.tenant_id = :tenantId and a.id = e.target_id::uuid
                 where e.tenant_id = :tenantId and e.action = 'assignment.reminded' and e.created_at >= :since
                 group by a.member_id) as last
          join member m on m.tenant_id = :tenantId and m.id = last.member_id and m.status = 'active'`,
  parameters: { tenantId: uuid, since: time },
  row: { people: int.checked, practised: int.checked },
});

/** A key's routes are collected from this many of its newest requests. */
const requestsOfKey = 50_000;

// Only routes of version 1 are collected: routes of later versions begin with the version.
const activeKeys = query({
  name: 'reporting.activeKeys',
  why: 'collects the routes of the newest requests of each key',
  sql: `select k.name, k.prefix, k.last_used_at as "lastUsedAt", coalesce(seen.routes, '{}') as routes
          from api_key k
         cross join lateral (
           select array_agg(distinct method || ' ' || route)
                    filter (where route is not null and route !~ '^/v[0-9]+/') as routes
             from (select method, route from request_log_entry e
                    where e.tenant_id = :tenantId and e.key_id = k.id
                    order by e.id desc limit ${requestsOfKey}) as newest) as seen
         where k.tenant_id = :tenantId and k.revoked_at is null
           and (k.expires_at is null or k.expires_at > :now)
         order by k.last_used_at desc nulls last, k.id`,
  parameters: { tenantId: uuid, now: time },
  row: { name: text, prefix: text, lastUsedAt: time.orNull, routes: listOf(text).checked },
});

/** Keys that are valid now. */
const validKey = (now: Date) =>
  ({ revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] }) satisfies Prisma.ApiKeyWhereInput;

/** A text for `contains`, escaped so that it is found literally. */
const literally = (searched: string) =>
  ({ contains: likeText(searched), mode: 'insensitive' }) satisfies Prisma.StringFilter;

/** The name of a thing. If it is the same in both languages, only `de` is set. */
interface NamedThing {
  id: string;
  de: string | null;
  en?: string | null;
}

/** The present names of some things of one type, as the audit log shows them. */
const namesOf = async (
  tx: Tx,
  tenantId: string,
  { type, ids }: { type: string; ids: string[] },
): Promise<NamedThing[]> => {
  const where = { tenantId, id: { in: ids } };
  switch (type) {
    case 'key': {
      const keys = await tx.apiKey.findMany({ where, select: { id: true, name: true } });
      return keys.map(({ id, name: de }) => ({ id, de }));
    }
    case 'person': {
      // A user without a name is shown by their last address in this team, because the account may have another address
      // by now.
      const people = await peopleOf(tx, tenantId, ids);
      return people.map(({ userId: id, name, email }) => ({ id, de: name ?? email }));
    }
    case 'member': {
      const user = { select: { person: { select: { name: true } } } };
      const members = await tx.member.findMany({
        where,
        select: { id: true, email: true, directoryName: true, invitedName: true, user },
      });
      return members.map(({ id, email, directoryName, invitedName, user }) => ({
        id,
        de: directoryName ?? user?.person.name ?? invitedName ?? email,
      }));
    }
    case 'team': {
      if (!ids.includes(tenantId)) return [];
      const teams = await tx.team.findMany({ where: { id: tenantId }, select: { id: true, name: true } });
      return teams.map(({ id, name: de }) => ({ id, de }));
    }
    case 'assignment': {
      const assignments = await tx.assignment.findMany({ where, select: { id: true, title: true } });
      return assignments.map(({ id, title: de }) => ({ id, de }));
    }
    case 'case': {
      // The title of a private case is not shown.
      const cases = await tx.case.findMany({ where: { ...where, private: false }, select: { id: true, title: true } });
      return cases.map(({ id, title: de }) => ({ id, de }));
    }
    case 'catalog_item': {
      const items = await tx.catalogItem.findMany({
        where: { id: { in: ids }, OR: [{ tenantId: null }, { tenantId }] },
        select: { id: true, nameDe: true, nameEn: true },
      });
      return items.map(({ id, nameDe: de, nameEn: en }) => ({ id, de, en }));
    }
    case 'crm_connection': {
      const connections = await tx.crmConnection.findMany({ where, select: { id: true, label: true, provider: true } });
      return connections.map(({ id, label, provider }) => ({ id, de: label ?? provider }));
    }
    case 'webhook_endpoint': {
      const endpoints = await tx.webhookEndpoint.findMany({ where, select: { id: true, url: true } });
      return endpoints.map(({ id, url: de }) => ({ id, de }));
    }
    default:
      return [];
  }
};

/**
 * Names and addresses of users of a team, including former members. If a user has several memberships, the one that has
 * not ended counts, or else the last one.
 */
const peopleOf = async (tx: Tx, tenantId: string, userIds: string[]) => {
  const users = await tx.teamUser.findMany({
    where: { tenantId, id: { in: userIds } },
    select: {
      id: true,
      person: { select: { name: true } },
      members: {
        select: { id: true, status: true, role: true, email: true, directoryName: true, invitedName: true },
        orderBy: { listedAt: 'desc' },
      },
    },
  });
  return users.map(({ id, person, members }) => {
    const present = members.find(({ status }) => status !== 'ended');
    const { email = null, directoryName = null, invitedName = null } = present ?? members[0] ?? {};
    const name = directoryName ?? person.name ?? invitedName;
    return { userId: id, memberId: present?.id ?? null, role: present?.role ?? null, name, email };
  });
};

export const reports = {
  /**
   * The teams in which a person is an active member, with the membership's role and rights, and each team's demand at
   * this time.
   */
  teamsOfPerson: async ({ database, clock }: Platform, personId: string) => {
    const now = clock.now();
    const rows = await database.run(teamsOfPerson, { personId });
    return rows.map(({ signInDemand, plannedDemand, plannedFrom, ...row }) => ({
      ...row,
      ...demandsAt({ signInDemand, plannedDemand, plannedFrom }, now),
    }));
  },

  /** How many assignments and trainings some people of a team have. */
  holdings: async ({ prisma }: Database, tenantId: string, memberIds: string[]) => {
    const members = await prisma.member.findMany({
      where: { tenantId, id: { in: memberIds } },
      select: { userId: true },
    });
    if (members.length < memberIds.length) fail('not_found');
    const userIds = members.flatMap(({ userId }) => userId ?? []);
    const theirs = { tenantId, memberId: { in: memberIds } };
    const [openAssignments, assignments, trainings] = await Promise.all([
      prisma.assignment.count({ where: { ...theirs, status: { in: ['open', 'in_progress'] } } }),
      prisma.assignment.count({ where: theirs }),
      prisma.training.count({ where: { tenantId, userId: { in: userIds } } }),
    ]);
    return { openAssignments, assignments, trainings };
  },

  /** How many active members a team has, and how many of them can sign in in the way that each demand requires. */
  readiness: async (connection: Tx | Database, tenantId: string) =>
    (await runOn(connection, readiness, { tenantId }))[0] ?? fail('not_found'),

  /** The active members who can't meet a demand that the team wants to set for sign-ins, with their languages. */
  unready: (tx: Tx, demand: keyof typeof meetsDemand, tenantId: string) => runIn(tx, unready[demand], { tenantId }),

  peopleOf,

  /**
   * Active members with their languages. Invited members are left out, because until they accept they get no mail but
   * the invitation.
   */
  readersOf: async (tx: Tx, tenantId: string, memberIds: string[]) =>
    (
      await tx.member.findMany({
        where: { tenantId, id: { in: memberIds }, status: 'active' },
        select: {
          id: true,
          email: true,
          team: { select: { name: true, language: true } },
          user: { select: { person: { select: { language: true } } } },
        },
      })
    ).map(({ id, email, team, user }) => ({
      id,
      email,
      language: user?.person.language ?? team.language,
      teamName: team.name,
    })),

  /** The last reminder of each of these assignments, and whether its member has practised since. */
  lastReminders: (database: Database, wanted: { tenantId: string; ids: string[] }) =>
    database.run(lastReminders, wanted),

  /**
   * How many active members were reminded of any assignment since a time, and how many of these have practised after
   * their last reminder.
   */
  remindedSince: async (database: Database, wanted: { tenantId: string; since: Date }) =>
    (await database.run(remindedSince, wanted))[0] ?? { people: 0, practised: 0 },

  /**
   * The present names of things of one type (API keys have the type `key`). Things of an unknown type have no names.
   */
  names: namesOf,

  /**
   * The active teams with the API that have a valid key, and an owner or admin who was not notified of a version's end.
   */
  teamsToNotify: async ({ prisma }: Database, { version, now }: { version: string; now: Date }) => {
    const unnotified = { notices: { none: { version } } };
    const teams = await prisma.team.findMany({
      where: {
        status: 'active',
        plan: { not: 'basic' },
        keys: { some: validKey(now) },
        members: { some: { status: 'active', role: { in: ['owner', 'admin'] }, user: unnotified } },
      },
      select: { id: true },
    });
    return teams.map(({ id }) => id);
  },

  /** The active keys of a team, with the routes of version 1 among each key's newest requests in the log. */
  activeKeys: (database: Database, wanted: { tenantId: string; now: Date }) => database.run(activeKeys, wanted),

  /**
   * The ids of at most 100 teams that are found by a part of their name or of a member's email, by the id of the team,
   * a member or a key, or by a key's prefix.
   */
  teamsFound: async ({ prisma }: Database, { name, email, exact }: { name: string; email: string; exact: string }) => {
    const byId = isId(exact) ? [{ id: exact }] : [];
    const teams = await prisma.team.findMany({
      where: {
        OR: [
          { name: literally(name) },
          ...byId,
          { members: { some: { OR: [{ email: literally(email) }, ...byId] } } },
          { keys: { some: { OR: [{ prefix: exact }, ...byId] } } },
        ],
      },
      select: { id: true },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      take: 100,
    });
    return teams.map(({ id }) => id);
  },

  /**
   * How many bytes a team stores in its cases, assignments, trainings and evaluations, in the data of its directory,
   * and in the answers that are kept for repeated requests.
   */
  storedBytes: async (database: Database, tenantId: string) => {
    const [sums] = await database.run(storedBytes, { tenantId });
    if (!sums) throw new Error('the storage has no sums');
    return sums;
  },
};

/** A team of a person, with the person's active membership in it. */
export type TeamOfPerson = Awaited<ReturnType<typeof reports.teamsOfPerson>>[number];

// The numbers of a team's overview, and the matters that need attention there.

interface OverviewTimes {
  now: Date;
  invitationsUntil: Date;
  mailsSince: Date;
  /** The Mondays of the last week and of this one. */
  mondays: readonly [last: Date, current: Date];
}

/** Assignments that are not done although their due date (UTC) is over. */
const overdueOf = (tenantId: string, now: Date) =>
  ({
    tenantId,
    status: { in: ['open', 'in_progress'] },
    dueDate: { lt: new Date(utcDay(now)) },
  }) satisfies Prisma.AssignmentWhereInput;

/** Scored trainings of active members. A score counts for the week in which its training started. */
const scoredOf = (tenantId: string, createdAt: Prisma.DateTimeFilter) =>
  ({
    tenantId,
    listed: true,
    status: 'scored',
    createdAt,
    evaluation: { total: { not: null } },
  }) satisfies Prisma.TrainingWhereInput;

/** The numbers of a team's overview. */
const teamCounts = async (
  { prisma }: Database,
  tenantId: string,
  { now, invitationsUntil, mailsSince, mondays: [lastMonday, monday] }: OverviewTimes,
) => {
  const unfinished = { tenantId, status: { in: ['open', 'in_progress'] } } satisfies Prisma.AssignmentWhereInput;
  const scoredIn = (createdAt: Prisma.DateTimeFilter) =>
    prisma.training.count({ where: scoredOf(tenantId, createdAt) });
  const ending = { tenantId, expiresAt: { gt: now, lte: invitationsUntil } };
  const [
    team,
    taken,
    keys,
    lastUsed,
    endpoints,
    invitations,
    soon,
    expired,
    mails,
    open,
    overdue,
    thisWeek,
    lastWeek,
    latest,
  ] = await Promise.all([
    prisma.team.findFirstOrThrow({ where: { id: tenantId }, select: { seats: true } }),
    prisma.member.count({ where: { tenantId, status: { not: 'ended' } } }),
    prisma.apiKey.count({ where: { tenantId, ...validKey(now) } }),
    prisma.apiKey.aggregate({ where: { tenantId }, _max: { lastUsedAt: true } }),
    prisma.webhookEndpoint.groupBy({ by: ['status'], where: { tenantId }, _count: true }),
    prisma.invitation.count({ where: { tenantId, expiresAt: { gt: now } } }),
    prisma.invitation.aggregate({ where: ending, _count: true, _min: { expiresAt: true } }),
    prisma.invitation.count({ where: { tenantId, expiresAt: { lte: now } } }),
    prisma.mail.count({ where: { tenantId, createdAt: { gt: mailsSince }, sentAt: null, error: { not: null } } }),
    prisma.assignment.count({ where: unfinished }),
    prisma.assignment.aggregate({
      where: overdueOf(tenantId, now),
      _count: true,
      _min: { dueDate: true },
    }),
    scoredIn({ gte: monday }),
    scoredIn({ gte: lastMonday, lt: later(now, -daysToMs(7)) }),
    prisma.training.findFirst({
      where: { tenantId, listed: true, status: 'scored' },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      select: { createdAt: true },
    }),
  ]);
  return {
    seats: { total: team.seats, taken },
    keys: { active: keys, lastUsedAt: lastUsed._max.lastUsedAt },
    endpoints: new Map(endpoints.map(({ status, _count }) => [status, _count])),
    invitations: { open: invitations, ending: soon._count, endingAt: soon._min.expiresAt, expired },
    mailsFailed: mails,
    assignments: { open, overdue: overdue._count, oldestDue: overdue._min.dueDate },
    scored: { thisWeek, lastWeek, latestAt: latest?.createdAt ?? null },
  };
};

export const overviews = {
  teamCounts,

  countOverdue: ({ prisma }: Database, tenantId: string, now: Date) =>
    prisma.assignment.count({ where: overdueOf(tenantId, now) }),

  /** How many scored trainings each person started within a time. People with the most trainings come first. */
  practised: async ({ prisma }: Database, tenantId: string, createdAt: Prisma.DateTimeFilter) =>
    (
      await prisma.training.groupBy({
        by: ['userId'],
        where: scoredOf(tenantId, createdAt),
        _count: { userId: true },
        orderBy: [{ _count: { userId: 'desc' } }, { userId: 'asc' }],
      })
    ).map(({ userId, _count }) => ({ userId, trainings: _count.userId })),

  /** Active keys that somebody has reported as found, the last report first. */
  reportedKeys: ({ prisma }: Database, tenantId: string, { now, max }: { now: Date; max: number }) =>
    prisma.apiKey.findMany({
      where: {
        tenantId,
        revokedAt: null,
        reportedAt: { not: null },
        OR: [{ expiresAt: null }, { expiresAt: { gt: now } }],
      },
      select: { id: true, name: true, reportedAt: true },
      orderBy: [{ reportedAt: 'desc' }, { id: 'asc' }],
      take: max,
    }),

  /** Active keys that expire soon, except rotated ones. */
  expiringKeys: (
    { prisma }: Database,
    tenantId: string,
    { after, until, max }: { after: Date; until: Date; max: number },
  ) =>
    prisma.apiKey.findMany({
      where: { tenantId, revokedAt: null, expiresAt: { gt: after, lte: until }, rotatedToId: null },
      select: { id: true, name: true, expiresAt: true },
      orderBy: [{ expiresAt: 'asc' }, { id: 'asc' }],
      take: max,
    }),

  /** Connections whose token the CRM refuses, or whose last sync failed. */
  failingConnections: async ({ prisma }: Database, tenantId: string, max: number) => {
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
      .slice(0, max);
  },
};
