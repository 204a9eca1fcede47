import { utcDay } from '../../core/clock.ts';
import { limits } from '../../core/limits.ts';
import { runLater, writeLater, type Database, type Tx } from '../../db/database.ts';
import { AssignmentStatus, ScoreDimension } from '../../db/generated/enums.ts';
import type { Member, Prisma } from '../../db/generated/client.ts';
import { day, insertInto, likeText, oneOf, query, text, time, uuid, type RowOf } from '../../db/query.ts';
import { keysetList } from '../../platform/keyset-list.ts';
import { maxCounted } from '../../platform/paging.ts';
import { teamTable } from '../../platform/team-table.ts';

// The table `assignment`. Readers of changes find an assignment by its `updatedAt`, so each write of a field that the
// API shows must set it.

const status = oneOf('assignment_status', AssignmentStatus);

/** The columns of an assignment in every read. */
const small = {
  id: uuid,
  status,
  title: text.orNull,
  situationId: uuid.orNull,
  personalityId: uuid.orNull,
  industryId: uuid.orNull,
  memberUserId: uuid.orNull,
  memberEmail: text,
  dueDate: text.orNull,
  focusDimension: oneOf('score_dimension', ScoreDimension).orNull,
  completedTrainingId: uuid.orNull,
  createdAt: time,
  updatedAt: time,
} as const;

const large = { note: text.orNull } as const;

/** An assignment with the user and the address of its member. */
export type Assignment = RowOf<typeof small> & RowOf<typeof large>;

const omit = { tenantId: true, remindedBefore: true, remindedAfter: true } as const;

const withMember = {
  omit,
  include: { member: { select: { userId: true, email: true } } },
} satisfies Prisma.AssignmentDefaultArgs;

type StoredRow = Prisma.AssignmentGetPayload<typeof withMember>;

/** For reads of an assignment with the user, the address and the names of its member. */
const withName = {
  omit,
  include: {
    member: {
      select: {
        userId: true,
        email: true,
        directoryName: true,
        invitedName: true,
        user: { select: { person: { select: { name: true } } } },
      },
    },
  },
} satisfies Prisma.AssignmentDefaultArgs;

export type ProgressRow = Prisma.AssignmentGetPayload<typeof withName>;

