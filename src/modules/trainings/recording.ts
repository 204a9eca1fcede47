import { makeId } from '../../core/ids.ts';
import { memberMessages } from '../../core/messages/people.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import { teamAt, type Team } from '../../platform/team.ts';
import { inShareLockedTeam, type ShareLockedTeam } from '../../platform/team-row.ts';
import { completeAssignment, noteChangedNow } from '../assignments/service.ts';
import { usersOfActive } from '../membership/service.ts';
import { requireRoom } from '../storage/service.ts';
import { durationOf, insertPast, type ImportedTraining, type PastTraining } from './import.ts';
import {
  beginPractice,
  noteAborted,
  noteEnded,
  noteEvaluated,
  noteStarted,
  requireMethodology,
  requireSize,
  storedTotal,
  type NewEvaluation,
} from './service.ts';

// Trainings that took place elsewhere are recorded as a whole, with the same rules, events and audit entries as if each
// had been started, ended and evaluated at its own times. Thousands of them need few round trips, because the rows are
// inserted together, and an event is written together with the next statement.

export interface NewRecording {
  memberId: string;
  assignmentId?: string | undefined;
  startedAt: Date;
  /** Absent while the training is running. An evaluation counts as saved at the end of the training. */
  end?: { at: Date; status: 'aborted' } | { at: Date; status: 'ended'; evaluation?: NewEvaluation } | undefined;
}

/** Checks a training, and begins its assignment. */
const begin = async (
  tx: Tx,
  team: Team,
  users: ReadonlyMap<string, string>,
  wanted: NewRecording,
): Promise<ImportedTraining> => {
  const { memberId, assignmentId = null, startedAt, end } = wanted;
  const evaluation = end?.status === 'ended' ? end.evaluation : undefined;
  if (evaluation) requireSize(evaluation);
  const userId = users.get(memberId) ?? fail('not_found', { detail: memberMessages.notActive });
  const source = 'app';
  const combination = await beginPractice(tx, teamAt(team, startedAt), memberId, { source, assignmentId });
  if (evaluation) await requireMethodology(tx, team, evaluation);
  const past: PastTraining = {
    userId,
    source,
    assignmentId,
    ...combination,
    createdAt: startedAt,
    status: end?.status ?? 'running',
    ...(end && { finishedAt: end.at }),
    ...(end && evaluation && { evaluation: { ...evaluation, savedAt: end.at } }),
  };
  return { id: makeId(), past, listed: true };
};

/** Raises the events of an inserted training, and completes its assignment. */
const finish = async (tx: Tx, team: ShareLockedTeam, { id, past }: ImportedTraining): Promise<void> => {
  const { userId, source, assignmentId = null, createdAt, finishedAt, evaluation } = past;
  const training = { id, userId, source, assignmentId };
  noteStarted(tx, teamAt(team, createdAt), training);
  if (finishedAt) {
    const finished = teamAt(team, finishedAt);
    const end = { finishedAt, durationS: durationOf(createdAt, finishedAt) };
    if (past.status === 'aborted') noteAborted(tx, finished, { id, ...end });
    else {
      if (assignmentId !== null) await completeAssignment(tx, finished, { id: assignmentId, trainingId: id });
      noteEnded(tx, finished, { ...training, ...end });
    }
    const action = 'evaluation.saved';
    if (evaluation) noteEvaluated(tx, finished, training, { total: storedTotal(evaluation), action });
  }
  // Readers of changes would miss an assignment that was changed in the past.
  const times = finishedAt ? [createdAt, finishedAt] : [createdAt];
  if (assignmentId !== null) await noteChangedNow(tx, team, assignmentId, times);
};

/**
 * Records trainings, all or nothing, and returns their ids in the same order. Calls `checking` with the index of each
 * training before its rules are checked.
 */
export const recordTrainings = async (
  caller: Team,
  wanted: readonly NewRecording[],
  checking: (index: number) => void = () => {},
): Promise<string[]> => {
  await requireRoom(caller);
  return inShareLockedTeam(caller, async (tx, team) => {
    const memberIds = wanted.map(({ memberId }) => memberId);
    const users = await usersOfActive(tx, team, memberIds);
    const recordings: ImportedTraining[] = [];
    for (const [index, one] of wanted.entries()) {
      checking(index);
      recordings.push(await begin(tx, team, users, one));
    }
    await insertPast(tx, team, recordings);
    for (const one of recordings) await finish(tx, team, one);
    return recordings.map(({ id }) => id);
  });
};
