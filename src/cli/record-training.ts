import { later, secondsToMs } from '../core/clock.ts';
import { english, type Language } from '../core/language.ts';
import { fail } from '../core/problem.ts';
import type { TrainingStatus } from '../modules/trainings/schema.ts';
import {
  abortTraining,
  endTraining,
  noteRecordedNow,
  saveEvaluation,
  startTraining,
  type NewEvaluation,
} from '../modules/trainings/service.ts';
import { inTransaction, teamAt, type Team } from '../platform/team.ts';
import { lockTeamShared, teamLanguage } from '../platform/team-row.ts';
import { sampleEvaluation } from './demo/sample-evaluation.ts';

export interface Recorded {
  memberId: string;
  assignmentId?: string | undefined;
  /** When it started; now if absent. */
  at?: Date | undefined;
  status: TrainingStatus;
  /** The score of every dimension and the total, if the training is scored. */
  score: number;
}

/** The duration of a recorded training. */
const lengthMs = secondsToMs(8 * 60);

/** Records a whole training at once, with the same rules, events and sums as a real one. All or nothing. */
export const recordTraining = (
  caller: Team,
  { memberId, assignmentId, at, status, score }: Recorded,
): Promise<string> =>
  inTransaction(caller, async (tx) => {
    const now = caller.platform.clock.now();
    const startedAt = at ?? now;
    if (startedAt > now)
      fail('validation_error', { field: 'at', detail: english('A training can’t start in the future.') });
    const finishedAt = new Date(Math.min(later(startedAt, lengthMs).getTime(), now.getTime()));
    const team = { ...(await lockTeamShared(tx, caller)), tx };

    const started = teamAt(team, startedAt);
    const { trainingId: id } = await startTraining(started, {
      memberId,
      source: 'app',
      assignmentId: assignmentId ?? null,
    });
    const finished = teamAt(team, finishedAt);
    if (status === 'aborted') await abortTraining(finished, id);
    if (status === 'ended' || status === 'scored') await endTraining(finished, id);
    if (status === 'scored') await saveEvaluation(finished, id, evaluationWith(score, await teamLanguage(tx, team)));
    await noteRecordedNow(tx, team, { id, assignmentId, times: [startedAt, finishedAt] });
    return id;
  });

/** A plausible evaluation with this score in every dimension. */
export const evaluationWith = (score: number, language: Language): NewEvaluation =>
  sampleEvaluation(
    {
      closing: score,
      conversation_control: score,
      needs_analysis: score,
      objection_handling: score,
      value_argument: score,
    },
    language,
  );
