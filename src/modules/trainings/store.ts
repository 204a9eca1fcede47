import type { Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { lockRow } from '../../db/lock-row.ts';
import { teamTable } from '../../platform/team-table.ts';

// The tables `training`, `evaluation` and `pending_listing`. Trainings are shown only while their user is an active member: reads of one
// training check `isListed`, and lists check `t.listed` and leave out `hidden` rows.
//
// The column `listed` says whether a training is shown, except for users in `pending_listing`: a job still has to rewrite the column of
// their trainings. `pending_listing` is nearly always empty, so reading it in every statement costs little.

/** SQL: whether the training `t` is shown. Only for statements that read few rows: it can't use an index that begins with `listed`. */
export const isListed = `coalesce(
  (select not p.hidden from pending_listing p where p.tenant_id = t.tenant_id and p.user_id = t.user_id), t.listed)`;

type UserKey = { tenantId: string; userId: string };

const keyOf = (tenantId: string, id: string) => ({ tenantId_id: { tenantId, id } });

const newestFirst = [{ createdAt: 'desc' }, { id: 'desc' }] satisfies Prisma.TrainingOrderByWithRelationInput[];

/** The columns that a change of a training depends on. */
const changing = {
  userId: true,
  status: true,
  source: true,
  assignmentId: true,
  createdAt: true,
  evaluatedAt: true,
} satisfies Prisma.TrainingSelect;

export type ChangingTraining = Prisma.TrainingGetPayload<{ select: typeof changing }>;

const scored = {
  trainingId: true,
  total: true,
  closing: true,
  conversationControl: true,
  needsAnalysis: true,
  objectionHandling: true,
  valueArgument: true,
  training: { select: { userId: true, listed: true } },
} satisfies Prisma.EvaluationSelect;

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

export const trainings = {
  /** The scores of the trainings with these ids, also of those that are not shown. */
  scores: (tx: Tx, tenantId: string, ids: string[]) =>
    tx.evaluation.findMany({ where: { tenantId, trainingId: { in: ids } }, select: scored }),

  /** Locks a training until the transaction ends, and reads it. */
  lock: async (tx: Tx, tenantId: string, id: string) => {
    await lockRow(tx, 'training', { tenantId, id });
    return tx.training.findUnique({ where: keyOf(tenantId, id), select: changing });
  },

  assignmentOf: async (tx: Tx, tenantId: string, id: string) =>
    (await tx.training.findUnique({ where: keyOf(tenantId, id), select: { assignmentId: true } }))?.assignmentId,

  insert: (tx: Tx, data: Prisma.TrainingUncheckedCreateInput) => tx.training.create({ data, select: { id: true } }),

  insertMany: (tx: Tx, data: Prisma.TrainingCreateManyInput[]) => tx.training.createMany({ data }),

  update: (tx: Tx, tenantId: string, id: string, data: Prisma.TrainingUncheckedUpdateInput) =>
    tx.training.update({ where: keyOf(tenantId, id), data, select: { id: true } }),

  /** Detaches the trainings of an assignment from it. */
  detachFromAssignment: (tx: Tx, tenantId: string, assignmentId: string) =>
    tx.training.updateMany({ where: { tenantId, assignmentId }, data: { assignmentId: null } }),

  /** Sets `listed` of up to `most` of a user's trainings, the newest first, because lists start with them. Returns whether others are left. */
  relistSome: async (tx: Tx, user: UserKey, { listed, most }: { listed: boolean; most: number }): Promise<boolean> => {
    const wrong = await tx.training.findMany({
      where: { ...user, listed: !listed },
      select: { id: true },
      orderBy: newestFirst,
      take: most + 1,
    });
    const { tenantId } = user;
    await tx.training.updateMany({ where: { tenantId, id: { in: idsOf(wrong.slice(0, most)) } }, data: { listed } });
    return wrong.length > most;
  },
};

export const evaluations = {
  get: (tx: Tx, key: { tenantId: string; trainingId: string }) =>
    tx.evaluation.findUnique({ where: { tenantId_trainingId: key } }),

  put: (
    tx: Tx,
    key: { tenantId: string; trainingId: string },
    saved: Omit<Prisma.EvaluationUncheckedCreateInput, 'tenantId' | 'trainingId' | 'createdAt'>,
    createdAt: Date,
  ) =>
    tx.evaluation.upsert({
      where: { tenantId_trainingId: key },
      create: { ...key, ...saved, createdAt },
      update: saved,
    }),

  insertMany: (tx: Tx, data: Prisma.EvaluationCreateManyInput[]) => tx.evaluation.createMany({ data }),
};

export const pendingListings = {
  /** Those of a team. */
  of: (tx: Tx, tenantId: string) => tx.pendingListing.findMany({ where: { tenantId } }),

  put: (tx: Tx, key: UserKey, hidden: boolean) =>
    tx.pendingListing.upsert({ where: { tenantId_userId: key }, create: { ...key, hidden }, update: { hidden } }),

  remove: (tx: Tx, key: UserKey) => tx.pendingListing.deleteMany({ where: key }),

  /** Some of all teams. */
  some: (tx: Tx) => tx.pendingListing.findMany({ select: { tenantId: true, userId: true }, take: 1_000 }),
};

/** Trainings and evaluations, as the team's export and the erasure of a person have them. */
export const trainingData = teamTable({
  module: 'trainings',
  rows: 'from training',
  file: 'trainings.json',
  key: { id: 'uuid' },
  pageRows: 100,
  values: [
    'id',
    'user_id',
    'status',
    'source',
    'assignment_id',
    'duration_s',
    'situation_id',
    'personality_id',
    'industry_id',
    'role_id',
    'listed',
  ],
  times: ['created_at', 'finished_at', 'evaluated_at'],
  json: ['external_ref'],
  shownAs: { external_ref: 't.external_ref::jsonb' },
});

export const evaluationData = teamTable({
  module: 'trainings',
  rows: 'from evaluation',
  file: 'evaluations.json',
  key: { training_id: 'uuid' },
  pageRows: 100,
  values: [
    'training_id',
    'closing',
    'conversation_control',
    'needs_analysis',
    'objection_handling',
    'value_argument',
    'total',
    'spread',
    'goal',
    'methodology_id',
  ],
  times: ['created_at'],
  texts: ['strongest', 'biggest_lever'],
  json: ['tips'],
});

/** Trainings that are detached from erased assignments at once. */
const detachedAtOnce = 1_000;

/** For the erasure of a person. */
export const erasedTrainings = {
  /** The order is that of an index. */
  someOfUser: async (tx: Tx, user: UserKey, take: number) =>
    idsOf(
      await tx.training.findMany({
        where: user,
        select: { id: true },
        orderBy: [{ listed: 'asc' }, { createdAt: 'asc' }, { id: 'asc' }],
        take,
      }),
    ),

  /** Deletes trainings with their evaluations. */
  remove: async (tx: Tx, tenantId: string, ids: string[]) => {
    await tx.evaluation.deleteMany({ where: { tenantId, trainingId: { in: ids } } });
    await tx.training.deleteMany({ where: { tenantId, id: { in: ids } } });
  },

  /** Detaches some of the trainings of these assignments from them, and returns how many. */
  detachFromAssignments: async (tx: Tx, tenantId: string, assignmentIds: string[]) => {
    const found = await tx.training.findMany({
      where: { tenantId, assignmentId: { in: assignmentIds } },
      select: { id: true },
      orderBy: [{ assignmentId: 'asc' }, { createdAt: 'asc' }, { id: 'asc' }],
      take: detachedAtOnce,
    });
    if (found.length === 0) return 0;
    const where = { tenantId, id: { in: idsOf(found) } };
    return (await tx.training.updateMany({ where, data: { assignmentId: null } })).count;
  },
};
