import { days, later } from '../../core/clock.ts';
import { isId, newId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { fail, failUntil } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { countSession } from '../analytics/service.ts';
import { beginAssignment, completeAssignment, lockAssignmentRow } from '../assignments/service.ts';
import type { AssignedPractice } from '../assignments/service.ts';
import { record, recordStored } from '../audit/service.ts';
import type { AuditAction } from '../audit/service.ts';
import { checkCombination } from '../catalog/service.ts';
import type { Combination } from '../catalog/service.ts';
import { isActive, memberOf } from '../members/membership.ts';
import { holdTeam } from '../teams/service.ts';
import { raise } from '../../webhooks/outbox.ts';
import type { NewTraining, TrainingState } from './schema.ts';
import { trainings } from './store.ts';

/**
 * A training session is in one of four states.
 *
 *   (new) ──started──▶ running ──ended──▶ ended ──evaluation saved──▶ scored ─┐
 *                         │                                             ▲      │ evaluation corrected
 *                         │ aborted                                     └──────┘
 *                         ▼
 *                      aborted
 *
 * Ending what ended, also if it was scored since, and aborting what was aborted is nothing new: an answer that got lost may be
 * asked for again. Every other move is a `conflict`. Who is not an active member has no sessions: they are not found, and are
 * there again as they were once the person is.
 *
 * A move holds the team's row first, so that no membership ends meanwhile, then the assignment's, then the session's, then
 * the sums.
 */
export interface LockedSession extends Omit<LockedRow, 'created_at' | 'evaluated_at'> {
  created_at: Date;
  evaluated_at: Date | null;
}

type LockedRow = NonNullable<Awaited<ReturnType<typeof trainings.lock>>>;

/** Whose session it must be; unless given, anybody's of the team. */
export interface Whose {
  userId?: string | undefined;
}

/** Locks a session of an active member until the transaction ends. */
export const lockSession = async (tx: Tx, team: Team, id: string, { userId }: Whose = {}): Promise<LockedSession> => {
  const session = isId(id) ? await trainings.lock(tx, team.id, id) : undefined;
  if (!session || (userId !== undefined && session.user_id !== userId)) return fail('not_found');
  const { created_at, evaluated_at } = session;
  return {
    ...session,
    created_at: new Date(created_at),
    evaluated_at: evaluated_at === null ? null : new Date(evaluated_at),
  };
};

/** Locks the assignment that a session is of, if it is of any, ahead of the session. Until then it may be deleted. */
const lockAssignmentOf = async (tx: Tx, team: Team, id: string): Promise<void> => {
  const assignmentId = isId(id) ? await trainings.assignmentOf(tx, team.id, id) : undefined;
  if (typeof assignmentId === 'string') await lockAssignmentRow(tx, team, assignmentId);
};

/** The user behind an active member, who stays one: a membership begins and ends under the team's lock, which is held here. */
const activeUser = async (tx: Tx, team: Team, memberId: string): Promise<string> => {
  const member = await memberOf(tx, team, memberId);
  return isActive(member) ? member.userId : fail('not_found', { detail: 'The team has no such active member.' });
};

/** Refuses a person one more session than anybody can practise in a day. What operators record is their own business. */
const needRoomForSession = async (tx: Tx, team: Team, userId: string): Promise<void> => {
  if (team.actor.kind !== 'person') return;
  const now = team.platform.clock.now();
  const count = limits.trainingsPerPersonPerDay;
  const start = await trainings.startOfNewest(tx, { tenantId: team.id, userId, since: later(now, -days(1)), count });
  if (!start) return;
  failUntil(later(start, days(1)), now, `A person can start ${count} sessions within 24 hours.`);
};

const nothingAssigned: AssignedPractice = { situation_id: null, personality_id: null, industry_id: null };

/** What is practised: what was asked for, else what the assignment says. */
const combinationOf = (wanted: NewTraining, assigned: AssignedPractice) => ({
  situation_id: wanted.situation_id === undefined ? assigned.situation_id : wanted.situation_id,
  personality_id: wanted.personality_id === undefined ? assigned.personality_id : wanted.personality_id,
  industry_id: wanted.industry_id === undefined ? assigned.industry_id : wanted.industry_id,
  role_id: wanted.role_id ?? null,
});

/** An active member starts a session, of an assignment of theirs or by themselves. */
export const startTraining = (
  caller: Team,
  { memberId, ...wanted }: NewTraining & { memberId: string },
): Promise<TrainingState> =>
  inTransaction(caller, async (tx) => {
    const team = await holdTeam(tx, caller);
    const userId = await activeUser(tx, team, memberId);
    await needRoomForSession(tx, team, userId);
    const { source, assignment_id = null, external_ref = null } = wanted;
    const assigned =
      assignment_id === null ? nothingAssigned : await beginAssignment(tx, team, { id: assignment_id, memberId });
    const combination = combinationOf(wanted, assigned) satisfies Combination;
    await checkCombination(tx, team, memberId, combination);

    const id = newId();
    const { situation_id, personality_id, industry_id, role_id } = combination;
    // The client's own object goes to the database as the text that it is: nothing in between has an opinion on its keys.
    const bytes = await trainings.insert(tx, {
      tenantId: team.id,
      id,
      userId,
      source,
      assignmentId: assignment_id,
      situationId: situation_id,
      personalityId: personality_id,
      industryId: industry_id,
      roleId: role_id,
      ref: external_ref?.text ?? null,
      createdAt: team.platform.clock.now(),
    });
    const action: AuditAction = {
      action: 'training.started',
      target: { type: 'training', id },
      data: { user_id: userId, source, assignment_id },
    };
    await recordStored(tx, team, action, bytes);
    return { training_id: id, status: 'running' };
  });

/** The largest that the column holds: some 68 years. */
const longest = 2_147_483_647;

/** When a running session ends that ends now; clocks of several machines never make it end before it started. */
const endOf = ({ created_at }: LockedSession, now: Date) => {
  const finishedAt = new Date(Math.max(now.getTime(), created_at.getTime()));
  const seconds = Math.floor((finishedAt.getTime() - created_at.getTime()) / 1000);
  return { finishedAt, durationS: Math.min(seconds, longest) };
};

/** A session ends: it counts, its assignment is done, and `training.completed` is raised, all or nothing. */
export const endTraining = (caller: Team, id: string, whose?: Whose): Promise<TrainingState> =>
  inTransaction(caller, async (tx) => {
    const team = await holdTeam(tx, caller);
    await lockAssignmentOf(tx, team, id);
    const session = await lockSession(tx, team, id, whose);
    const { status, source, assignment_id, user_id } = session;
    if (status === 'ended' || status === 'scored') return { training_id: id, status };
    if (status === 'aborted') fail('conflict', { detail: 'The session was aborted.' });

    const { finishedAt, durationS } = endOf(session, team.platform.clock.now());
    await trainings.update(tx, team.id, id, { status: 'ended', finishedAt, durationS });
    if (assignment_id !== null) await completeAssignment(tx, team, { id: assignment_id, trainingId: id });
    await countSession(tx, team, { userId: user_id });
    await raise(tx, team, 'training.completed', {
      data: {
        training_id: id,
        status: 'ended',
        source,
        assignment_id,
        finished_at: finishedAt.toISOString(),
        duration_s: durationS,
      },
      personal: { user_id },
    });
    await record(tx, team, {
      action: 'training.ended',
      target: { type: 'training', id },
      data: { duration_s: durationS },
    });
    return { training_id: id, status: 'ended' };
  });

/** A session is given up: it counts for nothing, completes nothing, and nobody is told. */
export const abortTraining = (caller: Team, id: string, whose?: Whose): Promise<TrainingState> =>
  inTransaction(caller, async (tx) => {
    const team = await holdTeam(tx, caller);
    const session = await lockSession(tx, team, id, whose);
    if (session.status === 'aborted') return { training_id: id, status: 'aborted' };
    if (session.status !== 'running') fail('conflict', { detail: 'The session has ended.' });

    const { finishedAt, durationS } = endOf(session, team.platform.clock.now());
    await trainings.update(tx, team.id, id, { status: 'aborted', finishedAt, durationS });
    await record(tx, team, {
      action: 'training.aborted',
      target: { type: 'training', id },
      data: { duration_s: durationS },
    });
    return { training_id: id, status: 'aborted' };
  });
