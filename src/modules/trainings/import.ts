import { makeId } from '../../core/ids.ts';
import type { Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import type { Team } from '../../platform/team.ts';
import { lockTeam } from '../../platform/team-row.ts';
import { activeUsers } from '../membership/service.ts';
import { evaluationRow } from './service.ts';
import type { NewEvaluation, Training } from './schema.ts';
import { evaluations, trainings } from './store.ts';

/** A past training to import. */
export interface PastTraining {
  user_id: string;
  /** With an evaluation, a training that `ended` is `scored`. */
  status: 'running' | 'ended' | 'aborted';
  source: Training['source'];
  created_at: Date;
  /** Absent while it is running. */
  finished_at?: Date;
  evaluation?: NewEvaluation & { saved_at: Date };
  assignment_id?: string | null;
  situation_id?: string | null;
  personality_id?: string | null;
  industry_id?: string | null;
  role_id?: string | null;
  external_ref?: Prisma.InputJsonObject;
}

const trainingRow = (one: PastTraining) => ({
  userId: one.user_id,
  status: one.evaluation ? ('scored' as const) : one.status,
  source: one.source,
  assignmentId: one.assignment_id ?? null,
  situationId: one.situation_id ?? null,
  personalityId: one.personality_id ?? null,
  industryId: one.industry_id ?? null,
  roleId: one.role_id ?? null,
  externalRef: one.external_ref ? JSON.stringify(one.external_ref) : null,
  finishedAt: one.finished_at ?? null,
  durationS: one.finished_at ? Math.floor((one.finished_at.getTime() - one.created_at.getTime()) / 1000) : null,
  evaluatedAt: one.evaluation?.saved_at ?? null,
  createdAt: one.created_at,
});

/**
 * Imports past trainings in bulk: no rules are checked and no events raised. Returns the ids in the same order. It locks the team, so it must be the first in its transaction.
 */
export const importTrainings = async (tx: Tx, team: Team, past: readonly PastTraining[]): Promise<string[]> => {
  await lockTeam(tx, team);
  const active = await activeUsers(tx, team);
  const tenantId = team.id;
  const updatedAt = team.platform.clock.now();
  const rows = past.map((one) => ({ id: makeId(), one }));
  await trainings.insertMany(
    tx,
    rows.map(({ id, one }) => ({ tenantId, id, listed: active.has(one.user_id), updatedAt, ...trainingRow(one) })),
  );
  await evaluations.insertMany(
    tx,
    rows.flatMap(({ id, one: { evaluation } }) =>
      evaluation ? [{ tenantId, trainingId: id, createdAt: evaluation.saved_at, ...evaluationRow(evaluation) }] : [],
    ),
  );
  return rows.map(({ id }) => id);
};
