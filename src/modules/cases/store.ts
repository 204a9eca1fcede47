import { runIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import { privateCaseLimits } from '../../core/limits.ts';
import { bool, float, int, jsonb, namesOf, query, sameForEach, text, time, uuid } from '../../db/query.ts';
import type { RowOf } from '../../db/query.ts';
import { keysetList, select } from '../../platform/keyset-list.ts';
import { byPlan } from '../storage/service.ts';
import { teamTable } from '../../platform/team-table.ts';

// The table `case`. Free-form JSON is read and written as text: Prisma would parse it, and numbers would lose digits.

// A case's columns are listed here once. Reads, writes, the answer, the export and the erasure of a person follow from these lists.

const small = { id: uuid, user_id: uuid, created_at: time } as const;
/** Texts that clients write. */
const texts = { title: text.orNull, persona_id: text.orNull } as const;
/** JSON that clients write. */
const freeForm = { fields: text.orNull, external_ref: text.orNull } as const;
/** A case may have about 130 kB, and 255 kB from before its parts were limited. */
const large = { ...texts, ...freeForm } as const;
const columns = { ...small, ...large } as const;
export const textNames = namesOf(texts);
export const contentNames = namesOf(large);

export type CaseTexts = Record<keyof typeof texts, string | null>;
export const noTexts: CaseTexts = sameForEach(textNames, null);

const selected = select(columns, { fields: 'fields::text', external_ref: 'external_ref::text' });

/** The columns of every read of a case. */
export type CaseRow = RowOf<typeof columns>;

const why = 'free-form JSON has to come as text, or numbers lose digits';

const teamCase = query({
  name: 'cases.ofTeam',
  why,
  sql: `select ${selected} from "case" where tenant_id = :tenantId and id = :id and not private`,
  parameters: { tenantId: uuid, id: uuid },
  row: columns,
});

const privateCase = query({
  name: 'cases.privateOf',
  why,
  sql: `select ${selected} from "case" where tenant_id = :tenantId and id = :id and private and user_id = :userId`,
  parameters: { tenantId: uuid, id: uuid, userId: uuid },
  row: columns,
});

const caseList = (name: string, { cursor, isPrivate }: { cursor: string; isPrivate: boolean }) =>
  keysetList({
    name,
    why,
    cursor,
    columns: small,
    bulk: { columns: large, casts: { fields: '::text', external_ref: '::text' }, bytes: 'bytes', always: true },
    order: [
      ['created_at', 'created_at'],
      ['id', 'id'],
    ],
    direction: 'desc',
    sql: ({ columns: these, conditions, limit }) =>
      `select ${these} from "case" where tenant_id = :tenantId and private = ${isPrivate} ${conditions}
        order by created_at desc, id desc limit ${limit}`,
    filters: { user_id: { sql: 'user_id = :user_id', type: uuid, isId: true } },
  });

export const teamCaseList = caseList('cases.list', { cursor: 'cases', isPrivate: false });
export const privateCaseList = caseList('cases.privateList', { cursor: 'own cases', isPrivate: true });

const lockedRow = {
  ...columns,
  /** The new JSON in the text form of the database, where the order of keys makes no difference. */
  wanted_fields: text.orNull,
  wanted_ref: text.orNull,
} as const;

export type LockedCase = RowOf<typeof lockedRow>;

const lockSql = (which: string): string =>
  `select ${selected}, :fields::jsonb::text as wanted_fields, :ref::jsonb::text as wanted_ref
     from "case" where tenant_id = :tenantId and id = :id and ${which}
      for no key update`;

const lockOfTeam = query({
  name: 'cases.lockOfTeam',
  why: 'Prisma has no row locks',
  sql: lockSql('not private'),
  parameters: { tenantId: uuid, id: uuid, fields: jsonb.orNull, ref: jsonb.orNull },
  row: lockedRow,
});

const lockPrivate = query({
  name: 'cases.lockPrivate',
  why: 'Prisma has no row locks',
  sql: lockSql('private and user_id = :userId'),
  parameters: { tenantId: uuid, id: uuid, userId: uuid, fields: jsonb.orNull, ref: jsonb.orNull },
  row: lockedRow,
});

const insert = query({
  name: 'cases.insert',
  why,
  sql: `insert into "case" (tenant_id, id, user_id, ${textNames.join(', ')}, fields, external_ref, private, created_at)
        values (:tenantId, :id, :userId, ${textNames.map((name) => `:${name}`).join(', ')}, :fields::jsonb, :ref::jsonb, :isPrivate, :createdAt)
        returning fields::text as fields, external_ref::text as external_ref`,
  parameters: {
    tenantId: uuid,
    id: uuid,
    userId: uuid,
    ...texts,
    fields: jsonb.orNull,
    ref: jsonb.orNull,
    isPrivate: bool,
    createdAt: time,
  },
  row: { fields: text.orNull, external_ref: text.orNull },
});

const update = query({
  name: 'cases.update',
  why,
  // Unchanged JSON is not written again.
  sql: `update "case" set ${textNames.map((name) => `${name} = :${name}`).join(', ')},
               fields = case when :setFields then :fields::jsonb else fields end,
               external_ref = case when :setRef then :ref::jsonb else external_ref end
         where tenant_id = :tenantId and id = :id`,
  parameters: {
    tenantId: uuid,
    id: uuid,
    ...texts,
    setFields: bool,
    fields: jsonb.orNull,
    setRef: bool,
    ref: jsonb.orNull,
  },
  row: {},
});

const storedSizes = query({
  name: 'cases.storedSizes',
  why: 'Prisma would read the JSON to measure it',
  sql: `select coalesce(octet_length(fields::text), 0) as fields, coalesce(octet_length(external_ref::text), 0) as external_ref
          from "case"
         where tenant_id = :tenantId and id = :id and private = :isPrivate and (:userId::uuid is null or user_id = :userId)`,
  parameters: { tenantId: uuid, id: uuid, isPrivate: bool, userId: uuid.orNull },
  row: { fields: int.checked, external_ref: int.checked },
});

// Called after the private case was written. The person's counter is then locked, so requests of one person can't exceed it together. The
// team's sum is read without a lock.
const hasRoom = query({
  name: 'cases.hasPrivateRoom',
  why: 'compares two sums with limits that depend on the plan, in one statement',
  sql: `select own.private_bytes <= ${byPlan(privateCaseLimits.ofOnePerson)}
               and (select sum(private_bytes) from team_user where tenant_id = :tenantId) <= ${byPlan(privateCaseLimits.ofAllTogether)} as enough
          from team_user own join team on team.id = own.tenant_id
         where own.tenant_id = :tenantId and own.id = :userId`,
  parameters: { tenantId: uuid, userId: uuid },
  row: { enough: bool.orNull },
});

/** SQL: whether all memberships of the user `u` ended before `:before`. */
const leftBefore = `u.private_bytes > 0 and not exists (
  select from member m
   where m.tenant_id = u.tenant_id and m.user_id = u.id and (m.status <> 'ended' or m.ended_at is null or m.ended_at >= :before))`;

const nextFormerMember = query({
  name: 'cases.nextFormerMember',
  why: 'walks users by a pair of columns, each examined for memberships that have not ended',
  sql: `select u.tenant_id, u.id as user_id from team_user u
         where (u.tenant_id, u.id) > (:afterTenant, :afterUser) and ${leftBefore}
         order by u.tenant_id, u.id limit 1`,
  parameters: { before: time, afterTenant: uuid, afterUser: uuid },
  row: { tenant_id: uuid, user_id: uuid },
});

export type FormerMember = RowOf<(typeof nextFormerMember)['row']>;

export const deletedAtOnce = 200;

// The membership is checked again: the transaction has locked the team, so no membership starts meanwhile.
const deletePrivate = query({
  name: 'cases.deletePrivateOfFormerMember',
  why: 'deletes a bounded number and sums up what they counted for',
  sql: `with batch as materialized (
          select c.tenant_id, c.id from "case" c
            join team_user u on u.tenant_id = c.tenant_id and u.id = c.user_id
           where c.tenant_id = :tenantId and c.user_id = :userId and c.private and ${leftBefore}
           limit ${deletedAtOnce} for update of c),
        gone as (
          delete from "case" c using batch where c.tenant_id = batch.tenant_id and c.id = batch.id returning stored_bytes(c) as bytes)
        select count(*)::int as count, coalesce(sum(bytes), 0)::text as bytes from gone`,
  parameters: { tenantId: uuid, userId: uuid, before: time },
  row: { count: int.checked, bytes: text.checked },
});

interface Content extends CaseTexts {
  fields: string | null;
  ref: string | null;
}

interface Wanted {
  id: string;
  fields: string | null;
  ref: string | null;
}

export const cases = {
  ofTeam: async (database: Database, tenantId: string, id: string) =>
    (await database.run(teamCase, { tenantId, id }))[0],

  privateOf: async (database: Database, tenantId: string, which: { userId: string; id: string }) =>
    (await database.run(privateCase, { tenantId, ...which }))[0],

  lockOfTeam: async (tx: Tx, tenantId: string, wanted: Wanted) =>
    (await runIn(tx, lockOfTeam, { tenantId, ...wanted }))[0],

  lockPrivate: async (tx: Tx, tenantId: string, wanted: Wanted & { userId: string }) =>
    (await runIn(tx, lockPrivate, { tenantId, ...wanted }))[0],

  /** The size of a case's free-form values; `userId` is the owner of a private case. */
  storedSizes: async (
    database: Database,
    tenantId: string,
    which: { id: string; isPrivate: boolean; userId: string | null },
  ) => (await database.run(storedSizes, { tenantId, ...which }))[0],

  /** Inserts a case, and returns its JSON as the database writes it. */
  insert: async (
    tx: Tx,
    row: Content & { tenantId: string; id: string; userId: string; isPrivate: boolean; createdAt: Date },
  ) => (await runIn(tx, insert, row))[0],

  /** Updates a case that this transaction has locked. */
  update: (tx: Tx, row: Content & { tenantId: string; id: string; setFields: boolean; setRef: boolean }) =>
    runIn(tx, update, row),

  share: (tx: Tx, tenantId: string, id: string) =>
    tx.case.updateMany({ where: { tenantId, id }, data: { private: false } }),

  remove: (tx: Tx, tenantId: string, id: string) => tx.case.deleteMany({ where: { tenantId, id } }),

  /** Whether the private cases of a person, and of the whole team, are within their limits. */
  hasPrivateRoom: async (tx: Tx, tenantId: string, userId: string) =>
    (await runIn(tx, hasRoom, { tenantId, userId }))[0]?.enough === true,

  /** The next user, after the given one, who left before a time and still has private cases. */
  nextFormerMember: async (database: Database, before: Date, after: FormerMember) =>
    (await database.run(nextFormerMember, { before, afterTenant: after.tenant_id, afterUser: after.user_id }))[0],

  deletePrivateOf: async (tx: Tx, { tenant_id: tenantId, user_id: userId }: FormerMember, before: Date) =>
    (await runIn(tx, deletePrivate, { tenantId, userId, before }))[0],
};

const ofTeamOnly = (column: string): string => `case when t.private then null else t.${column} end`;

/** Cases in the team's export and in the erasure of a person. The export leaves out the content of private cases. */
export const caseData = teamTable({
  module: 'cases',
  rows: 'from "case"',
  file: 'cases.json',
  key: { id: 'uuid' },
  pageRows: 50,
  size: 'bytes',
  values: ['id', 'user_id', 'private'],
  times: ['created_at'],
  texts: textNames,
  json: namesOf(freeForm),
  leftOut: { bytes: 'A size that the database computes.' },
  shownAs: Object.fromEntries(contentNames.map((name) => [name, ofTeamOnly(name)])),
  counted: true,
});

const erasedAtOnce = 200;

const deletePrivateOfUser = query({
  name: 'cases.deletePrivateOfUser',
  why: 'deletes a bounded number and sums up what they counted for',
  sql: `with batch as materialized (
          select id from "case" where tenant_id = :tenantId and user_id = :userId and private limit ${erasedAtOnce}),
        gone as (
          delete from "case" c using batch where c.tenant_id = :tenantId and c.id = batch.id returning stored_bytes(c) as bytes)
        select count(*)::int as count, coalesce(sum(bytes), 0)::float8 as bytes from gone`,
  parameters: { tenantId: uuid, userId: uuid },
  row: { count: int.checked, bytes: float.checked },
});

const giveAway = query({
  name: 'cases.giveAway',
  why: 'updates a bounded number of rows',
  sql: `with batch as materialized (
          select id from "case" where tenant_id = :tenantId and user_id = :userId and not private limit ${erasedAtOnce}),
        given as (
          update "case" c set user_id = :to from batch where c.tenant_id = :tenantId and c.id = batch.id returning 1)
        select count(*)::int as count from given`,
  parameters: { tenantId: uuid, userId: uuid, to: uuid },
  row: { count: int.checked },
});

/** Deletes an erased person's private cases and transfers the shared ones to another user, a bounded number at a time. */
export const erasedCases = {
  deletePrivate: async (tx: Tx, key: { tenantId: string; userId: string }) =>
    (await runIn(tx, deletePrivateOfUser, key))[0] ?? { count: 0, bytes: 0 },

  /** Transfers the team's cases of a user to another one, and returns how many there were. */
  giveAway: async (tx: Tx, key: { tenantId: string; userId: string; to: string }) =>
    (await runIn(tx, giveAway, key))[0]?.count ?? 0,
};