/** Lists have times and days as texts, so an assignment that Prisma reads has them too. */
export const assignmentIn = ({
  memberId: _memberId,
  member,
  dueDate,
  createdAt,
  updatedAt,
  ...row
}: StoredRow): Assignment => ({
  ...row,
  memberUserId: member.userId,
  memberEmail: member.email,
  dueDate: dueDate && utcDay(dueDate),
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

/** Prisma represents a day as its midnight in UTC. */
const midnightOf = (day: string | null): Date | null => (day === null ? null : new Date(day));

const expressions = {
  memberUserId: 'm.user_id',
  memberEmail: 'm.email',
  dueDate: 'a.due_date::text',
};

/**
 * SQL: an upper bound for the size of the note in JSON, where a control character has six bytes. The note itself is not
 * read.
 */
const noteBytes = 'coalesce(octet_length(a.note) * 6, 0)';

const list = {
  why: 'a list of the API: through Prisma a page costs three times the CPU',
  columns: small,
  expressions,
  // The limit makes PostgreSQL look up the member of each row of the page. With a plain join it may begin with the
  // members, and sort all assignments of the team.
  from: `assignment a cross join lateral (
    select user_id, email from member where tenant_id = :tenantId and id = a.member_id limit 1) as m`,
  table: 'a',
  bulk: { columns: large, bytes: noteBytes },
} as const;

const filters = {
  memberId: { sql: 'a.member_id = :memberId', type: uuid, isId: true },
  status: { sql: 'a.status = :status', type: status, inStatement: true },
  dueBefore: { sql: 'a.due_date < :dueBefore', type: day },
} as const;

/** The team's assignments, newest first. */
export const assignmentList = keysetList({
  ...list,
  name: 'assignments.list',
  cursor: 'assignments',
  order: ['createdAt', 'id'],
  direction: 'desc',
  filters,
});

/** Assignments that changed since a time, in the order of their changes. */
export const assignmentChanges = keysetList({
  ...list,
  name: 'assignments.changes',
  cursor: 'changed assignments',
  order: ['updatedAt', 'id'],
  direction: 'asc',
  filters: { ...filters, updatedSince: { sql: 'a.updated_at >= :updatedSince', type: time, always: true } },
});

const { memberUserId: _user, memberEmail: _email, ...stored } = small;
const written = { tenantId: uuid, memberId: uuid, ...stored, ...large, dueDate: day.orNull } as const;

const insert = query({
  name: 'assignments.insert',
  why: 'is sent with COMMIT: Prisma needs an answer, or compiles the statement anew for each row',
  sql: insertInto('assignment', written),
  parameters: written,
  row: {},
});

/** The fields that can change. */
export type AssignmentFields = Pick<
  Assignment,
  'title' | 'status' | 'note' | 'dueDate' | 'focusDimension' | 'completedTrainingId'
>;

/** Whether the title contains each word of a search. */
export const titleHas = (search: string): Prisma.AssignmentWhereInput[] =>
  search
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => ({ title: { contains: likeText(word), mode: 'insensitive' } }));

/** The due days before which, and after which, the service reminds. */
export interface DueDays {
  before: readonly Date[];
  after: readonly Date[];
}

export const assignments = {
  get: (database: Tx, tenantId: string, id: string) =>
    database.assignment.findFirst({ where: { tenantId, id }, ...withMember }),

  /** The next assignments in the order of an index, as the app shows them. */
  inProgress: (
    { prisma }: Database,
    where: Prisma.AssignmentWhereInput,
    orderBy: Prisma.AssignmentOrderByWithRelationInput[],
    take: number,
  ) => prisma.assignment.findMany({ where, orderBy, take, ...withName }),

  /** How many assignments match. At most one more than the limit of counts is read. */
  count: ({ prisma }: Database, where: Prisma.AssignmentWhereInput) =>
    prisma.assignment.count({ where, take: maxCounted + 1 }),

  insert: (tx: Tx, key: { tenantId: string; memberId: string }, assignment: Assignment): void => {
    runLater(tx, insert, { ...key, ...assignment });
  },

  update: (
    tx: Tx,
    tenantId: string,
    id: string,
    { dueDate, ...data }: Partial<AssignmentFields> & { updatedAt: Date },
  ) =>
    writeLater(tx, () =>
      tx.assignment.updateMany({
        where: { tenantId, id },
        data: { ...data, ...(dueDate !== undefined && { dueDate: midnightOf(dueDate) }) },
      }),
    ),

  /** Notes that texts of these assignments were replaced. */
  touch: (tx: Tx, tenantId: string, ids: string[], updatedAt: Date) =>
    tx.assignment.updateMany({ where: { tenantId, id: { in: ids } }, data: { updatedAt } }),

  /** Replaces `updatedAt` if it is one of these times. */
  renew: (tx: Tx, key: { tenantId: string; id: string }, times: Date[], updatedAt: Date) =>
    tx.assignment.updateMany({ where: { ...key, updatedAt: { in: times } }, data: { updatedAt } }),

  /** Notes that the user or the address of these members has changed. */
  touchOfMembers: (tx: Tx, tenantId: string, memberIds: string[], updatedAt: Date) =>
    tx.assignment.updateMany({ where: { tenantId, memberId: { in: memberIds } }, data: { updatedAt } }),

  remove: (tx: Tx, tenantId: string, ids: string[]) =>
    writeLater(tx, () => tx.assignment.deleteMany({ where: { tenantId, id: { in: ids } } })),

  /** The newest assignments of one member, or of all, whose title contains these words. */
  titled: (
    { prisma }: Database,
    of: { tenantId: string; memberId?: string },
    { text: wanted, max }: { text: string; max: number },
  ) =>
    prisma.assignment.findMany({
      where: { ...of, AND: titleHas(wanted) },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: max,
      select: {
        id: true,
        title: true,
        member: {
          select: {
            email: true,
            directoryName: true,
            invitedName: true,
            user: { select: { person: { select: { name: true } } } },
          },
        },
      },
    }),

  /** Active members' unfinished assignments due on one of these days, with no reminder noted for that due day. */
  toRemind: (tx: Tx, { tenantId, ids }: { tenantId: string; ids?: string[] }, { before, after }: DueDays) =>
    tx.assignment.findMany({
      where: {
        tenantId,
        ...(ids && { id: { in: ids } }),
        status: { in: ['open', 'in_progress'] },
        member: { status: 'active' },
        OR: [
          ...before.map((dueDate) => ({
            dueDate,
            OR: [{ remindedBefore: null }, { remindedBefore: { not: dueDate } }],
          })),
          ...after.map((dueDate) => ({ dueDate, OR: [{ remindedAfter: null }, { remindedAfter: { not: dueDate } }] })),
        ],
      },
      select: {
        id: true,
        memberId: true,
        title: true,
        dueDate: true,
        createdAt: true,
        situationId: true,
        personalityId: true,
        industryId: true,
      },
      orderBy: { id: 'asc' },
    }),

  /**
   * Notes that the service has reminded the member before or after this due day. The API does not show this, so
   * `updatedAt` stays.
   */
  noteReminded: (tx: Tx, { tenantId, id }: { tenantId: string; id: string }, when: keyof DueDays, dueDate: Date) =>
    writeLater(tx, () =>
      tx.assignment.updateMany({
        where: { tenantId, id },
        data: when === 'before' ? { remindedBefore: dueDate } : { remindedAfter: dueDate },
      }),
    ),

  /** The title, due day, status and member of each of these assignments. */
  inBrief: async (tx: Tx, tenantId: string, ids: readonly string[]) => {
    const found = await tx.assignment.findMany({
      where: { tenantId, id: { in: [...ids] } },
      select: { id: true, memberId: true, status: true, title: true, dueDate: true },
    });
    return new Map(found.map((one) => [one.id, { ...one, dueDate: one.dueDate && utcDay(one.dueDate) }]));
  },

  /** The assignments of these members that have this situation, except revoked ones. */
  ofSituation: (tx: Tx, tenantId: string, memberIds: string[], situationId: string) =>
    tx.assignment.findMany({
      where: { tenantId, memberId: { in: memberIds }, situationId, status: { not: 'revoked' } },
      select: { memberId: true, personalityId: true, industryId: true, status: true },
    }),

  /** Ids of some assignments of these members. */
  someOfMembers: async (tx: Tx, tenantId: string, memberIds: string[], max: number) => {
    const found = await tx.assignment.findMany({
      where: { tenantId, memberId: { in: memberIds } },
      select: { id: true },
      take: max,
    });
    return found.map(({ id }) => id);
  },

  /**
   * Revokes all assignments of a member, including those from the person's earlier memberships. Returns those that were
   * not revoked before, with their former status.
   */
  revokeAllOf: async (tx: Tx, tenantId: string, { id, userId }: Pick<Member, 'id' | 'userId'>, updatedAt: Date) => {
    const member = { tenantId, ...(userId === null ? { id } : { userId }) };
    const where = { tenantId, member, status: { not: 'revoked' } } satisfies Prisma.AssignmentWhereInput;
    const found = await tx.assignment.findMany({ where, select: { id: true, status: true } });
    const data = { status: 'revoked', completedTrainingId: null, updatedAt } as const;
    await writeLater(tx, () => tx.assignment.updateMany({ where, data }));
    return found;
  },
};

/** Assignments in the team's export and in the erasure of a person. */
export const assignmentData = teamTable({
  table: 'assignment',
  pageRows: 100,
  values: [
    'id',
    'memberId',
    'status',
    'situationId',
    'personalityId',
    'industryId',
    'dueDate',
    'focusDimension',
    'completedTrainingId',
    'remindedBefore',
    'remindedAfter',
  ],
  times: ['createdAt', 'updatedAt'],
  texts: [['title', limits.assignmentTitleCharacters], 'note'],
});
