import { isId, makeId } from '../../core/ids.ts';
import { isActive, isActiveUser, memberOf } from '../membership/service.ts';
import type * as schema from './schema.ts';
import { memberMessages } from '../../core/messages/people.ts';
import { trainingMessages } from '../../core/messages/trainings.ts';
import { trainingLimits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import { toSnake, type Camel } from '../../core/spelling.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { inShareLockedTeam, type ShareLockedTeam } from '../../platform/team-row.ts';
import { raise } from '../../deliveries/outbox.ts';
import {
  beginAssignment,
  completeAssignment,
  lockAssignmentRow,
  type AssignedPractice,
} from '../assignments/service.ts';
import { record } from '../audit/service.ts';
import { checkCombination, isAllowedMethodology } from '../catalog/service.ts';
import { requireRoom } from '../storage/service.ts';
import { evaluationCompleted, trainingCompleted } from './events.ts';
import { trainings, evaluations, type ChangingTraining } from './store.ts';

// A training is in one of four states.
//
//   (new) ──started──▶ running ──ended──▶ ended ──evaluation saved──▶ scored ─┐
//                         │                                             ▲      │ evaluation corrected
//                         │ aborted                                     └──────┘
//                         ▼
//                      aborted
//
// Ending a training that has ended, even if it was scored since, or aborting an aborted one changes nothing, so a
// client may repeat a request whose answer was lost. Every other transition is a `conflict`. The trainings of a person
// who isn't an active member can't be found. They are kept unchanged and can be found again once the person has joined
// again.
//
// A transition takes the locks that it needs in this order: the team (so that no membership ends before the transaction
// does), the assignment, the training.

type TrainingState = Camel<schema.TrainingState>;
type NewTraining = Camel<schema.NewTraining>;
export type NewEvaluation = Camel<schema.NewEvaluation>;

/** The user to whom the training must belong; absent: any user of the team. */
interface OfUser {
  userId?: string | undefined;
}

/** Locks a training of an active member until the transaction ends. */
const lockTraining = async (tx: Tx, team: Team, id: string, { userId }: OfUser = {}): Promise<ChangingTraining> => {
  const training = (isId(id) ? await trainings.lock(tx, team.id, id) : undefined) ?? fail('not_found');
  if (userId !== undefined && training.userId !== userId) fail('not_found');
  return (await isActiveUser(tx, team, training.userId)) ? training : fail('not_found');
};

/**
 * Locks the assignment of a training, if it has one, before the training is locked. The assignment may be deleted
 * between the two statements.
 */
const lockAssignmentOf = async (tx: Tx, team: Team, id: string): Promise<void> => {
  const assignmentId = isId(id) ? await trainings.assignmentOf(tx, team.id, id) : undefined;
  if (typeof assignmentId === 'string') lockAssignmentRow(tx, team, assignmentId);
};

/**
 * The user of an active member. The member stays active, because memberships start and end only while the team is
 * locked.
 */
const activeUser = async (tx: Tx, team: Team, memberId: string): Promise<string> => {
  const member = await memberOf(tx, team, memberId);
  return isActive(member) ? member.userId : fail('not_found', { detail: memberMessages.notActive });
};

const nothingAssigned: AssignedPractice = { situationId: null, personalityId: null, industryId: null };

/** The combination to practise. A part that the request leaves out comes from the assignment, which has no role. */
const combinationOf = (wanted: NewTraining, assigned: AssignedPractice) => ({
  situationId: wanted.situationId === undefined ? assigned.situationId : wanted.situationId,
  personalityId: wanted.personalityId === undefined ? assigned.personalityId : wanted.personalityId,
  industryId: wanted.industryId === undefined ? assigned.industryId : wanted.industryId,
  roleId: wanted.roleId ?? null,
});

/**
 * Begins the assignment of a new training, if it has one, and returns the combination to practise, which must be
 * possible for the member.
 */
export const beginPractice = async (tx: Tx, team: Team, memberId: string, wanted: NewTraining) => {
  const { assignmentId: id } = wanted;
  const assigned = typeof id === 'string' ? await beginAssignment(tx, team, { id, memberId }) : nothingAssigned;
  const combination = combinationOf(wanted, assigned);
  await checkCombination(tx, team, memberId, combination);
  return combination;
};

/** A training in the form that its audit entries and events have. */
interface NamedTraining {
  id: string;
  userId: string;
  source: schema.Training['source'];
  assignmentId: string | null;
}

export const noteStarted = (tx: Tx, team: Team, { id, userId, source, assignmentId }: NamedTraining): void =>
  record(tx, team, {
    action: 'training.started',
    target: { type: 'training', id },
    data: { userId, source, assignmentId },
  });

/** An active member starts a training, with or without an assignment. */
export const startTraining = async (
  caller: Team,
  { memberId, ...wanted }: NewTraining & { memberId: string },
): Promise<TrainingState> => {
  await requireRoom(caller);
  return inShareLockedTeam(caller, async (tx, team) => {
    const userId = await activeUser(tx, team, memberId);
    const { source, assignmentId = null, externalRef = null } = wanted;
    const combination = await beginPractice(tx, team, memberId, wanted);

    const training = { id: makeId(), userId, source, assignmentId };
    const now = team.platform.clock.now();
    await trainings.insert(tx, {
      tenantId: team.id,
      ...training,
      ...combination,
      externalRef: externalRef?.text ?? null,
      createdAt: now,
      updatedAt: now,
    });
    noteStarted(tx, team, training);
    return { trainingId: training.id, status: 'running' };
  });
};

/** The largest value of the column: about 68 years. */
const longest = 2_147_483_647;

/** The end of a training that ends now. It is never before the start, even if the clocks of two machines differ. */
const endOf = ({ createdAt }: ChangingTraining, now: Date): TrainingEnd => {
  const finishedAt = new Date(Math.max(now.getTime(), createdAt.getTime()));
  const seconds = Math.floor((finishedAt.getTime() - createdAt.getTime()) / 1000);
  return { finishedAt, durationS: Math.min(seconds, longest) };
};

interface TrainingEnd {
  finishedAt: Date;
  durationS: number;
}

/** Raises `training.completed`, and writes the audit entry of the end. */
export const noteEnded = (tx: Tx, team: ShareLockedTeam, training: NamedTraining & TrainingEnd): void => {
  const { id, userId, source, assignmentId, finishedAt, durationS } = training;
  raise(tx, team, trainingCompleted, {
    data: {
      training_id: id,
      status: 'ended',
      source,
      assignment_id: assignmentId,
      finished_at: finishedAt.toISOString(),
      duration_s: durationS,
    },
    personal: { user_id: userId },
  });
  record(tx, team, {
    action: 'training.ended',
    target: { type: 'training', id },
    data: { durationS },
  });
};

export const noteAborted = (
  tx: Tx,
  team: Team,
  { id, durationS }: Pick<NamedTraining & TrainingEnd, 'id' | 'durationS'>,
): void =>
  record(tx, team, {
    action: 'training.aborted',
    target: { type: 'training', id },
    data: { durationS },
  });

/** Ends a training: its assignment is completed and `training.completed` is raised, all or nothing. */
export const endTraining = (caller: Team, id: string, whose?: OfUser): Promise<TrainingState> =>
  inShareLockedTeam(caller, async (tx, team) => {
    await lockAssignmentOf(tx, team, id);
    const training = await lockTraining(tx, team, id, whose);
    const { status, source, assignmentId, userId } = training;
    if (status === 'ended' || status === 'scored') return { trainingId: id, status };
    if (status === 'aborted') fail('conflict', { detail: trainingMessages.aborted });

    const updatedAt = team.platform.clock.now();
    const end = endOf(training, updatedAt);
    await trainings.update(tx, team.id, id, { status: 'ended', ...end, updatedAt });
    if (assignmentId !== null) await completeAssignment(tx, team, { id: assignmentId, trainingId: id });
    noteEnded(tx, team, { id, userId, source, assignmentId, ...end });
    return { trainingId: id, status: 'ended' };
  });

/** Aborts a training: it completes no assignment and raises no event. */
export const abortTraining = (caller: Team, id: string, whose?: OfUser): Promise<TrainingState> =>
  inShareLockedTeam(caller, async (tx, team) => {
    const training = await lockTraining(tx, team, id, whose);
    if (training.status === 'aborted') return { trainingId: id, status: 'aborted' };
    if (training.status !== 'running') fail('conflict', { detail: trainingMessages.ended });

    const updatedAt = team.platform.clock.now();
    const { finishedAt, durationS } = endOf(training, updatedAt);
    await trainings.update(tx, team.id, id, { status: 'aborted', finishedAt, durationS, updatedAt });
    noteAborted(tx, team, { id, durationS });
    return { trainingId: id, status: 'aborted' };
  });

/**
 * The time of a save. It is always later than that of the previous save, so that a client that follows the changes sees
 * each of them.
 */
const savedAfter = (before: Date | null, now: Date): Date =>
  before === null ? now : new Date(Math.max(now.getTime(), before.getTime() + 1));

/** The texts of an evaluation in bytes, written as the JSON of an answer. */
const textBytesOf = ({ tips, strongest, biggestLever }: NewEvaluation): number =>
  Buffer.byteLength(JSON.stringify(toSnake({ tips, strongest, biggestLever })));

/** All texts together have a limit in bytes, because a character may have four. */
export const requireSize = (evaluation: NewEvaluation): void => {
  const max = trainingLimits.evaluationTextsBytes;
  if (textBytesOf(evaluation) <= max) return;
  fail('validation_error', {
    field: 'tips',
    detail: trainingMessages.evaluationTooLarge(max),
  });
};

/** Refuses an unknown methodology, and one that the team may not use. */
export const requireMethodology = async (tx: Tx, team: Team, { methodology }: NewEvaluation): Promise<void> => {
  if (methodology === null || (await isAllowedMethodology(tx, team, methodology))) return;
  fail('validation_error', {
    field: 'methodology',
    detail: trainingMessages.methodology,
  });
};

/** Raises `evaluation.completed`, and writes the audit entry of the evaluation. */
export const noteEvaluated = (
  tx: Tx,
  team: ShareLockedTeam,
  { id, userId }: Pick<NamedTraining, 'id' | 'userId'>,
  { total, action }: { total: number | null; action: 'evaluation.saved' | 'evaluation.corrected' },
): void => {
  raise(tx, team, evaluationCompleted, {
    data: { training_id: id },
    // The event's `score` can't be null, so a missing score is left out.
    personal: { user_id: userId, ...(total !== null && { score: total }) },
  });
  record(tx, team, { action, target: { type: 'training', id } });
};

/** Saves the evaluation of a training that ended, or corrects it. Both raise `evaluation.completed`. */
export const saveEvaluation = async (caller: Team, id: string, wanted: NewEvaluation): Promise<TrainingState> => {
  requireSize(wanted);
  await requireRoom(caller);
  return inShareLockedTeam(caller, async (tx, team) => {
    const { status, userId, evaluatedAt } = await lockTraining(tx, team, id);
    if (status === 'running') fail('conflict', { detail: trainingMessages.running });
    if (status === 'aborted') fail('conflict', { detail: trainingMessages.aborted });

    const now = team.platform.clock.now();
    const key = { tenantId: team.id, trainingId: id };
    const before = await evaluations.get(tx, key);
    // A methodology that is already saved stays valid, even if it is no longer allowed.
    if (wanted.methodology !== before?.methodologyId) await requireMethodology(tx, team, wanted);
    const saved = evaluationRow(wanted);
    await evaluations.put(tx, key, saved, now);
    const savedAt = savedAfter(evaluatedAt, now);
    await trainings.update(tx, team.id, id, { status: 'scored', evaluatedAt: savedAt, updatedAt: savedAt });
    const action = before ? 'evaluation.corrected' : 'evaluation.saved';
    noteEvaluated(tx, team, { id, userId }, { total: saved.total, action });
    return { trainingId: id, status: 'scored' };
  });
};

type Dimensions = NewEvaluation['dimensions'];

/** The mean of the five dimensions, rounded half up. */
export const totalOf = (dimensions: Dimensions): number =>
  Math.round(Object.values(dimensions).reduce((sum, score) => sum + score, 0) / 5);

/** The difference between the best and the weakest dimension. */
export const spreadOf = (dimensions: Dimensions): number => {
  const scores = Object.values(dimensions);
  return Math.max(...scores) - Math.min(...scores);
};

/** The stored total. It is computed from the dimensions if it was not given. */
export const storedTotal = ({ dimensions, total = totalOf(dimensions) }: NewEvaluation): number | null => total;

export const evaluationRow = (evaluation: NewEvaluation) => {
  const { dimensions } = evaluation;
  return {
    ...dimensions,
    total: storedTotal(evaluation),
    spread: spreadOf(dimensions),
    goal: evaluation.goal,
    tips: evaluation.tips,
    methodologyId: evaluation.methodology,
    strongest: evaluation.strongest,
    biggestLever: evaluation.biggestLever,
    bytes: textBytesOf(evaluation),
  };
};

/**
 * Shows or hides the trainings of a user whose membership has just begun or ended: a training is listed exactly while
 * its user is an active member. The team must be locked.
 */
export const updateListedOf = async (tx: Tx, { id: tenantId }: Pick<Team, 'id'>, userId: string): Promise<void> => {
  const listed = await isActiveUser(tx, { id: tenantId }, userId);
  await trainings.setListed(tx, { tenantId, userId }, listed);
};
