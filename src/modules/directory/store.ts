import { runLater, runOn, writeLater, type Database, type Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { MemberStatus, Role } from '../../db/generated/enums.ts';
import { bigint, bool, int, oneOf, query, text, time, uuid, type RowOf } from '../../db/query.ts';
import type { Team } from '../../platform/team.ts';
import { teamTable } from '../../platform/team-table.ts';

// The table `directory_user`: the data that a customer's directory has sent about people. Every change happens under
// the team's lock.

type TeamId = Pick<Team, 'id'>;

type NewRow = Omit<Prisma.DirectoryUserUncheckedCreateInput, 'tenantId'>;
type DirectoryUserChange = Pick<
  Prisma.DirectoryUserUncheckedUpdateManyInput,
  'userName' | 'address' | 'externalId' | 'role' | 'attributes'
> & { updatedAt: Date };

const returning = query({
  name: 'directory.returning',
  why: 'goes with the next statement of each invitation, and joins the membership',
  sql: `select d.id, d.external_id as "externalId", d.attributes, coalesce(m.status <> 'ended', false) as "isMember"
          from directory_user d left join member m on m.tenant_id = d.tenant_id and m.id = d.member_id
         where d.tenant_id = :tenantId and (d.address = :address or (d.member_address = :address and exists (
           select from member f where f.tenant_id = :tenantId and f.email = :address and f.user_id is not null)))
         order by d.address <> :address, d.id limit 1`,
  parameters: { tenantId: uuid, address: text },
  row: { id: uuid, externalId: text.orNull, attributes: text, isMember: bool.checked },
});

/**
 * A person as a directory sees them. If the directory has sent no data of them, they have the id of their membership,
 * and `userName` is null.
 */
const person = {
  id: uuid.checked,
  userName: text.orNull,
  attributes: text.orNull,
  /** External id and role of the former membership, if the person is no member now. */
  formerExternalId: text.orNull,
  formerRole: oneOf('role', Role).orNull,
  memberId: uuid.orNull,
  status: oneOf('member_status', MemberStatus).orNull,
  /** The address of the membership `memberId`. */
  email: text.orNull,
  externalId: text.orNull,
  role: oneOf('role', Role).orNull,
  /** The name that the team sees in place of the person's own. */
  directoryName: text.orNull,
  /** The person's own name, if the team sees it. */
  name: text.orNull,
  createdAt: time.checked,
  updatedAt: time.checked,
} as const;
export type PersonRow = RowOf<typeof person>;

const ownName = `(select p.name from team_user u join person p on p.id = u.person_id
                   where u.tenant_id = :tenantId and u.id = m.user_id)`;

/** The person's own name is shown only if the directory has none for them. */
const ofMember = `m.id as "memberId", m.status, m.email, m.external_id as "externalId", m.role, m.directory_name as "directoryName",
         case when m.directory_name is null then ${ownName} end as name`;

/**
 * SQL: everybody whom a directory sees: the people of whom it has sent data, and all other members. Each part has a
 * condition of its own.
 */
const people = (ofEntries: string, ofMembers: string): string => `
  select d.id, d.user_name as "userName", d.attributes, d.external_id as "formerExternalId", d.role as "formerRole",
         ${ofMember}, d.created_at as "createdAt", greatest(d.updated_at, m.updated_at) as "updatedAt"
    from directory_user d left join member m on m.tenant_id = d.tenant_id and m.id = d.member_id
   where d.tenant_id = :tenantId and ${ofEntries}
  union all
  select m.id, null, null, null, null, ${ofMember}, m.created_at, m.updated_at
    from member m
   where m.tenant_id = :tenantId and m.status <> 'ended' and ${ofMembers} and not exists (
     select from directory_user d where d.tenant_id = :tenantId and d.member_id = m.id)`;

const why = 'joins two tables of which either may have the person';

const byId = query({
  name: 'directory.byId',
  why,
  sql: people('d.id = :id', 'm.id = :id'),
  parameters: { tenantId: uuid, id: uuid },
  row: person,
});

const byAddress = query({
  name: 'directory.byAddress',
  why,
  sql: people('(d.address = :address or d.member_address = :address)', 'm.email = :address'),
  parameters: { tenantId: uuid, address: text },
  row: person,
});

const byExternalId = query({
  name: 'directory.byExternalId',
  why,
  sql: people(
    `(d.external_id = :externalId or d.member_id = any (array(
        select id from member where tenant_id = :tenantId and external_id = :externalId and status <> 'ended')))`,
    'm.external_id = :externalId',
  ),
  parameters: { tenantId: uuid, externalId: text },
  row: person,
});

/** SQL: the members of whom a directory has sent no data. Each of the two tables is read once, only from indexes. */
const others = `select m.id from member m where m.tenant_id = :tenantId and m.status <> 'ended' and not exists (
  select from directory_user d where d.tenant_id = :tenantId and d.member_id = m.id)`;

const entries = '(select count(*) from directory_user d where d.tenant_id = :tenantId)';

/** Ids ascend, so that people who are added come last. */
const pageIds = `select id, is_entry from (
    (select d.id, true as is_entry from directory_user d where d.tenant_id = :tenantId and d.id > :after order by d.id limit :reach)
    union all
    (select id, false from others where id > :after)
  ) as found order by id limit :limit offset :offset`;

/**
 * The ids are an array, so that PostgreSQL looks up each of them. Otherwise it would compare a whole table with the
 * rows of a page.
 */
const page = query({
  name: 'directory.page',
  why,
  sql: `with others as materialized (${others}), page as materialized (${pageIds}),
        entry as materialized (
          select * from directory_user where tenant_id = :tenantId and id = any (array(select id from page where is_entry))),
        membership as materialized (
          select * from member where tenant_id = :tenantId and id = any (array(
            select member_id from entry union all select id from page where not is_entry))),
        own_name as materialized (
          select u.id, p.name from team_user u join person p on p.id = u.person_id
           where u.tenant_id = :tenantId and u.id = any (array(
             select user_id from membership where directory_name is null)))
        select page.id, d.user_name as "userName", d.attributes, d.external_id as "formerExternalId", d.role as "formerRole",
               m.id as "memberId", m.status, m.email, m.external_id as "externalId", m.role,
               m.directory_name as "directoryName", own_name.name, coalesce(d.created_at, m.created_at) as "createdAt",
               greatest(d.updated_at, m.updated_at) as "updatedAt",
               (${entries} + (select count(*) from others))::int as total
          from page
          left join entry d on d.id = page.id and page.is_entry
          left join membership m on m.id = case when page.is_entry then d.member_id else page.id end
          left join own_name on own_name.id = m.user_id
         order by page.id`,
  parameters: { tenantId: uuid, after: uuid, reach: bigint, limit: bigint, offset: bigint },
  row: { ...person, total: int.checked },
});

const count = query({
  name: 'directory.count',
  why,
  sql: `with others as materialized (${others}) select (${entries} + (select count(*) from others))::int as total`,
  parameters: { tenantId: uuid },
  row: { total: int.checked },
});

const countByState = query({
  name: 'directory.countByState',
  why: 'counts three states of a join in one pass',
  sql: `select count(*) filter (where m.status = 'active')::int as active,
               count(*) filter (where m.status = 'invited')::int as invited,
               count(*) filter (where m.status is null or m.status = 'ended')::int as deactivated
          from directory_user d left join member m on m.tenant_id = d.tenant_id and m.id = d.member_id
         where d.tenant_id = :tenantId`,
  parameters: { tenantId: uuid },
  row: { active: int.checked, invited: int.checked, deactivated: int.checked },
});

const present = query({
  name: 'directory.present',
  why: 'reads all members of a team without their attributes, for the groups',
  sql: `select coalesce(d.id, m.id) as id, m.id as "memberId", m.role, coalesce(d.user_name, m.email) as "userName"
          from member m left join directory_user d on d.tenant_id = m.tenant_id and d.member_id = m.id
         where m.tenant_id = :tenantId and m.status <> 'ended' and (m.role <> 'member' or not :onlyAdmins)
         order by 1 limit :limit`,
  parameters: { tenantId: uuid, onlyAdmins: bool, limit: bigint },
  row: { id: uuid.checked, memberId: uuid, role: oneOf('role', Role), userName: text.checked },
});

const beforeAll = '00000000-0000-0000-0000-000000000000';

/** Reads may be in a transaction or outside of one. */
type TxOrDatabase = Tx | Database;

export const directoryUsers = {
  byId: async (reader: TxOrDatabase, { id: tenantId }: TeamId, id: string) =>
    (await runOn(reader, byId, { tenantId, id }))[0],

  /** People with this user name, and members with this address, even if they have another user name. */
  byAddress: (reader: TxOrDatabase, { id: tenantId }: TeamId, address: string) =>
    runOn(reader, byAddress, { tenantId, address }),

  byExternalId: (reader: TxOrDatabase, { id: tenantId }: TeamId, externalId: string) =>
    runOn(reader, byExternalId, { tenantId, externalId }),

  /** The people after an id, in the order of their ids, each with the number of all people. */
  page: (
    reader: TxOrDatabase,
    { id: tenantId }: TeamId,
    { after = beforeAll, limit, offset = 0 }: { after?: string; limit: number; offset?: number },
  ) => runOn(reader, page, { tenantId, after, reach: limit + offset, limit, offset }),

  count: async (reader: TxOrDatabase, { id: tenantId }: TeamId) =>
    (await runOn(reader, count, { tenantId }))[0]?.total ?? 0,

  /** Counts the people of whom the directory has sent data: active members, invited members, and all others. */
  countByState: async (reader: TxOrDatabase, { id: tenantId }: TeamId) =>
    (await runOn(reader, countByState, { tenantId }))[0] ?? { active: 0, invited: 0, deactivated: 0 },

  /** Whether the team's directory has sent data of any person. */
  isKnown: async ({ prisma }: Database, { id: tenantId }: TeamId) =>
    (await prisma.directoryUser.findFirst({ where: { tenantId }, select: { id: true } })) !== null,

  /** Invited and active members, or only the owner and admins, in the order of their ids in the directory. */
  present: (reader: TxOrDatabase, { id: tenantId }: TeamId, which: { onlyAdmins: boolean; limit: number }) =>
    runOn(reader, present, { tenantId, ...which }),

  insert: (tx: Tx, { id: tenantId }: TeamId, row: NewRow) => tx.directoryUser.create({ data: { tenantId, ...row } }),

  update: (tx: Tx, { id: tenantId }: TeamId, id: string, data: DirectoryUserChange) =>
    writeLater(tx, () => tx.directoryUser.updateMany({ where: { tenantId, id }, data })),

  remove: (tx: Tx, { id: tenantId }: TeamId, id: string) =>
    writeLater(tx, () => tx.directoryUser.deleteMany({ where: { tenantId, id } })),

  /** The person whom a directory knows by an address, read with the transaction's next statement. */
  returningLater: (tx: Tx, { id: tenantId }: TeamId, address: string) => runLater(tx, returning, { tenantId, address }),

  link: (
    tx: Tx,
    { id: tenantId }: TeamId,
    id: string,
    data: { memberId: string; memberAddress: string; updatedAt: Date },
  ) => writeLater(tx, () => tx.directoryUser.updateMany({ where: { tenantId, id }, data })),

  /** Keeps the external id and the role of a membership that ends, for the person's return. */
  keep: (
    tx: Tx,
    { id: tenantId }: TeamId,
    memberId: string,
    data: Pick<DirectoryUserChange, 'externalId' | 'role' | 'updatedAt'>,
  ) => writeLater(tx, () => tx.directoryUser.updateMany({ where: { tenantId, memberId }, data })),

  /** Deletes the directory's data of a person with these memberships or addresses. */
  removeOfPerson: async (
    tx: Tx,
    tenantId: string,
    { memberIds, addresses }: { memberIds: string[]; addresses: string[] },
  ) =>
    (
      await tx.directoryUser.deleteMany({
        where: { tenantId, OR: [{ memberId: { in: memberIds } }, { address: { in: addresses } }] },
      })
    ).count,

  /** The teams whose directory knows an address. */
  teamsKnowing: async (tx: Tx, address: string) =>
    (await tx.directoryUser.findMany({ where: { address }, select: { tenantId: true } })).map(
      ({ tenantId }) => tenantId,
    ),
};

export const directoryData = teamTable({
  table: 'directory_user',
  values: ['id', 'memberId', 'externalId', 'role'],
  texts: ['userName', 'memberAddress'],
  names: ['address'],
  json: ['attributes'],
  times: ['createdAt', 'updatedAt'],
});
