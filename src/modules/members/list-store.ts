import { Language, MemberStatus, Role } from '../../db/generated/enums.ts';
import type { Database } from '../../db/database.ts';
import { bool, day, float, int, listOf, oneOf, query, text, time, uuid, type RowOf } from '../../db/query.ts';
import { keysetList } from '../../platform/keyset-list.ts';
import type { ListFilter } from '../../platform/keyset-statements.ts';
import { meetsDemand } from '../reporting/store.ts';
import { erasedDomain, expressions, shown, withRights } from '../membership/store.ts';

// The lists of members.

/** SQL: false for the owner. The index member_list_idx begins with it, after the team's id. */
const notOwner = `(m.role <> 'owner')`;

const byRank = ['notOwner', 'listedAt', 'id'] as const;

const present = { table: 'm', from: 'member m', where: "m.status <> 'ended'" } as const;
const andPeople = `left join team_user u on u.tenant_id = m.tenant_id and u.id = m.user_id
       left join person p on p.id = u.person_id`;

const roleFilter = { sql: 'm.role = :role', type: oneOf('role', Role) } as const;
const statusFilter = { sql: 'm.status = :status', type: oneOf('member_status', MemberStatus) } as const;

const filters = {
  email: { sql: 'm.email = :email', type: text },
  externalId: { sql: 'm.external_id = :externalId', type: text },
  role: { ...roleFilter, inStatement: true },
  status: { ...statusFilter, inStatement: true },
} as const;

/** Invited and active members, the owner first. */
export const memberList = keysetList({
  name: 'members.list',
  why: 'is ordered by an expression',
  cursor: 'users',
  columns: { ...shown, notOwner: bool.checked, listedAt: time },
  expressions: { ...expressions(':tenantId'), notOwner },
  ...present,
  order: byRank,
  direction: 'asc',
  filters,
});

/** Invited and active members that changed since a time, in the order of their changes. */
export const memberChanges = keysetList({
  name: 'members.changes',
  why: 'continues after a pair of columns',
  cursor: 'changed users',
  columns: shown,
  expressions: expressions(':tenantId'),
  ...present,
  order: ['updatedAt', 'id'],
  direction: 'asc',
  filters: { ...filters, updatedSince: { sql: 'm.updated_at >= :updatedSince', type: time, always: true } },
});

const teamMember = {
  ...withRights,
  name: text.orNull,
  shownName: text.checked,
  roleRank: int.checked,
  isInvited: bool.checked,
  invitedAt: time.orNull,
  notOwner: bool.checked,
  listedAt: time,
  expiresAt: time.orNull,
  lang: oneOf('language', Language).orNull,
  twoFactor: bool.checked,
  fromDirectory: bool.checked,
} as const;

type ListedRow = RowOf<typeof teamMember>;

/** `shownName` is only for the order of some lists. */
export type TeamMemberRow = Omit<ListedRow, 'shownName'> & Partial<Pick<ListedRow, 'shownName'>>;

const accented = 'ÀÁÂÃÄÅàáâãäåÇçÈÉÊËèéêëÌÍÎÏìíîïÑñÒÓÔÕÖòóôõöÙÚÛÜùúûüÝýÿŠšŽž';
const plain = Array.from(accented, (letter) => letter.normalize('NFD').charAt(0)).join('');

/** SQL: a text for sorting: `Ä` is beside `A` and `a`, whichever collation the database has. */
const sortable = (expression: string): string => `lower(translate(${expression}, '${accented}', '${plain}'))`;

/** SQL: the name that the app shows for a person. */
const nameInApp = 'coalesce(m.directory_name, p.name, m.invited_name)';
const shownName = sortable(`coalesce(${nameInApp}, m.email)`);

/**
 * Each line of `:search` is a word that was searched: LIKE patterns with tabs between them. Each word must be in the
 * name, the address or the external id.
 */
const bySearch = {
  sql: `not exists (
    select from unnest(string_to_array(:search, chr(10))) as line(word)
     where not (m.email ilike any(string_to_array(word, chr(9)))
                or coalesce(${nameInApp}, '') ilike any(string_to_array(word, chr(9)))
                or coalesce(m.external_id, '') ilike any(string_to_array(word, chr(9)))))`,
  type: text,
};

/** SQL: whether the customer's directory has sent data of a member. */
const fromDirectory = `exists (select from directory_user d where d.tenant_id = :tenantId and d.member_id = m.id)`;

const teamFilters = {
  search: bySearch,
  role: roleFilter,
  status: statusFilter,
  without: {
    sql: `m.status = 'active'
      and not case when :without = 'company' then ${meetsDemand.company} else ${meetsDemand.second_factor} end`,
    type: text,
  },
  fromDirectory: { sql: `(${fromDirectory})::text = :fromDirectory`, type: text },
  inactiveSince: {
    sql: `m.status = 'active' and m.joined_at < :inactiveSince and not exists (
            select from training t where t.tenant_id = :tenantId and t.user_id = m.user_id and t.listed
                                     and t.created_at >= :inactiveSince)`,
    type: time,
  },
} as const;

