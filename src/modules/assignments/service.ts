import { changesOf, valuesOf } from '../../core/changes.ts';
import { makeId, isId } from '../../core/ids.ts';
import { memberMessages } from '../../core/messages/people.ts';
import { trainingMessages } from '../../core/messages/trainings.ts';
import { fail } from '../../core/problem.ts';
import { toCamel } from '../../core/spelling.ts';
import { utcDay } from '../../core/clock.ts';
import type { Tx } from '../../db/database.ts';
import { lockRow } from '../../db/lock-row.ts';
import { forEachSeparately } from '../../platform/bulk.ts';
import type { Page } from '../../platform/paging.ts';
import { inTransaction, type Team } from '../../platform/team.ts';
import { lockTeamShared, type ShareLockedTeam } from '../../platform/team-row.ts';
import { raise } from '../../deliveries/outbox.ts';
import { record, recordAll } from '../audit/service.ts';
import { combinationCheck } from '../catalog/service.ts';
import { noteDeleted } from '../deletions/service.ts';
import { memberOf, type Membership } from '../membership/service.ts';
import { requireRoom } from '../storage/service.ts';
import { trainings } from '../trainings/store.ts';
import { assignmentCompleted, assignmentCreated } from './events.ts';
import { mailRecipients, type GivenTo } from './new-assignment-mail.ts';
import type {
  Assignment,
  AssignmentEdit,
  AssignmentQuery,
  AssignmentState,
  GivenAssignments,
  GivenEach,
  NewAssignment,
  NewAssignments,
  NewAssignmentsEach,
} from './schema.ts';
import { assignmentChanges, assignmentList, assignments, type AssignmentRow } from './store.ts';

/** The member, invited or active. The member stays in the team, because memberships start and end only while the team is locked. */
const findRecipient = async (tx: Tx, team: Team, memberId: string): Promise<Membership> =>
  (await memberOf(tx, team, memberId)) ?? fail('not_found', { detail: memberMessages.notInTeam });

/** Raises an event about a change through the API. Changes in the app raise none. */
const raiseThroughApi = (
  tx: Tx,
  team: ShareLockedTeam,
  event: typeof assignmentCreated | typeof assignmentCompleted,
  { id, status, due_date, completed_training_id, member_user_id }: Assignment,
): void => {
  if (team.actor.kind !== 'key') return;
  raise(tx, team, event, {
    data: { assignment_id: id, status, due_date, completed_training_id },
    personal: member_user_id === null ? {} : { user_id: member_user_id },
  });
};

/** The combination to practise, and the due date. */
type Practice = Omit<NewAssignment, 'member_id'> & Pick<NewAssignments, 'focus_dimension'>;

/** Creates an assignment whose combination the catalog and the member's policies allow. */
const give = async (
  tx: Tx,
  team: ShareLockedTeam,
  memberId: string,
  { title, note = null, due_date = null, focus_dimension = null, ...combination }: Practice,
): Promise<Assignment> => {
  const { situation_id, personality_id, industry_id } = combination;
  const checkCombination = combinationCheck(tx, team, memberId, toCamel(combination)); // in one round trip with the member
  const recipient = await findRecipient(tx, team, memberId);
  await checkCombination();

  const now = team.platform.clock.now();
  const row = {
    id: makeId(),
    memberId,
    status: 'open' as const,
    title,
    situationId: situation_id,
    personalityId: personality_id,
    industryId: industry_id,
    note,
    dueDate: parseDay(due_date),
    focusDimension: focus_dimension,
    completedTrainingId: null,
    createdAt: now,
    updatedAt: now,
  };
  const assignment = presentAssignment({ ...row, member: recipient });
  await assignments.insert(tx, { tenantId: team.id, ...row });
  raiseThroughApi(tx, team, assignmentCreated, assignment);
  record(tx, team, {
    action: 'assignment.created',
    target: { type: 'assignment', id: row.id },
    data: { member_id: memberId, title },
  });
  return assignment;
};

