import { later, secondsToMs } from '../core/clock.ts';
import { english, type Language } from '../core/language.ts';
import { fail } from '../core/problem.ts';
import type { TrainingStatus } from '../modules/trainings/schema.ts';
import { recordTrainings, type NewRecording } from '../modules/trainings/recording.ts';
import type { NewEvaluation } from '../modules/trainings/service.ts';
import type { Team } from '../platform/team.ts';
import { teamLanguage } from '../platform/team-row.ts';
import { sampleEvaluation } from './demo/sample-evaluation.ts';

export interface TrainingToRecord {
  memberId: string;
  assignmentId?: string | undefined;
  /** When it started; now if absent. */
  at?: Date | undefined;
  status: TrainingStatus;
  /** If the training is scored: the score of every dimension and the total. */
  score: number;
}

/** The duration of a recorded training, unless it would end in the future. */
const lengthMs = secondsToMs(8 * 60);

const recordingOf = (
  { memberId, assignmentId, at: started, status, score }: TrainingToRecord,
  now: Date,
  language: Language,
): NewRecording => {
  const startedAt = started ?? now;
  if (startedAt > now)
    fail('validation_error', { field: 'at', detail: english('A training can’t start in the future.') });
  const training = { memberId, assignmentId, startedAt };
  if (status === 'running') return training;
  const at = new Date(Math.min(later(startedAt, lengthMs).getTime(), now.getTime()));
  if (status === 'aborted') return { ...training, end: { at, status } };
  const evaluation = status === 'scored' && { evaluation: evaluationWith(score, language) };
  return { ...training, end: { at, status: 'ended', ...evaluation } };
};

/**
 * Records whole trainings, all or nothing, with the rules, events and sums of real ones. Calls `checking` with the
 * index of each training before its rules are checked.
 */
export const recordAll = async (
  team: Team,
  all: readonly TrainingToRecord[],
  checking: (index: number) => void = () => {},
): Promise<string[]> => {
  const { clock, database } = team.platform;
  const now = clock.now();
  const language = await teamLanguage(team.tx ?? database.prisma, team);
  const recordings = all.map((one, index) => {
    checking(index);
    return recordingOf(one, now, language);
  });
  return recordTrainings(team, recordings, checking);
};

/** Records one training, and returns its id. */
export const recordTraining = async (caller: Team, one: TrainingToRecord): Promise<string> => {
  const [id] = await recordAll(caller, [one]);
  return id ?? '';
};

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