/**
 * The orders of the list: the owner first, then by the time when members joined or were invited (the index
 * member_list_idx); or by a value that the app shows.
 */
const orders = {
  joined: byRank,
  name: ['shownName', 'id'],
  role: ['roleRank', 'shownName', 'id'],
  status: ['isInvited', 'shownName', 'id'],
  two_factor: ['twoFactor', 'shownName', 'id'],
} as const;

type ShownOrder = Exclude<keyof typeof orders, 'joined' | 'name'>;

const teamExpressions = {
  name: nameInApp,
  shownName,
  roleRank: "array_position(array['owner', 'admin', 'member']::role[], m.role)",
  isInvited: "(m.status = 'invited')",
  notOwner,
  expiresAt: 'i.expires_at',
  lang: 'i.language',
  twoFactor: 'coalesce(p.two_factor_enabled or p.has_passkey, false)',
  fromDirectory,
};
const teamFrom = `member m ${andPeople} left join invitation i on i.tenant_id = m.tenant_id and i.member_id = m.id`;

const teamListBy = <const Name extends string>(
  by: keyof typeof orders,
  direction: 'asc' | 'desc',
  { filters, counted = false }: { filters: Readonly<Record<Name, ListFilter>>; counted?: boolean },
) =>
  keysetList({
    name: `members.teamList by ${by} ${direction}`,
    why: 'joins people and invitations, and is ordered by an expression',
    cursor: `team by ${by} ${direction}`,
    columns: teamMember,
    expressions: teamExpressions,
    ...present,
    from: teamFrom,
    order: orders[by],
    direction,
    filters,
    counted,
  });

const shownBothWays = (by: ShownOrder) => ({
  asc: teamListBy(by, 'asc', { filters: teamFilters }),
  desc: teamListBy(by, 'desc', { filters: teamFilters }),
});

/**
 * Invited and active members with names, invitations and rights, for the owner and admins in the app. The names are in
 * another table, so all orders but the first read all members of the team for each page; with 5,000 of them that takes
 * some milliseconds.
 */
export const teamLists = {
  joined: {
    asc: teamListBy('joined', 'asc', {
      filters: { ...teamFilters, id: { sql: 'm.id = :id', type: uuid, isId: true } },
      counted: true,
    }),
    desc: teamListBy('joined', 'desc', { filters: teamFilters }),
  },
  name: {
    asc: teamListBy('name', 'asc', {
      filters: { ...teamFilters, from: { sql: `${shownName} >= ${sortable(':from::text')}`, type: text } },
    }),
    desc: teamListBy('name', 'desc', { filters: teamFilters }),
  },
  role: shownBothWays('role'),
  status: shownBothWays('status'),
  two_factor: shownBothWays('two_factor'),
};

/** SQL: when the last training of the member `m` started. */
const lastTraining = `select t.created_at from training t
             where t.tenant_id = :tenantId and t.user_id = m.user_id and t.listed
             order by t.created_at desc limit 1`;

interface Sums {
  /** SQL: the value of a member, from a row `s` of the sums. */
  value: string;
  /** SQL: the sums of all members. */
  of: string;
  /** SQL: which of these rows is a member's. */
  on: string;
}

/**
 * SQL: the members with their sums. `offset 0` keeps the sums apart from the other joins. Otherwise PostgreSQL, which
 * expects a single row from these joins, would compute the sums again for each member.
 */
const withSums = ({ value, of, on }: Sums): string =>
  `(select m.*, ${value} as sorted_by from member m left join (${of}) as s on ${on}
         where m.tenant_id = :tenantId offset 0) as m`;

const bySums = (sums: Sums) => ({ type: int.checked, value: 'm.sorted_by', from: withSums(sums) });

/** SQL: the value by which a list of members is ordered. A member without a value is below all others. */
const keys = {
  // One row of an index for each member, instead of all trainings of the team.
  activity: {
    type: time.checked,
    value: "coalesce(last.created_at, 'epoch')",
    from: `member m left join lateral (${lastTraining}) as last on true`,
  },
  average: bySums({
    value: 'coalesce(s.value, -1)',
    of: `select t.user_id, round(avg(e.total) * 10)::int as value
           from training t join evaluation e on e.tenant_id = :tenantId and e.training_id = t.id
          where t.tenant_id = :tenantId and t.listed and t.status = 'scored' group by t.user_id`,
    on: 's.user_id = m.user_id',
  }),
  change: bySums({
    value: 'coalesce(s.value, -1001)',
    of: `select t.user_id, round((avg(e.total) filter (where t.created_at >= :recentFrom)
                                  - avg(e.total) filter (where t.created_at < :recentFrom)) * 10)::int as value
           from training t join evaluation e on e.tenant_id = :tenantId and e.training_id = t.id
          where t.tenant_id = :tenantId and t.listed and t.status = 'scored'
            and t.created_at >= :recentFrom::timestamptz - interval '30 days' group by t.user_id`,
    on: 's.user_id = m.user_id',
  }),
  open: bySums({
    value: 'coalesce(s.value, 0)',
    of: `select member_id, count(*)::int as value from assignment
          where tenant_id = :tenantId and status in ('open', 'in_progress') group by member_id`,
    on: 's.member_id = m.id',
  }),
  overdue: bySums({
    value: 'coalesce(s.value, 0)',
    of: `select member_id, count(*)::int as value from assignment
          where tenant_id = :tenantId and status in ('open', 'in_progress') and due_date < :today group by member_id`,
    on: 's.member_id = m.id',
  }),
} as const;

