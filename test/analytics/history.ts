import { newId } from '../../src/core/ids.ts';
import type { Tx } from '../../src/db/database.ts';
import type { TrainingStatus } from '../../src/db/generated/client.ts';
import { countScore, countTraining as countEndedTraining } from '../../src/modules/analytics/service.ts';
import type { CountedScore } from '../../src/modules/analytics/service.ts';
import { lockTeamShared } from '../../src/modules/teams/service.ts';
import type { Team } from '../../src/platform/team.ts';

export interface PastTraining {
  userId: string;
  createdAt: Date;
  status: TrainingStatus;
  /** The first evaluation and its corrections, in order; only for a scored training. */
  scores?: readonly CountedScore[];
}

/** A score whose dimensions and total are all the same. */
export const aScore = (value: number, total: number | null = value): CountedScore => ({
  total,
  closing: value,
  conversationControl: value,
  needsAnalysis: value,
  objectionHandling: value,
  valueArgument: value,
});

const writeTrainings = async (tx: Tx, team: Team, trainings: readonly PastTraining[]): Promise<void> => {
  const rows = trainings.map((training) => ({ ...training, id: newId(), score: training.scores?.at(-1) }));
  await tx.training.createMany({
    data: rows.map(({ id, userId, status, createdAt }) => ({
      tenantId: team.id,
      id,
      userId,
      status,
      source: 'app' as const,
      createdAt,
      evaluatedAt: status === 'scored' ? team.platform.clock.now() : null,
    })),
  });
  await tx.evaluation.createMany({
    data: rows.flatMap(({ id, score, createdAt }) =>
      score ? [{ tenantId: team.id, trainingId: id, ...score, tips: [], createdAt }] : [],
    ),
  });
};

/** Counts a training with this status as the service does, step by step. */
const countTraining = async (tx: Tx, team: Team, { status, scores = [], ...training }: PastTraining) => {
  if (status === 'ended' || status === 'scored') await countEndedTraining(tx, team, training);
  for (const [index, now] of scores.entries()) {
    const before = scores[index - 1];
    await countScore(tx, team, training, before ? { before, now } : { now });
  }
};

/** Writes a training with its rows and all sums, as if it had taken place. */
export const doTraining = (team: Team, training: PastTraining): Promise<void> => doTrainings(team, [training]);

/** Writes several trainings in one transaction. Each is counted by itself, as the service does. */
export const doTrainings = (team: Team, trainings: readonly PastTraining[]): Promise<void> =>
  team.platform.database.transaction(async (tx) => {
    const held = await lockTeamShared(tx, team);
    await writeTrainings(tx, held, trainings);
    for (const training of trainings) await countTraining(tx, held, training);
  });

/** All sums of a team, in a fixed order. */
export const sumsOf = async ({ id, platform }: Team) => {
  const { prisma } = platform.database;
  return {
    totals: await prisma.trainingTotals.findMany({ where: { tenantId: id }, orderBy: { userId: 'asc' } }),
    weeks: await prisma.trainingWeek.findMany({
      where: { tenantId: id },
      orderBy: [{ week: 'asc' }, { userId: 'asc' }],
    }),
  };
};