export const createAssignment = async (caller: Team, { member_id, ...wanted }: NewAssignment): Promise<Assignment> => {
  await requireRoom(caller);
  return inTransaction(caller, async (tx) => give(tx, await lockTeamShared(tx, caller), member_id, wanted));
};

/** Gives several members the same assignment, all or nothing, and mails them as far as the limits for mails allow. */
export const createAssignments = async (
  caller: Team,
  { member_ids, ...wanted }: NewAssignments,
): Promise<GivenAssignments> => {
  await requireRoom(caller);
  return inTransaction(caller, async (tx) => {
    const team = await lockTeamShared(tx, caller);
    const given: GivenTo[] = [];
    for (const memberId of new Set(member_ids)) {
      given.push({ memberId, assignment: await give(tx, team, memberId, wanted) });
    }
    const unmailed = await mailRecipients(tx, team, given);
    return { data: given.map(({ assignment }) => assignment), unmailed };
  });
};

/** Gives several members the same assignment, each as if alone: a policy of one of them does not refuse it for the others. */
export const createAssignmentsEach = async (
  caller: Team,
  { member_ids, ...wanted }: NewAssignmentsEach,
): Promise<GivenEach> => {
  // A full store refuses all of them.
  await requireRoom(caller);
  const unmailed: GivenEach['unmailed'] = [];
  const { results } = await forEachSeparately(member_ids, async (id) => {
    const given = await createAssignments(caller, { ...wanted, member_ids: [id] });
    unmailed.push(...given.unmailed);
  });
  return { results, unmailed };
};

/** Changes an assignment. Fields that keep their value count as no change. */
export const changeAssignment = async (caller: Team, id: string, wanted: AssignmentEdit): Promise<Assignment> => {
  if (typeof wanted.note === 'string') await requireRoom(caller);
  return inTransaction(caller, async (tx) => {
    const team = await lockTeamShared(tx, caller);
    const before = (await lockAssignment(tx, team, id)) ?? fail('not_found');
    const { title, status, note, due_date, focus_dimension } = wanted;
    const completed_training_id = status === undefined || status === 'done' ? undefined : null;
    const changes = changesOf<Changeable>(before, {
      title,
      status,
      note,
      due_date,
      focus_dimension,
      completed_training_id,
    });
    const { member_id: _memberId, ...unchanged } = before;
    if (Object.keys(changes).length === 0) return unchanged;

    const updated_at = await change(tx, team, before, changes);
    const assignment = { ...unchanged, ...changes, updated_at };
    if (changes.status === 'done') raiseThroughApi(tx, team, assignmentCompleted, assignment);
    return assignment;
  });
};

/** Deletes an assignment. Its trainings are kept without an assignment. */
export const deleteAssignment = (caller: Team, id: string): Promise<void> =>
  inTransaction(caller, async (tx) => {
    const team = await lockTeamShared(tx, caller);
    // The lock also blocks trainings that start to refer to it.
    const { member_id, title, status } = (await lockAssignment(tx, team, id, 'update')) ?? fail('not_found');
    const now = team.platform.clock.now();
    await trainings.detachFromAssignment(tx, team.id, id, now);
    await assignments.remove(tx, team.id, [id]);
    await noteDeleted(tx, team, 'assignments', [id], now);
    record(tx, team, {
      action: 'assignment.deleted',
      target: { type: 'assignment', id },
      data: { member_id, title, status },
    });
  });

/** A member changes the status of one of their assignments. */
export const moveOwnAssignment = (caller: Team, own: Own, to: 'in_progress' | 'done'): Promise<AssignmentState> =>
  inTransaction(caller, async (tx) => {
    const { id, status } = await moveOwn(tx, await lockTeamShared(tx, caller), own, to);
    return { assignment_id: id, status };
  });

