import { writeLater, type Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { lockRow } from '../../db/lock-row.ts';
import { teamTable } from '../../platform/team-table.ts';

// The tables `training` and `evaluation`. A training is shown only while it is `listed`, which means that its user is
// an active member.
//
// Readers of changes find a training by `updatedAt`, so each write of a shown column sets it.

type UserKey = { tenantId: string; userId: string };

const keyOf = (tenantId: string, id: string) => ({ tenantId_id: { tenantId, id } });

/** The columns on which a change of a training depends. */
const changing = {
  userId: true,
  status: true,
  source: true,
  assignmentId: true,
  createdAt: true,
  evaluatedAt: true,
} satisfies Prisma.TrainingSelect;

export type ChangingTraining = Prisma.TrainingGetPayload<{ select: typeof changing }>;

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

export const trainings = {
  /** Locks a training until the transaction ends, and reads it. */
  lock: async (tx: Tx, tenantId: string, id: string) => {
    lockRow(tx, 'training', { tenantId, id });
    return tx.training.findUnique({ where: keyOf(tenantId, id), select: changing });
  },

  assignmentOf: async (tx: Tx, tenantId: string, id: string) =>
    (await tx.training.findUnique({ where: keyOf(tenantId, id), select: { assignmentId: true } }))?.assignmentId,

  insert: (tx: Tx, data: Prisma.TrainingUncheckedCreateInput) => tx.training.create({ data, select: { id: true } }),

  insertMany: (tx: Tx, data: Prisma.TrainingCreateManyInput[]) => tx.training.createMany({ data }),

  update: (tx: Tx, tenantId: string, id: string, data: Prisma.TrainingUncheckedUpdateInput & { updatedAt: Date }) =>
    tx.training.update({ where: keyOf(tenantId, id), data, select: { id: true } }),

  detachFromAssignment: (tx: Tx, tenantId: string, assignmentId: string, updatedAt: Date) =>
    writeLater(tx, () =>
      tx.training.updateMany({ where: { tenantId, assignmentId }, data: { assignmentId: null, updatedAt } }),
    ),

  /** Shows or hides all trainings of a user. All other fields, `updatedAt` too, stay as they are. */
  setListed: (tx: Tx, user: UserKey, listed: boolean) =>
    writeLater(tx, () => tx.training.updateMany({ where: { ...user, listed: !listed }, data: { listed } })),
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

/** Trainings and evaluations in the team's export and in the erasure of a person. */
export const trainingData = teamTable({
  table: 'training',
  pageRows: 100,
  values: [
    'id',
    'userId',
    'status',
    'source',
    'assignmentId',
    'durationS',
    'situationId',
    'personalityId',
    'industryId',
    'roleId',
    'listed',
  ],
  times: ['createdAt', 'finishedAt', 'evaluatedAt', 'updatedAt'],
  json: ['externalRef'],
  shownAs: { externalRef: 't.external_ref::jsonb' },
});

export const evaluationData = teamTable({
  table: 'evaluation',
  key: { trainingId: 'uuid' },
  pageRows: 100,
  values: [
    'trainingId',
    'closing',
    'conversationControl',
    'needsAnalysis',
    'objectionHandling',
    'valueArgument',
    'total',
    'spread',
    'goal',
    'methodologyId',
  ],
  times: ['createdAt'],
  texts: ['strongest', 'biggestLever'],
  json: ['tips'],
  leftOut: { bytes: 'A size for the pages of lists.' },
});

/** How many trainings one statement detaches from erased assignments. */
const detachedAtOnce = 1_000;

/** For the erasure of a person. */
export const erasedTrainings = {
  /** Some trainings of a user, in the order of an index. */
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
  detachFromAssignments: async (tx: Tx, tenantId: string, assignmentIds: string[], updatedAt: Date) => {
    const found = await tx.training.findMany({
      where: { tenantId, assignmentId: { in: assignmentIds } },
      select: { id: true },
      orderBy: [{ assignmentId: 'asc' }, { createdAt: 'asc' }, { id: 'asc' }],
      take: detachedAtOnce,
    });
    if (found.length === 0) return 0;
    const where = { tenantId, id: { in: idsOf(found) } };
    return (await tx.training.updateMany({ where, data: { assignmentId: null, updatedAt } })).count;
  },

  /** Records the time at which texts of these trainings or of their evaluations were replaced. */
  touch: (tx: Tx, tenantId: string, ids: string[], updatedAt: Date) =>
    tx.training.updateMany({ where: { tenantId, id: { in: ids } }, data: { updatedAt } }),
};
