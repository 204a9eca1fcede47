import type { Database, Tx } from '../../db/database.ts';
import { AssignmentStatus, ScoreDimension } from '../../db/generated/enums.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { likeText, oneOf, text, time, uuid } from '../../db/query.ts';
import { keysetList } from '../../platform/keyset-list.ts';
import { maxCounted } from '../../platform/paging.ts';
import { limits } from '../../core/limits.ts';
import { teamTable } from '../../platform/team-table.ts';

// The table `assignment`. Readers of changes find an assignment by `updatedAt`, so each write of what the API shows sets it.

const columns = {
  id: true,
  memberId: true,
  status: true,
  title: true,
  situationId: true,
  personalityId: true,
  industryId: true,
  note: true,
  dueDate: true,
  focusDimension: true,
  completedTrainingId: true,
  createdAt: true,
  updatedAt: true,
  member: { select: { userId: true, email: true } },
} satisfies Prisma.AssignmentSelect;

/** An assignment with its member. */
export type AssignmentRow = Prisma.AssignmentGetPayload<{ select: typeof columns }>;

/** Also the member's name. */
const progress = {
  ...columns,
  member: { select: { userId: true, email: true, user: { select: { person: { select: { name: true } } } } } },
} satisfies Prisma.AssignmentSelect;

export type ProgressRow = Prisma.AssignmentGetPayload<{ select: typeof progress }>;

const status = oneOf('assignment_status', AssignmentStatus);

/** The columns of lists, as answers have them. */
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
  focus_dimension: oneOf('score_dimension', ScoreDimension).orNull,
  completed_training_id: uuid.orNull,
  created_at: time,
  updated_at: time,
} as const;

const large = { note: text.orNull } as const;

const expressions = {
  member_user_id: 'm.user_id',
  member_email: 'm.email',
  due_date: 'a.due_date::text',
};

/** SQL: at least the size of the note in JSON, where a control character has six bytes. It does not read the note. */
const noteBytes = 'coalesce(octet_length(a.note) * 6, 0)';

const list = {
  why: 'a list of the API: through Prisma a page costs three times the CPU',
  columns: small,
  expressions,
  from: 'assignment a join member m on m.tenant_id = :tenantId and m.id = a.member_id',
  table: 'a',
  bulk: { columns: large, bytes: noteBytes },
} as const;

/** The team's assignments, newest first. */
export const assignmentList = keysetList({
  ...list,
  name: 'assignments.list',
  cursor: 'assignments',
  order: ['created_at', 'id'],
  direction: 'desc',
});

/** Assignments that changed since a time, in the order of their changes. */
export const assignmentChanges = keysetList({
  ...list,
  name: 'assignments.changes',
  cursor: 'changed assignments',
  order: ['updated_at', 'id'],
  direction: 'asc',
  filters: { updated_since: { sql: 'a.updated_at >= :updated_since', type: time, always: true } },
});

export const assignments = {
  get: (database: Tx, tenantId: string, id: string) =>
    database.assignment.findFirst({ where: { tenantId, id }, select: columns }),

  /** The next assignments in the order of an index, as the app shows them. */
  inProgress: (
    { prisma }: Database,
    where: Prisma.AssignmentWhereInput,
    orderBy: Prisma.AssignmentOrderByWithRelationInput[],
    take: number,
  ) => prisma.assignment.findMany({ where, orderBy, take, select: progress }),

  /** How many there are, of which no more than one beyond the limit of counts are read. */
  count: ({ prisma }: Database, where: Prisma.AssignmentWhereInput) =>
    prisma.assignment.count({ where, take: maxCounted + 1 }),

  insert: (tx: Tx, data: Prisma.AssignmentUncheckedCreateInput) => tx.assignment.create({ data, select: { id: true } }),

  update: (
    tx: Tx,
    tenantId: string,
    id: string,
    data: Prisma.AssignmentUncheckedUpdateManyInput & { updatedAt: Date },
  ) => tx.assignment.updateMany({ where: { tenantId, id }, data }),

  /** Texts of these assignments were replaced. */
  touch: (tx: Tx, tenantId: string, ids: string[], updatedAt: Date) =>
    tx.assignment.updateMany({ where: { tenantId, id: { in: ids } }, data: { updatedAt } }),

  /** Replaces `updatedAt` if it is one of these times. */
  renew: (tx: Tx, key: { tenantId: string; id: string }, times: Date[], updatedAt: Date) =>
    tx.assignment.updateMany({ where: { ...key, updatedAt: { in: times } }, data: { updatedAt } }),

  /** The user or the address of these members has changed. */
  touchOfMembers: (tx: Tx, tenantId: string, memberIds: string[], updatedAt: Date) =>
    tx.assignment.updateMany({ where: { tenantId, memberId: { in: memberIds } }, data: { updatedAt } }),

  remove: (tx: Tx, tenantId: string, ids: string[]) =>
    tx.assignment.deleteMany({ where: { tenantId, id: { in: ids } } }),

  /** The newest assignments whose title contains a text: of one member, or of all. */
  titled: (
    { prisma }: Database,
    of: { tenantId: string; memberId?: string },
    { text: wanted, max }: { text: string; max: number },
  ) =>
    prisma.assignment.findMany({
      where: { ...of, title: { contains: likeText(wanted), mode: 'insensitive' } },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: max,
      select: {
        id: true,
        title: true,
        member: { select: { email: true, user: { select: { person: { select: { name: true } } } } } },
      },
    }),

  /** Ids of members' assignments. */
  someOfMembers: async (tx: Tx, tenantId: string, memberIds: string[], max: number) => {
    const found = await tx.assignment.findMany({
      where: { tenantId, memberId: { in: memberIds } },
      select: { id: true },
      take: max,
    });
    return found.map(({ id }) => id);
  },

  /** Revokes all assignments of a member, and returns those that were not revoked, with their former status. */
  revokeAllOf: async (tx: Tx, tenantId: string, memberId: string, updatedAt: Date) => {
    const where = { tenantId, memberId, status: { not: 'revoked' } } satisfies Prisma.AssignmentWhereInput;
    const found = await tx.assignment.findMany({ where, select: { id: true, status: true } });
    await tx.assignment.updateMany({ where, data: { status: 'revoked', completedTrainingId: null, updatedAt } });
    return found;
  },
};

/** Assignments, as the team's export and the erasure of a person have them. */
export const assignmentData = teamTable({
  table: 'assignment',
  pageRows: 100,
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
  ],
  times: ['created_at', 'updated_at'],
  texts: [['title', limits.assignmentTitleCharacters], 'note'],
});