/**
 * An assignment is in one of four states.
 *
 *   (new) ──created, by the API or in the app──▶ open
 *   open ──a training of it starts, or its member sets it──▶ in_progress
 *   open, in_progress ──a training of it ends, or its member sets it──▶ done
 *   any ──its member is removed──▶ revoked
 *   any ──the API or an admin sets it──▶ any other
 *   any ──deleted──▶ (gone; its trainings are kept without an assignment)
 *
 * Only the API raises `assignment.completed`, when it sets `done`; trainings and people in the app raise nothing. An assignment in `done`
 * has the id of the training that completed it, if one did; in the other states it has none.
 *
 * Every move locks the team and then the assignment, before any of its trainings.
 */
type LockedAssignment = Assignment & { member_id: string };

/** Locks an assignment of the team until the transaction ends. */
export const lockAssignment = async (
  tx: Tx,
  team: Team,
  id: string,
  strength?: 'update',
): Promise<LockedAssignment | undefined> => {
  if (!isId(id)) return undefined;
  lockRow(tx, 'assignment', { tenantId: team.id, id }, strength);
  const row = await assignments.get(tx, team.id, id);
  return row ? { ...presentAssignment(row), member_id: row.memberId } : undefined;
};

/** Locks only the row of an assignment, before one of its trainings. */
export const lockAssignmentRow = (tx: Tx, team: Team, id: string): void =>
  lockRow(tx, 'assignment', { tenantId: team.id, id });

/** The fields that can change. */
type Changeable = Pick<
  Assignment,
  'title' | 'status' | 'note' | 'due_date' | 'focus_dimension' | 'completed_training_id'
>;

/** Writes the changes of a locked assignment, and returns its new `updated_at`. */
const change = async (tx: Tx, team: Team, before: LockedAssignment, changes: Partial<Changeable>): Promise<string> => {
  const { id, status: from } = before;
  const updatedAt = team.platform.clock.now();
  const { status: to, note, due_date, focus_dimension, completed_training_id, ...title } = changes;
  await assignments.update(tx, team.id, id, {
    updatedAt,
    ...title,
    ...(to !== undefined && { status: to }),
    ...(note !== undefined && { note }),
    ...(due_date !== undefined && { dueDate: parseDay(due_date) }),
    ...(focus_dimension !== undefined && { focusDimension: focus_dimension }),
    ...(completed_training_id !== undefined && { completedTrainingId: completed_training_id }),
  });
  record(tx, team, {
    action: 'assignment.changed',
    target: { type: 'assignment', id },
    data: {
      changed: Object.keys(changes),
      ...(to !== undefined && { from, to }),
      // A note is a text about a person's work, so it is only named.
      ...valuesOf(before, {
        ...title,
        ...(due_date !== undefined && { due_date }),
        ...(focus_dimension !== undefined && { focus_dimension }),
      }),
    },
  });
  return updatedAt.toISOString();
};

/** Prisma represents a day as its midnight in UTC. */
const parseDay = (day: string | null): Date | null => (day === null ? null : new Date(day));

/** The combination of an assignment. */
export type AssignedPractice = Pick<Assignment, 'situation_id' | 'personality_id' | 'industry_id'>;

export interface Own {
  id: string;
  memberId: string;
}

/** Locks one of a member's own assignments: `not_found` for another member's, `conflict` for a revoked one. */
const lockOwn = async (tx: Tx, team: Team, { id, memberId }: Own): Promise<LockedAssignment> => {
  const assignment = await lockAssignment(tx, team, id);
  if (assignment?.member_id !== memberId) return fail('not_found', { detail: trainingMessages.assignmentOfOther });
  if (assignment.status === 'revoked') fail('conflict', { detail: trainingMessages.assignmentRevoked });
  return assignment;
};

/** A member changes the status of an assignment; `done` is final. It locks the assignment, always before any training. */
const moveOwn = async (tx: Tx, team: Team, own: Own, to: 'in_progress' | 'done'): Promise<LockedAssignment> => {
  const assignment = await lockOwn(tx, team, own);
  const { status } = assignment;
  if (status === to || status === 'done') return assignment;
  const updated_at = await change(tx, team, assignment, { status: to });
  return { ...assignment, status: to, updated_at };
};

