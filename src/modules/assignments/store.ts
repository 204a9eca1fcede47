import { runIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import { AssignmentStatus, ScoreDimension } from '../../db/generated/enums.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { bigint, bool, day, int, listOf, nothing, oneOf, query, text, time, uuid } from '../../db/query.ts';
import type { ParametersOf, Query, RowOf } from '../../db/query.ts';
import { keysetList, select } from '../../platform/keyset-list.ts';
import { withinBudget } from '../../platform/paging.ts';
import { isListed } from '../trainings/store.ts';
import { limits } from '../../core/limits.ts';
import { deleteCounted, teamTable } from '../../platform/team-table.ts';

// The tables `assignment` and `pending_revocation`. Every read of assignments needs the member's user id and email, so they are joined in
// the same round trip.

const status = oneOf('assignment_status', AssignmentStatus);
const dimension = oneOf('score_dimension', ScoreDimension);

/**
 * SQL: whether the assignment `a` is revoked although its row does not say so yet (revocation.ts). The table is nearly always empty, and
 * a statement reads it once.
 */
const isRevoked = `(a.member_id = any (array(select p.member_id from pending_revocation p where p.tenant_id = :tenantId)) and not a.changed_since_removal)`;

const small = {
  id: uuid,
  status,
  title: text.orNull,
  situation_id: uuid.orNull,
  personality_id: uuid.orNull,
  industry_id: uuid.orNull,
  member_user_id: uuid.orNull,
  member_email: text,
  due_date: text.orNull,
  focus_dimension: dimension.orNull,
  completed_training_id: uuid.orNull,
  created_at: time,
  revocation_pending: bool.checked,
} as const;

const large = { note: text.orNull } as const;
const columns = { ...small, ...large } as const;

const expressions = {
  member_user_id: 'm.user_id',
  member_email: 'm.email',
  due_date: 'a.due_date::text',
  revocation_pending: isRevoked,
};

/** An assignment with its member. */
export type AssignmentRow = RowOf<typeof columns>;

const withMember = `from assignment a join member m on m.tenant_id = a.tenant_id and m.id = a.member_id
   where a.tenant_id = :tenantId`;

const why = 'joins the member and looks at pending removals in one round trip; Prisma makes three';

const byId = query({
  name: 'assignments.byId',
  why,
  sql: `select ${select(columns, expressions, 'a')} ${withMember} and a.id = :id`,
  parameters: { tenantId: uuid, id: uuid },
  row: columns,
});

/** The team's assignments, newest first. */
export const assignmentList = keysetList({
  name: 'assignments.list',
  why,
  cursor: 'assignments',
  columns: small,
  expressions,
  table: 'a',
  // A note may have 20,000 characters (120 kB in JSON), and 255 kB from before it was limited; few notes are long.
  bulk: { columns: large, bytes: 'a.bytes' },
  order: [
    ['a.created_at', 'created_at'],
    ['a.id', 'id'],
  ],
  direction: 'desc',
  sql: ({ columns: selected, conditions, limit }) =>
    `select ${selected} ${withMember} ${conditions} order by a.created_at desc, a.id desc limit ${limit}`,
});

const lockedRow = { ...columns, member_id: uuid } as const;

const lockToChange = query({
  name: 'assignments.lockToChange',
  why: 'Prisma has no row locks',
  sql: `select ${select(lockedRow, expressions, 'a')} ${withMember} and a.id = :id for no key update of a`,
  parameters: { tenantId: uuid, id: uuid },
  row: lockedRow,
});

const lockToDelete = query({
  name: 'assignments.lockToDelete',
  why: 'Prisma has no row locks',
  sql: `select ${select(lockedRow, expressions, 'a')} ${withMember} and a.id = :id for update of a`,
  parameters: { tenantId: uuid, id: uuid },
  row: lockedRow,
});

const lockRow = query({
  name: 'assignments.lockRow',
  why: 'Prisma has no row locks',
  sql: 'select id from assignment where tenant_id = :tenantId and id = :id for no key update',
  parameters: { tenantId: uuid, id: uuid },
  row: { id: uuid },
});

const insert = query({
  name: 'assignments.insert',
  why: 'POST /assignments: through Prisma the whole request costs 19 % more CPU',
  sql: `insert into assignment (tenant_id, id, member_id, title, situation_id, personality_id, industry_id, note, due_date,
                                focus_dimension, created_at)
        values (:tenantId, :id, :memberId, :title, :situationId, :personalityId, :industryId, :note, :dueDate, :focusDimension,
                :createdAt)`,
  parameters: {
    tenantId: uuid,
    id: uuid,
    memberId: uuid,
    title: text,
    situationId: uuid.orNull,
    personalityId: uuid.orNull,
    industryId: uuid.orNull,
    note: text.orNull,
    dueDate: day.orNull,
    focusDimension: dimension.orNull,
    createdAt: time,
  },
  row: {},
});

const shownTrainings = 20;

/** The size of the ids of an assignment's trainings in bytes. */
const bytesOfTrainings = shownTrainings * 40;

const progressRow = {
  ...columns,
  member_id: uuid,
  member_name: text.orNull,
  overdue: bool.checked,
  training_ids: listOf(text).checked,
  wanted: bool.checked,
  /** Whether the walk stopped here before its end. */
  walked: bool.checked,
  /** Whether the page ended here because of its budget. */
  more: bool.checked,
} as const;

export type ProgressRow = RowOf<typeof progressRow>;

const progressParameters = {
  tenantId: uuid,
  limit: int,
  walk: int,
  today: day,
  statuses: listOf(status),
  overdue: listOf(bool),
  since: time,
  until: time,
  id: uuid,
} as const;

/**
 * The orders of the list. Each is that of an index, also backwards, and a page starts after a position in it. Assignments without a due
 * date come after all others, in an order of their own.
 */
const progressOrders = {
  newest: {
    order: 'created_at desc, id desc',
    after: '(a.created_at, a.id) < (:createdAt::timestamptz, :id::uuid)',
    parameters: { createdAt: time },
  },
  oldest: {
    order: 'created_at, id',
    after: '(a.created_at, a.id) > (:createdAt::timestamptz, :id::uuid)',
    parameters: { createdAt: time },
  },
  due: { order: 'due_date, id', after: '(a.due_date, a.id) > (:due::date, :id::uuid)', parameters: { due: day } },
  due_last: {
    order: 'due_date desc, id desc',
    after: '(a.due_date, a.id) < (:due::date, :id::uuid)',
    parameters: { due: day },
  },
  undated: { order: 'id', after: 'a.due_date is null and a.id > :id::uuid', parameters: {} },
} as const;

export type ProgressOrder = keyof typeof progressOrders;

// Notes may be long, so the page also ends at its budget. Status and due date have no index: the page reads a limited number of the
// newest assignments and drops those that do not match. The last one of a full walk is always included, as the position for the next
// page.
const progressSql = (whose: string, { order, after }: { order: string; after: string }): string => `
  with walk as (
    select a.*, ${isRevoked} as revocation_pending, row_number() over (order by ${order}) = :walk::int as walked
      from assignment a
     where a.tenant_id = :tenantId ${whose} and ${after}
     order by ${order}
     limit :walk::int
  ), seen as (
    select walk.*, case when revocation_pending then 'revoked' else status end as status_now,
           coalesce(not revocation_pending and status in ('open', 'in_progress') and due_date < :today::date, false) as overdue from walk
  ), judged as (
    select seen.*,
           status_now = any (:statuses::assignment_status[]) and overdue = any (:overdue::boolean[])
             and created_at >= :since::timestamptz and created_at < :until::timestamptz as wanted
      from seen
  ), page as (
    ${withinBudget({
      page: `select * from judged where wanted or walked order by ${order} limit :limit::int`,
      order,
      columns: 'page.*',
      bytes: `bytes + ${bytesOfTrainings}`,
    })}
  )
  select a.id, a.status, a.title, a.situation_id, a.personality_id, a.industry_id, m.user_id as member_user_id,
         m.email as member_email, a.note, a.due_date::text as due_date, a.focus_dimension, a.completed_training_id, a.created_at,
         a.revocation_pending, a.member_id, a.overdue, a.wanted, a.walked, a.more,
         (select p.name from team_user u join person p on p.id = u.person_id
           where u.tenant_id = m.tenant_id and u.id = m.user_id) as member_name,
         array(select t.id::text from training t
                where t.tenant_id = a.tenant_id and t.assignment_id = a.id and ${isListed}
                order by t.created_at desc, t.id desc
                limit ${shownTrainings}) as training_ids
    from page a
    join member m on m.tenant_id = a.tenant_id and m.id = a.member_id
   order by ${order
     .split(', ')
     .map((column) => `a.${column}`)
     .join(', ')}`;

const progressWhy = 'walks a bounded number of rows for filters without an index, and joins names and trainings';

const progressOf = <const After extends Query['parameters']>(
  order: ProgressOrder,
  { parameters, ...sorted }: { order: string; after: string; parameters: After },
) => ({
  ofTeam: query({
    name: `assignments.progress ${order}`,
    why: progressWhy,
    sql: progressSql('', sorted),
    parameters: { ...progressParameters, ...parameters },
    row: progressRow,
  }),
  ofMember: query({
    name: `assignments.progressOfMember ${order}`,
    why: progressWhy,
    sql: progressSql('and a.member_id = :memberId', sorted),
    parameters: { ...progressParameters, ...parameters, memberId: uuid },
    row: progressRow,
  }),
});

const progress = {
  newest: progressOf('newest', progressOrders.newest),
  oldest: progressOf('oldest', progressOrders.oldest),
  due: progressOf('due', progressOrders.due),
  due_last: progressOf('due_last', progressOrders.due_last),
  undated: progressOf('undated', progressOrders.undated),
} as const;

const progressOfOne = query({
  name: 'assignments.progressOfOne',
  why: progressWhy,
  sql: progressSql('and a.member_id = :memberId and a.id = :assignmentId', progressOrders.newest),
  parameters: { ...progressParameters, ...progressOrders.newest.parameters, memberId: uuid, assignmentId: uuid },
  row: progressRow,
});

/** How many of the newest assignments a search by title examines: titles have no index. */
const searched = 5_000;

const titled = (name: string, whose: string) =>
  query({
    name: `assignments.${name}`,
    why: 'examines a bounded number of the newest rows',
    sql: `select id, title from (
            select id, title, created_at from assignment where tenant_id = :tenantId and ${whose}
             order by created_at desc, id desc limit ${searched}) as newest
           where title ilike :pattern order by created_at desc, id desc limit :limit`,
    parameters: { tenantId: uuid, memberId: uuid.orNull, pattern: text, limit: bigint },
    row: { id: uuid, title: text.checked },
  });

const titledOfTeam = titled('titled', ':memberId::uuid is null');
const titledOfMember = titled('titledOfMember', 'member_id = :memberId');

type ProgressWanted = ParametersOf<typeof progressParameters>;

/** An order, and the position in it after which a page starts. Without a due date the position is the id alone. */
export type ProgressFrom =
  | { order: 'newest' | 'oldest'; createdAt: string }
  | { order: 'due' | 'due_last'; due: string }
  | { order: 'undated' };

const keyOf = (tenantId: string, id: string) => ({ tenantId, id });

export const assignments = {
  get: async (database: Database, tenantId: string, id: string) => (await database.run(byId, { tenantId, id }))[0],

  lockToChange: async (tx: Tx, tenantId: string, id: string) => (await runIn(tx, lockToChange, { tenantId, id }))[0],

  /** The lock also blocks trainings that start to refer to it. */
  lockToDelete: async (tx: Tx, tenantId: string, id: string) => (await runIn(tx, lockToDelete, { tenantId, id }))[0],

  lockRow: (tx: Tx, tenantId: string, id: string) => runIn(tx, lockRow, { tenantId, id }),

  insert: (tx: Tx, row: ParametersOf<(typeof insert)['parameters']>) => runIn(tx, insert, row),

  update: (tx: Tx, tenantId: string, id: string, data: Prisma.AssignmentUncheckedUpdateManyInput) =>
    tx.assignment.updateMany({ where: keyOf(tenantId, id), data }),

  remove: (tx: Tx, tenantId: string, id: string) => tx.assignment.deleteMany({ where: keyOf(tenantId, id) }),

  /** The newest assignments whose title matches a LIKE pattern: of one member, or of all. */
  titled: (
    database: Database,
    tenantId: string,
    { memberId, ...wanted }: { memberId: string | null; pattern: string; limit: number },
  ) => database.run(memberId === null ? titledOfTeam : titledOfMember, { tenantId, memberId, ...wanted }),

  progress: (database: Database, from: ProgressFrom, wanted: ProgressWanted, memberId: string | undefined) => {
    const ofMember = { ...wanted, memberId: memberId ?? '' };
    const isOfTeam = memberId === undefined;
    if ('createdAt' in from) {
      const { ofTeam, ofMember: ofOne } = progress[from.order];
      const { createdAt } = from;
      return isOfTeam
        ? database.run(ofTeam, { ...wanted, createdAt })
        : database.run(ofOne, { ...ofMember, createdAt });
    }
    if ('due' in from) {
      const { ofTeam, ofMember: ofOne } = progress[from.order];
      const { due } = from;
      return isOfTeam ? database.run(ofTeam, { ...wanted, due }) : database.run(ofOne, { ...ofMember, due });
    }
    const { ofTeam, ofMember: ofOne } = progress.undated;
    return isOfTeam ? database.run(ofTeam, wanted) : database.run(ofOne, ofMember);
  },

  progressOfOne: async (
    database: Database,
    wanted: ProgressWanted & { createdAt: string; memberId: string; assignmentId: string },
  ) => (await database.run(progressOfOne, wanted))[0],
};

const countOf = query({
  name: 'assignments.countOfMember',
  why: 'compares with a limit that a function of the database has, which the trigger on members uses too',
  sql: `select count(*)::int as count, count(*) <= rewritten_at_once() as few
          from assignment where tenant_id = :tenantId and member_id = :memberId and status <> 'revoked'`,
  parameters: { tenantId: uuid, memberId: uuid },
  row: { count: int.checked, few: bool.checked },
});

const revokeAll = query({
  name: 'assignments.revokeAll',
  why: 'returns the former status of each row',
  sql: `with before as (
          select id, status from assignment
           where tenant_id = :tenantId and member_id = :memberId and status <> 'revoked' for no key update)
        update assignment set status = 'revoked', completed_training_id = null from before
         where assignment.tenant_id = :tenantId and assignment.id = before.id
        returning assignment.id, before.status as "from"`,
  parameters: { tenantId: uuid, memberId: uuid },
  row: { id: uuid, from: status },
});

const lockPending = query({
  name: 'assignments.lockPendingRevocation',
  why: 'Prisma has no row locks',
  sql: 'select member_id from pending_revocation where tenant_id = :tenantId and member_id = :memberId for update',
  parameters: { tenantId: uuid, memberId: uuid },
  row: { member_id: uuid },
});

// The rows are returned as they are after locking. All existed when the member was removed; none is added afterwards.
const revokeSome = query({
  name: 'assignments.revokeSome',
  why: 'revokes the next rows behind a position, and returns their former status',
  sql: `with batch as materialized (
          select id, created_at, status, changed_since_removal from assignment
           where tenant_id = :tenantId and member_id = :memberId and (created_at, id) > (:doneCreatedAt::timestamptz, :doneId::uuid)
           order by created_at, id limit :size::int
             for no key update),
        revoked as (
          update assignment set status = 'revoked', completed_training_id = null from batch
           where assignment.tenant_id = :tenantId and assignment.id = batch.id
             and batch.status <> 'revoked' and not batch.changed_since_removal
          returning assignment.id)
        select batch.id, batch.created_at, batch.status as "from",
               exists (select from revoked where revoked.id = batch.id) as revoked
          from batch
         order by batch.created_at, batch.id`,
  parameters: { tenantId: uuid, memberId: uuid, doneCreatedAt: time, doneId: uuid, size: int },
  row: { id: uuid, created_at: time, from: status, revoked: bool.checked },
});

const addJob = query({
  name: 'assignments.addRevocationJob',
  why: 'adds a job of graphile-worker',
  sql: 'select add_revocation_job(:tenantId, :memberId) as added',
  parameters: { tenantId: uuid, memberId: uuid },
  row: { added: nothing },
});

const addLostJobs = query({
  name: 'assignments.addLostRevocationJobs',
  why: 'adds jobs of graphile-worker',
  sql: 'select add_revocation_job(tenant_id, member_id) as added from pending_revocation limit 1000',
  parameters: {},
  row: { added: nothing },
});

export interface MemberKey {
  tenantId: string;
  memberId: string;
}

const pendingKey = ({ tenantId, memberId }: MemberKey) => ({ tenantId_memberId: { tenantId, memberId } });

export const revocations = {
  /** How many assignments of a member must be revoked, and whether they are few enough to do it at once. */
  countOf: async (tx: Tx, key: MemberKey) => (await runIn(tx, countOf, key))[0],

  revokeAll: (tx: Tx, key: MemberKey) => runIn(tx, revokeAll, key),

  revokeSome: (
    tx: Tx,
    { tenantId, memberId }: MemberKey,
    after: { doneCreatedAt: Date | string; doneId: string; size: number },
  ) => runIn(tx, revokeSome, { tenantId, memberId, ...after }),

  pending: (tx: Tx, key: MemberKey) => tx.pendingRevocation.findUniqueOrThrow({ where: pendingKey(key) }),

  /** Locks a pending revocation, and returns whether it exists. */
  lock: async (tx: Tx, { tenantId, memberId }: MemberKey) =>
    (await runIn(tx, lockPending, { tenantId, memberId })).length > 0,

  insert: (tx: Tx, data: Prisma.PendingRevocationUncheckedCreateInput) => tx.pendingRevocation.create({ data }),

  update: (tx: Tx, key: MemberKey, data: Prisma.PendingRevocationUncheckedUpdateInput) =>
    tx.pendingRevocation.update({ where: pendingKey(key), data }),

  remove: (tx: Tx, key: MemberKey) => tx.pendingRevocation.delete({ where: pendingKey(key) }),

  addJobIn: (tx: Tx, key: MemberKey) => runIn(tx, addJob, key),

  addJob: (database: Database, { tenantId, memberId }: MemberKey) => database.run(addJob, { tenantId, memberId }),

  addLostJobs: (database: Database) => database.run(addLostJobs, {}),
};

/** Assignments, as the team's export and the erasure of a person have them. */
export const assignmentData = teamTable({
  module: 'assignments',
  rows: 'from assignment',
  file: 'assignments.json',
  key: { id: 'uuid' },
  pageRows: 100,
  size: 'bytes',
  values: [
    'id',
    'member_id',
    'status',
    'situation_id',
    'personality_id',
    'industry_id',
    'due_date',
    'focus_dimension',
    'completed_training_id',
    'changed_since_removal',
  ],
  times: ['created_at'],
  texts: [['title', limits.assignmentTitleCharacters], 'note'],
  leftOut: { bytes: 'A size that the database computes.' },
  counted: true,
});

/** Not exported, because it is the state of a job. It may name the person who removed a member. */
export const revocationData = teamTable({
  module: 'assignments',
  rows: 'from pending_revocation',
  key: { member_id: 'uuid' },
  texts: ['actor_id'],
});

const someOfMembers = query({
  name: 'assignments.someOfMembers',
  why: 'reads a bounded number of ids in any order: Prisma would order them by the primary key',
  sql: 'select id from assignment where tenant_id = :tenantId and member_id = any (:memberIds::uuid[]) limit :size',
  parameters: { tenantId: uuid, memberIds: listOf(uuid), size: bigint },
  row: { id: uuid },
});

const deleteAssignments = deleteCounted('assignments.deleteSome', 'assignment');

const removeRevocationJob = query({
  name: 'assignments.removeRevocationJob',
  why: 'removes a job of graphile-worker',
  sql: `select remove_rewriting_job('revoke_assignments', :tenantId::uuid || ' ' || :memberId::uuid) as removed`,
  parameters: { tenantId: uuid, memberId: uuid },
  row: { removed: nothing },
});

/** Deletes the assignments of an erased person. */
export const erasedAssignments = {
  someOfMembers: async (tx: Tx, of: { tenantId: string; memberIds: string[] }, size: number) =>
    (await runIn(tx, someOfMembers, { ...of, size })).map(({ id }) => id),

  /** Deletes assignments to which no training refers, and returns their size in the team's storage. */
  remove: async (tx: Tx, tenantId: string, ids: string[]) =>
    (await runIn(tx, deleteAssignments, { tenantId, ids }))[0]?.bytes ?? 0,

  /** Deletes the pending revocations of members without assignments, and their jobs. */
  removePending: async (tx: Tx, { tenantId, memberIds }: { tenantId: string; memberIds: string[] }) => {
    for (const memberId of memberIds) await runIn(tx, removeRevocationJob, { tenantId, memberId });
    await tx.pendingRevocation.deleteMany({ where: { tenantId, memberId: { in: memberIds } } });
  },
};
