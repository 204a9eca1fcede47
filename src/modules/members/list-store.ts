import { Language, MemberStatus, Role } from '../../db/generated/enums.ts';
import { bool, oneOf, text, time, uuid, type RowOf } from '../../db/query.ts';
import { keysetList, type Filter } from '../../platform/keyset-list.ts';
import { erasedDomain, expressions, shown, withRights } from '../membership/store.ts';

// The lists of members.

/** SQL: false for the owner. The index member_list_idx begins with it. */
const notOwner = `(m.role <> 'owner')`;

const byRank = ['not_owner', 'listed_at', 'id'] as const;

const present = { table: 'm', from: 'member m', where: "m.status <> 'ended'" } as const;
const andPeople = `left join team_user u on u.tenant_id = m.tenant_id and u.id = m.user_id
       left join person p on p.id = u.person_id`;

/** Invited and active members, the owner first. */
export const memberList = keysetList({
  name: 'members.list',
  why: 'is ordered by an expression',
  cursor: 'users',
  columns: { ...shown, not_owner: bool.checked, listed_at: time },
  expressions: { ...expressions, not_owner: notOwner },
  ...present,
  order: byRank,
  direction: 'asc',
});

/** Invited and active members that changed since a time, in the order of their changes. */
export const memberChanges = keysetList({
  name: 'members.changes',
  why: 'continues after a pair of columns',
  cursor: 'changed users',
  columns: shown,
  expressions,
  ...present,
  order: ['updated_at', 'id'],
  direction: 'asc',
  filters: { updated_since: { sql: 'm.updated_at >= :updated_since', type: time, always: true } },
});

const teamMember = {
  ...withRights,
  name: text.orNull,
  shown_name: text.checked,
  invited_at: time.orNull,
  not_owner: bool.checked,
  listed_at: time,
  expires_at: time.orNull,
  lang: oneOf('language', Language).orNull,
  two_factor: bool.checked,
} as const;

export type TeamMemberRow = RowOf<typeof teamMember>;

const accented = 'ÀÁÂÃÄÅàáâãäåÇçÈÉÊËèéêëÌÍÎÏìíîïÑñÒÓÔÕÖòóôõöÙÚÛÜùúûüÝýÿŠšŽž';
const plain = Array.from(accented, (letter) => letter.normalize('NFD').charAt(0)).join('');

/** SQL: a text for sorting: `Ä` is beside `A` and `a`, whichever collation the database has. */
const sortable = (expression: string): string => `lower(translate(${expression}, '${accented}', '${plain}'))`;

/** SQL: what the app shows of a person. */
const shownName = sortable('coalesce(p.name, m.email)');

/** By LIKE patterns, one in each line. */
const bySearch = {
  sql: '(m.email ilike any(string_to_array(:search, chr(10))) or p.name ilike any(string_to_array(:search, chr(10))))',
  type: text,
};

const teamFilters = {
  search: bySearch,
  role: { sql: 'm.role = :role', type: oneOf('role', Role) },
  status: { sql: 'm.status = :status', type: oneOf('member_status', MemberStatus) },
} as const;

/** The owner first, then by the time when they joined or were invited, by the index member_list_idx; or by what the app shows of them. */
const orders = { joined: byRank, name: ['shown_name', 'id'] } as const;

const teamListBy = <const Name extends string>(
  by: keyof typeof orders,
  direction: 'asc' | 'desc',
  { filters, counted = false }: { filters: Readonly<Record<Name, Filter>>; counted?: boolean },
) =>
  keysetList({
    name: `members.teamList by ${by} ${direction}`,
    why: 'joins people and invitations, and is ordered by an expression',
    cursor: `team by ${by} ${direction}`,
    columns: teamMember,
    expressions: {
      name: 'p.name',
      shown_name: shownName,
      not_owner: notOwner,
      expires_at: 'i.expires_at',
      lang: 'i.language',
      two_factor: 'coalesce(p.two_factor_enabled, false)',
    },
    ...present,
    from: `member m ${andPeople} left join invitation i on i.tenant_id = m.tenant_id and i.member_id = m.id`,
    order: orders[by],
    direction,
    filters,
    counted,
  });

/**
 * The same with names, invitations and rights, for the owner and admins in the app. The names are in another table, so the order by name
 * reads all members of the team for each page; with 5,000 of them that takes some milliseconds.
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
};

/** Former members: the last membership of each person, the latest end first. */
export const formerList = keysetList({
  name: 'members.formerList',
  why: 'joins people, and leaves out those who came back',
  cursor: 'former',
  columns: {
    id: uuid,
    user_id: uuid.orNull,
    name: text.orNull,
    email: text,
    role: oneOf('role', Role),
    ended_at: time.checked,
  },
  expressions: { name: 'p.name' },
  table: 'm',
  from: `member m ${andPeople}`,
  where: `m.status = 'ended' and m.email not like '%@${erasedDomain}'
          and not exists (
            select from member n
             where n.tenant_id = :tenantId and n.id <> m.id and (n.user_id = m.user_id or n.email = m.email)
               and (n.status <> 'ended' or (n.ended_at, n.id) > (m.ended_at, m.id)))`,
  order: ['ended_at', 'id'],
  direction: 'desc',
  filters: { search: bySearch },
});
