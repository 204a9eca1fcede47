import { newId } from '../../core/ids.ts';
import type { Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import type { Team } from '../../platform/team.ts';
import { recount } from '../analytics/service.ts';
import { addUsage } from '../storage/service.ts';
import { lockTeam } from '../teams/service.ts';
import type { NewEvaluation, Training } from './schema.ts';
import { scoreOf } from './score.ts';
import { trainings } from './store.ts';

/** A session as it is said to have been. */
export interface PastTraining {
  user_id: string;
  /** One that `ended` and has an evaluation is `scored`. */
  status: 'running' | 'ended' | 'aborted';
  source: Training['source'];
  created_at: Date;
  /** Unless it is running. */
  finished_at?: Date;
  evaluation?: NewEvaluation & { saved_at: Date };
  assignment_id?: string | null;
  situation_id?: string | null;
  personality_id?: string | null;
  industry_id?: string | null;
  role_id?: string | null;
  external_ref?: Prisma.InputJsonObject;
}

const durationOf = ({ created_at, finished_at }: PastTraining): number | null =>
  finished_at ? Math.floor((finished_at.getTime() - created_at.getTime()) / 1000) : null;

const trainingRow = (id: string, { evaluation, ...past }: PastTraining) => ({
  ...past,
  id,
  status: evaluation ? 'scored' : past.status,
  duration_s: durationOf(past),
  evaluated_at: evaluation?.saved_at,
});

const evaluationRows = (training_id: string, { evaluation }: PastTraining) =>
  evaluation
    ? [
        {
          ...evaluation,
          ...evaluation.dimensions,
          ...scoreOf(evaluation),
          training_id,
          created_at: evaluation.saved_at,
        },
      ]
    : [];

/** How many one statement writes, so that none grows without bounds. */
const rowsAtOnce = 5_000;

/**
 * Writes a history of sessions as it is given, in bulk: no rule is asked, nobody is told, and what all came to is counted once
 * at the end. Gives the ids in the same order. It locks the team: before anything else in its transaction, always.
 *
 * The rows travel as one JSON text. As single values through the client they take five times as long, and a transaction has
 * only so much time.
 */
export const importTrainings = async (tx: Tx, team: Team, past: readonly PastTraining[]): Promise<string[]> => {
  await lockTeam(tx, team);
  const sessions = past.map((one) => ({ id: newId(), one }));
  for (let start = 0; start < sessions.length; start += rowsAtOnce) {
    const some = sessions.slice(start, start + rowsAtOnce);
    const bytes = await trainings.import(tx, team.id, {
      ids: some.map(({ id }) => id),
      trainings: JSON.stringify(some.map(({ id, one }) => trainingRow(id, one))),
      evaluations: JSON.stringify(some.flatMap(({ id, one }) => evaluationRows(id, one))),
    });
    await addUsage(tx, team.id, bytes);
  }
  await recount(tx, team);
  return sessions.map(({ id }) => id);
};
