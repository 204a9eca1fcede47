import { limits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { countScore } from '../analytics/service.ts';
import { recordStored } from '../audit/service.ts';
import type { AuditAction } from '../audit/service.ts';
import { isMethodology } from '../catalog/service.ts';
import { holdTeam } from '../teams/service.ts';
import { raise } from '../../webhooks/outbox.ts';
import type { NewEvaluation, TrainingState } from './schema.ts';
import { evaluationRow } from './score.ts';
import { lockSession } from './sessions.ts';
import { evaluations, trainings } from './store.ts';

/** Later than the time before, however fast one follows the other: who follows the changes sees each. */
const savedAfter = (before: Date | null, now: Date): Date =>
  before === null ? now : new Date(Math.max(now.getTime(), before.getTime() + 1));

/** All texts together have a limit of their own: characters may have four bytes each. */
const needSize = ({ tips, strongest, biggest_lever }: NewEvaluation): void => {
  const most = limits.evaluationTextsBytes;
  if (Buffer.byteLength(JSON.stringify({ tips, strongest, biggest_lever })) <= most) return;
  fail('validation_error', {
    field: 'tips',
    detail: `All texts of an evaluation together have at most ${most} bytes.`,
  });
};

/** Saves how a session that ended went, or corrects what was saved; `evaluation.completed` is raised either time. */
export const saveEvaluation = async (caller: Team, id: string, wanted: NewEvaluation): Promise<TrainingState> => {
  needSize(wanted);
  return inTransaction(caller, async (tx) => {
    const team = await holdTeam(tx, caller);
    const { status, user_id, created_at, evaluated_at } = await lockSession(tx, team, id);
    if (status === 'running') fail('conflict', { detail: 'The session is still running.' });
    if (status === 'aborted') fail('conflict', { detail: 'The session was aborted.' });

    const now = team.platform.clock.now();
    const key = { tenantId: team.id, trainingId: id };
    const before = await evaluations.get(tx, key);
    const { methodology } = wanted;
    // One that was saved before stays, whatever became of it since.
    if (
      methodology !== null &&
      methodology !== before?.methodologyId &&
      !(await isMethodology(tx, team, methodology))
    ) {
      fail('validation_error', { field: 'methodology' });
    }
    const saved = evaluationRow(wanted);
    const bytesBefore = before ? await evaluations.storedBytes(tx, key) : 0;
    await evaluations.put(tx, key, saved, now);
    await trainings.update(tx, team.id, id, { status: 'scored', evaluatedAt: savedAfter(evaluated_at, now) });
    await countScore(tx, team, { userId: user_id, createdAt: created_at }, { ...(before && { before }), now: saved });
    await raise(tx, team, 'evaluation.completed', {
      data: { training_id: id },
      // A score is a whole number: one that there is not is left out.
      personal: { user_id, ...(saved.total !== null && { score: saved.total }) },
    });
    const action: AuditAction = {
      action: before ? 'evaluation.corrected' : 'evaluation.saved',
      target: { type: 'training', id },
    };
    await recordStored(tx, team, action, (await evaluations.storedBytes(tx, key)) - bytesBefore);
    return { training_id: id, status: 'scored' };
  });
};
