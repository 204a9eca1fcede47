import { makeId } from '../../src/core/ids.ts';
import type { Tx } from '../../src/db/database.ts';
import type { TrainingStatus } from '../../src/db/generated/client.ts';
import type { Team } from '../../src/platform/team.ts';
import { lockTeamShared } from '../../src/platform/team-row.ts';

export interface Score {
  total: number | null;
  closing: number;
  conversationControl: number;
  needsAnalysis: number;
  objectionHandling: number;
  valueArgument: number;
}

export interface PastTraining {
  userId: string;
  createdAt: Date;
  status: TrainingStatus;
  /** The first evaluation and its corrections, in order; only for a scored training. */
  scores?: readonly Score[];
}

/** A score whose dimensions and total are all the same. */
export const aScore = (value: number, total: number | null = value): Score => ({
  total,
  closing: value,
  conversationControl: value,
  needsAnalysis: value,
  objectionHandling: value,
  valueArgument: value,
});

const writeTrainings = async (tx: Tx, team: Team, trainings: readonly PastTraining[]): Promise<void> => {
  const rows = trainings.map((training) => ({ ...training, id: makeId(), score: training.scores?.at(-1) }));
  await tx.training.createMany({
    data: rows.map(({ id, userId, status, createdAt }) => ({
      tenantId: team.id,
      id,
      userId,
      status,
      source: 'app' as const,
      createdAt,
      updatedAt: createdAt,
      evaluatedAt: status === 'scored' ? team.platform.clock.now() : null,
    })),
  });
  await tx.evaluation.createMany({
    data: rows.flatMap(({ id, score, createdAt }) =>
      score ? [{ tenantId: team.id, trainingId: id, ...score, tips: [], createdAt }] : [],
    ),
  });
};

/** Writes a training with its last score, as if it had taken place. */
export const doTraining = (team: Team, training: PastTraining): Promise<void> => doTrainings(team, [training]);

/** Writes several trainings in one transaction. */
export const doTrainings = (team: Team, trainings: readonly PastTraining[]): Promise<void> =>
  team.platform.database.transaction(async (tx) => writeTrainings(tx, await lockTeamShared(tx, team), trainings));