export type WorkOrder = keyof typeof keys;

/** The parameters in the SQL of `keys`. A list takes parameters only from filters, so these filters are always true. */
const parameters = {
  recentFrom: { sql: ':recentFrom::timestamptz is not null', type: time, always: true },
  today: { sql: ':today::date is not null', type: day, always: true },
} as const;

// Without `shownName`: to make it for all members of the team takes longer than the rest of the list.
const { shownName: _shownName, ...workMember } = teamMember;

const workListBy = (by: WorkOrder, direction: 'asc' | 'desc') => {
  const { type, value, from } = keys[by];
  return keysetList({
    name: `members.workList by ${by} ${direction}`,
    why: 'is ordered by sums of other tables',
    cursor: `work by ${by} ${direction}`,
    columns: { ...workMember, sortedBy: type },
    expressions: { ...teamExpressions, sortedBy: value },
    ...present,
    from: teamFrom.replace('member m', from),
    order: ['sortedBy', 'id'],
    direction,
    filters: { ...teamFilters, ...parameters },
  });
};

const bothWays = (by: WorkOrder) => ({ asc: workListBy(by, 'asc'), desc: workListBy(by, 'desc') });

/** The members of `teamLists` with the same columns, ordered by their trainings or assignments. */
export const workLists = {
  activity: bothWays('activity'),
  average: bothWays('average'),
  change: bothWays('change'),
  open: bothWays('open'),
  overdue: bothWays('overdue'),
};

const workOf = query({
  name: 'members.work',
  why: 'adds up trainings and assignments for the members of a page',
  sql: `select m.id, last.created_at as "lastTrainingAt", scores.average, scores.change,
               coalesce(given.open, 0)::int as open, coalesce(given.overdue, 0)::int as overdue
          from member m
          left join lateral (${lastTraining}) as last on true
          left join lateral (
            select round(avg(e.total), 1)::float8 as average,
                   round(avg(e.total) filter (where t.created_at >= :recentFrom)
                         - avg(e.total) filter (where t.created_at < :recentFrom
                                                  and t.created_at >= :recentFrom::timestamptz - interval '30 days'), 1)::float8 as change
              from training t join evaluation e on e.tenant_id = :tenantId and e.training_id = t.id
             where t.tenant_id = :tenantId and t.user_id = m.user_id and t.listed and t.status = 'scored') as scores on true
          left join lateral (
            select count(*) as open, count(*) filter (where a.due_date < :today) as overdue from assignment a
             where a.tenant_id = :tenantId and a.member_id = m.id and a.status in ('open', 'in_progress')) as given on true
         where m.tenant_id = :tenantId and m.id = any(:ids)`,
  parameters: { tenantId: uuid, ids: listOf(uuid), recentFrom: time, today: day },
  row: {
    id: uuid,
    lastTrainingAt: time.orNull,
    average: float.orNull,
    change: float.orNull,
    open: int.checked,
    overdue: int.checked,
  },
});

/** The trainings and assignments of these members, in numbers. */
export const readWork = (
  database: Database,
  wanted: { tenantId: string; ids: string[]; recentFrom: Date; today: string },
) => database.run(workOf, wanted);

/** Former members: the last membership of each person, the latest end first. */
export const formerList = keysetList({
  name: 'members.formerList',
  why: 'joins people, and leaves out those who came back',
  cursor: 'former',
  columns: {
    id: uuid,
    userId: uuid.orNull,
    name: text.orNull,
    email: text,
    role: oneOf('role', Role),
    endedAt: time.checked,
  },
  expressions: { name: nameInApp },
  table: 'm',
  from: `member m ${andPeople}`,
  where: `m.status = 'ended' and m.email not like '%@${erasedDomain}'
          and not exists (
            select from member n
             where n.tenant_id = :tenantId and n.id <> m.id and (n.user_id = m.user_id or n.email = m.email)
               and (n.status <> 'ended' or (n.ended_at, n.id) > (m.ended_at, m.id)))`,
  order: ['endedAt', 'id'],
  direction: 'desc',
  filters: { search: bySearch },
});
