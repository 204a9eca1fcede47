import { makeId } from '../../core/ids.ts';
import type { Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import type { Team } from '../../platform/team.ts';
import { lockTeam } from '../../platform/team-row.ts';
import type { Combination } from '../catalog/service.ts';
import { activeUsers } from '../membership/service.ts';
import { evaluationRow, type NewEvaluation } from './service.ts';
import type { Training } from './schema.ts';
import { evaluations, trainings } from './store.ts';

export interface PastTraining extends Combination {
  userId: string;
  /** If a training has an evaluation, `ended` becomes `scored`. */
  status: 'running' | 'ended' | 'aborted';
  source: Training['source'];
  createdAt: Date;
  /** Absent while it is running. */
  finishedAt?: Date;
  evaluation?: NewEvaluation & { savedAt: Date };
  assignmentId?: string | null;
  externalRef?: Prisma.InputJsonObject;
}

/** The duration in seconds. */
export const durationOf = (createdAt: Date, finishedAt: Date): number =>
  Math.floor((finishedAt.getTime() - createdAt.getTime()) / 1000);

const trainingRow = ({ evaluation, status, externalRef, ...past }: PastTraining) => ({
  ...past,
  status: evaluation ? ('scored' as const) : status,
  externalRef: externalRef ? JSON.stringify(externalRef) : null,
  durationS: past.finishedAt ? durationOf(past.createdAt, past.finishedAt) : null,
  evaluatedAt: evaluation?.savedAt ?? null,
});

export interface ImportedTraining {
  id: string;
  past: PastTraining;
  /** Whether the user of the training is an active member. */
  listed: boolean;
}

export const insertPast = async (tx: Tx, team: Team, imported: readonly ImportedTraining[]): Promise<void> => {
  const tenantId = team.id;
  // Readers of changes find the trainings by the time of their import.
  const updatedAt = team.platform.clock.now();
  await trainings.insertMany(
    tx,
    imported.map(({ past, ...own }) => ({ tenantId, ...own, updatedAt, ...trainingRow(past) })),
  );
  await evaluations.insertMany(
    tx,
    imported.flatMap(({ id, past: { evaluation } }) =>
      evaluation ? [{ tenantId, trainingId: id, createdAt: evaluation.savedAt, ...evaluationRow(evaluation) }] : [],
    ),
  );
};

/**
 * Imports past trainings in bulk: no rules are checked and no events raised. Returns the ids in the same order. It
 * locks the team, so it must come first in its transaction.
 */
export const importTrainings = async (tx: Tx, team: Team, imported: readonly PastTraining[]): Promise<string[]> => {
  await lockTeam(tx, team);
  const active = await activeUsers(tx, team);
  const rows = imported.map((past) => ({ id: makeId(), past, listed: active.has(past.userId) }));
  await insertPast(tx, team, rows);
  return rows.map(({ id }) => id);
};