/** A member starts a training of an assignment: `open` becomes `in_progress`. */
export const beginAssignment = async (tx: Tx, team: Team, own: Own): Promise<AssignedPractice> => {
  const { situation_id, personality_id, industry_id } = await moveOwn(tx, team, own, 'in_progress');
  return { situation_id, personality_id, industry_id };
};

/**
 * A training of the assignment ended, so it is done, unless it was already done or revoked. It locks the assignment, always before any
 * training.
 */
export const completeAssignment = async (
  tx: Tx,
  team: Team,
  { id, trainingId }: { id: string; trainingId: string },
): Promise<void> => {
  const assignment = await lockAssignment(tx, team, id);
  // The assignment was just deleted, and the training no longer has one.
  if (!assignment) return;
  if (assignment.status === 'done' || assignment.status === 'revoked') return;
  await change(tx, team, assignment, { status: 'done', completed_training_id: trainingId });
};

/** Revokes the assignments of a member who was just removed, and returns how many they are. The team must be locked. */
export const revokeAssignmentsOf = async (tx: Tx, team: Team, memberId: string): Promise<number> => {
  const revoked = await assignments.revokeAllOf(tx, team.id, memberId, team.platform.clock.now());
  recordAll(
    tx,
    team,
    revoked.map(({ id, status: from }) => ({
      action: 'assignment.changed',
      target: { type: 'assignment', id },
      data: { changed: ['status'], from, to: 'revoked', member_removed: true },
    })),
  );
  return revoked.length;
};

/** The user of a member has changed, which their assignments show. */
export const touchAssignmentsOf = async (
  tx: Tx,
  { id: tenantId }: Team,
  memberId: string,
  now: Date,
): Promise<void> => {
  await assignments.touchOfMembers(tx, tenantId, [memberId], now);
};

/** Gives an assignment the present time if it was changed at one of these times, which are in the past. */
export const noteChangedNow = async (tx: Tx, { id: tenantId, platform }: Team, id: string, times: Date[]) => {
  await assignments.renew(tx, { tenantId, id }, times, platform.clock.now());
};

export const presentAssignment = (row: AssignmentRow): Assignment => ({
  id: row.id,
  status: row.status,
  title: row.title,
  situation_id: row.situationId,
  personality_id: row.personalityId,
  industry_id: row.industryId,
  member_user_id: row.member.userId,
  member_email: row.member.email,
  note: row.note,
  due_date: row.dueDate && utcDay(row.dueDate),
  focus_dimension: row.focusDimension,
  completed_training_id: row.completedTrainingId,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

export const getAssignment = async ({ id: tenantId, platform }: Team, id: string): Promise<Assignment> => {
  const row = isId(id) ? await assignments.get(platform.database.prisma, tenantId, id) : undefined;
  return presentAssignment(row ?? fail('not_found'));
};

/** The newest assignments whose title contains a text: of one member, or of all (null). */
export const findAssignments = async (
  { id: tenantId, platform }: Team,
  { text, memberId, max }: { text: string; memberId: string | null; max: number },
): Promise<{ id: string; title: string; person: string }[]> => {
  const of = { tenantId, ...(memberId !== null && { memberId }) };
  const found = await assignments.titled(platform.database, of, { text, max });
  return found.map(({ id, title, member }) => ({
    id,
    title: title ?? '',
    person: member.user?.person.name ?? member.email,
  }));
};

/**
 * The team's assignments, including those of former members: removing a member revokes them but keeps them in the list. Newest first, or
 * those that changed since a time, in the order of their changes.
 */
export const listAssignments = (team: Team, { updated_since, ...query }: AssignmentQuery): Promise<Page<Assignment>> =>
  updated_since
    ? assignmentChanges(team, query, { updated_since: updated_since.toISOString() })
    : assignmentList(team, query);
