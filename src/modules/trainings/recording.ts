import { later, seconds } from '../../core/clock.ts';
import { fail } from '../../core/problem.ts';
import { inTransaction, teamAt } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { lockTeam } from '../teams/service.ts';
import { evaluationWith } from './evaluation-texts.ts';
import { saveEvaluation } from './evaluations.ts';
import type { TrainingStatus } from './schema.ts';
import { abortTraining, endTraining, startTraining } from './sessions.ts';

interface Recorded {
  memberId: string;
  assignmentId?: string | undefined;
  /** When it started; now, unless given. */
  at?: Date | undefined;
  status: TrainingStatus;
  /** What each dimension and the total of a scored one is. */
  score: number;
}

/** How long a session takes that somebody only tells of. */
const length = seconds(8 * 60);

/** Goes through a whole session at once, the way that it would have gone: the same rules, events and sums. All or nothing. */
export const recordTraining = (
  caller: Team,
  { memberId, assignmentId, at, status, score }: Recorded,
): Promise<string> =>
  inTransaction(caller, async (tx) => {
    const now = caller.platform.clock.now();
    const startedAt = at ?? now;
    if (startedAt > now) fail('validation_error', { field: 'at', detail: 'A session can not start in the future.' });
    const finishedAt = new Date(Math.min(later(startedAt, length).getTime(), now.getTime()));
    const team = { ...(await lockTeam(tx, caller)), tx };

    const started = teamAt(team, startedAt);
    const { training_id: id } = await startTraining(started, {
      memberId,
      source: 'app',
      assignment_id: assignmentId ?? null,
    });
    const finished = teamAt(team, finishedAt);
    if (status === 'aborted') await abortTraining(finished, id);
    if (status === 'ended' || status === 'scored') await endTraining(finished, id);
    if (status === 'scored') await saveEvaluation(finished, id, evaluationWith(score, team.row.language));
    return id;
  });
