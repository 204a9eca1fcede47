import { changesOf, valuesOf } from '../../core/changes.ts';
import { makeId, isId } from '../../core/ids.ts';
import { memberMessages } from '../../core/messages/people.ts';
import { trainingMessages } from '../../core/messages/trainings.ts';
import { fail, Problem } from '../../core/problem.ts';
import { snakeName, toCamel, toSnake, type Camel } from '../../core/spelling.ts';
import type { Tx } from '../../db/database.ts';
import { lockRow } from '../../db/lock-row.ts';
import { forEachSeparately, outcomesOf, readItem, type BulkResults, type ItemOutcome } from '../../platform/bulk.ts';
import type { Page } from '../../platform/paging.ts';
import { storedRowBytes } from '../../platform/storage-counter.ts';
import { inTransaction, type Team } from '../../platform/team.ts';
import {
  inShareLockedTeam,
  lockTeamShared,
  lockTeamSharedLater,
  type ShareLockedTeam,
} from '../../platform/team-row.ts';
import { raise } from '../../deliveries/outbox.ts';
import { record, recordAll } from '../audit/service.ts';
import { combinationCheck } from '../catalog/service.ts';
import { noteDeleted } from '../deletions/service.ts';
import { memberLater, type Membership } from '../membership/service.ts';
import { requireRoom } from '../storage/service.ts';
import { trainings } from '../trainings/store.ts';
import { assignmentCompleted, assignmentCreated } from './events.ts';
import { mailRecipients, type GivenTo, type Unmailed } from './new-assignment-mail.ts';
import * as schema from './schema.ts';
import {
  assignmentChanges,
  assignmentIn,
  assignmentList,
  assignments,
  type Assignment,
  type AssignmentFields,
} from './store.ts';

/** Raises an event about a change by a key. Changes by people raise none. */
const raiseThroughApi = (
  tx: Tx,
  team: ShareLockedTeam,
  event: typeof assignmentCreated | typeof assignmentCompleted,
  { id: assignmentId, status, dueDate, completedTrainingId, memberUserId }: Assignment,
): void => {
  if (team.actor.kind !== 'key') return;
  raise(tx, team, event, {
    data: toSnake({ assignmentId, status, dueDate, completedTrainingId }),
    personal: memberUserId === null ? {} : { user_id: memberUserId },
  });
};

type NewAssignment = Camel<schema.NewAssignment>;
type NewAssignments = Camel<schema.NewAssignments>;

/** The content of a new assignment. */
type AssignmentContent = Omit<NewAssignment, 'memberId'> & Pick<NewAssignments, 'focusDimension'>;

/**
 * Looks up a member, invited or active, with the transaction's next statement. The returned function gives the member,
 * or refuses a combination that the catalog or the policies do not allow. The transaction must also lock the team: then
 * the member stays in it, because memberships start and end only under an exclusive lock of the team.
 */
const recipientCheck = (
  tx: Tx,
  team: Team,
  memberId: string,
  combination: AssignedPractice,
): (() => Promise<Membership>) => {
  const checkCombination = combinationCheck(tx, team, memberId, combination);
  const findMember = memberLater(tx, team, memberId);
  return async () => {
    const recipient = (await findMember()) ?? fail('not_found', { detail: memberMessages.notInTeam });
    await checkCombination();
    return recipient;
  };
};

/** Creates an assignment for a member. The caller has checked that the member may practise it. */
const give = (
  tx: Tx,
  team: ShareLockedTeam,
  { id: memberId, userId, email }: Membership,
  { title, note = null, dueDate = null, focusDimension = null, ...combination }: AssignmentContent,
): Assignment => {
  const now = team.platform.clock.now().toISOString();
  const assignment: Assignment = {
    id: makeId(),
    status: 'open',
    title,
    ...combination,
    memberUserId: userId,
    memberEmail: email,
    note,
    dueDate,
    focusDimension,
    completedTrainingId: null,
    createdAt: now,
    updatedAt: now,
  };
  assignments.insert(tx, { tenantId: team.id, memberId }, assignment);
  raiseThroughApi(tx, team, assignmentCreated, assignment);
  record(tx, team, {
    action: 'assignment.created',
    target: { type: 'assignment', id: assignment.id },
    data: { memberId, title },
  });
  return assignment;
};

export const createAssignment = async (caller: Team, { memberId, ...wanted }: NewAssignment): Promise<Assignment> => {
  await requireRoom(caller);
  return inTransaction(caller, async (tx) => {
    const lock = lockTeamSharedLater(tx, caller); // in one round trip with the member
    const recipient = await recipientCheck(tx, caller, memberId, wanted)();
    return give(tx, await lock(), recipient, wanted);
  });
};

/**
 * Creates an assignment from each of these bodies, as if each had come in a request of its own: a flaw in one does not
 * refuse the others.
 */
export const createAssignmentOfEach = async (
  caller: Team,
  items: readonly unknown[],
): Promise<ItemOutcome<Assignment>[]> => {
  // If the team's storage is full, all assignments are refused.
  await requireRoom(caller);
  return inTransaction(caller, async (tx) => {
    const lock = lockTeamSharedLater(tx, caller);
    // All members and combinations are looked up in one round trip. Nothing is written until all of them were judged.
    const asked = items.map((item, at) => {
      const read = readItem(schema.NewAssignment, item, ['items', at]);
      if (read instanceof Problem) return read;
      const { memberId, ...wanted } = toCamel(read);
      return { wanted, check: recipientCheck(tx, caller, memberId, wanted) };
    });
    const team = await lock();
    return outcomesOf(
      asked.map((one) => async () => {
        if (one instanceof Problem) throw one;
        return give(tx, team, await one.check(), one.wanted);
      }),
    );
  });
};

interface CreatedAssignments {
  data: Assignment[];
  unmailed: Unmailed[];
}

/**
 * Counts copies of an assignment in the team's storage. A request of the app has the texts only once, and its size
 * counts for the first assignment.
 */
const countCopies = ({ id, platform }: Team, { title, note }: AssignmentContent, copies: number): void => {
  if (copies < 1) return;
  const bytes = Buffer.byteLength(title) + Buffer.byteLength(note ?? '');
  platform.storage.add(id, 'stored', copies * bytes + (copies - 1) * storedRowBytes);
};

/**
 * Gives several members the same assignment, all or nothing, and mails those for whom the limits of mails leave room.
 */
export const createAssignments = async (
  caller: Team,
  { memberIds, ...wanted }: NewAssignments,
): Promise<CreatedAssignments> => {
  await requireRoom(caller);
  const created = await inShareLockedTeam(caller, async (tx, team) => {
    const given: GivenTo[] = [];
    for (const memberId of new Set(memberIds)) {
      const recipient = await recipientCheck(tx, team, memberId, wanted)();
      given.push({ memberId, assignment: give(tx, team, recipient, wanted) });
    }
    const unmailed = await mailRecipients(tx, team, given);
    return { data: given.map(({ assignment }) => assignment), unmailed };
  });
  countCopies(caller, wanted, created.data.length - 1);
  return created;
};

/**
 * Gives several members the same assignment, each as if alone: the policy of one member does not refuse it for the
 * others.
 */
export const createAssignmentsEach = async (
  caller: Team,
  { memberIds, ...wanted }: Camel<schema.NewAssignmentsEach>,
): Promise<BulkResults & Pick<CreatedAssignments, 'unmailed'>> => {
  // If the team's storage is full, all assignments are refused.
  await requireRoom(caller);
  const unmailed: Unmailed[] = [];
  let created = 0;
  const { results } = await forEachSeparately(memberIds, async (id) => {
    const given = await createAssignments(caller, { ...wanted, memberIds: [id] });
    if (created > 0) countCopies(caller, wanted, 1);
    created += 1;
    unmailed.push(...given.unmailed);
  });
  return { results, unmailed };
};

/** Changes an assignment. Fields that keep their value count as no change. */
export const changeAssignment = async (
  caller: Team,
  id: string,
  wanted: Camel<schema.AssignmentEdit>,
): Promise<Assignment> => {
  if (typeof wanted.note === 'string') await requireRoom(caller);
  return inTransaction(caller, async (tx) => {
    const lock = lockTeamSharedLater(tx, caller); // in one round trip with the assignment
    const { assignment: before } = (await lockAssignment(tx, caller, id)) ?? fail('not_found');
    const team = await lock();
    const { title, status, note, dueDate, focusDimension } = wanted;
    const completedTrainingId = status === undefined || status === 'done' ? undefined : null;
    const changes = changesOf<AssignmentFields>(before, {
      title,
      status,
      note,
      dueDate,
      focusDimension,
      completedTrainingId,
    });
    if (Object.keys(changes).length === 0) return before;

    const assignment = await change(tx, team, before, changes);
    if (changes.status === 'done') raiseThroughApi(tx, team, assignmentCompleted, assignment);
    return assignment;
  });
};

/** Deletes an assignment. Its trainings are kept without an assignment. */
export const deleteAssignment = (caller: Team, id: string): Promise<void> =>
  inTransaction(caller, async (tx) => {
    const lock = lockTeamSharedLater(tx, caller); // in one round trip with the assignment
    // The assignment's lock also blocks trainings that start to refer to it.
    const { memberId, assignment } = (await lockAssignment(tx, caller, id, 'update')) ?? fail('not_found');
    const team = await lock();
    const { title, status } = assignment;
    const now = team.platform.clock.now();
    await trainings.detachFromAssignment(tx, team.id, id, now);
    await assignments.remove(tx, team.id, [id]);
    await noteDeleted(tx, team, 'assignments', [id], now);
    record(tx, team, {
      action: 'assignment.deleted',
      target: { type: 'assignment', id },
      data: { memberId, title, status },
    });
  });

/** A member changes the status of one of their assignments. */
export const moveOwnAssignment = (caller: Team, own: OwnAssignmentKey, to: 'in_progress' | 'done') =>
  inTransaction(caller, async (tx) => {
    const { id, status } = await moveOwn(tx, await lockTeamShared(tx, caller), own, to);
    return { assignmentId: id, status };
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
 * Only the API raises `assignment.completed`, when it sets `done`; trainings and people in the app raise nothing. An
 * assignment in `done` has the id of the training that completed it, if one did; in the other states it has none.
 *
 * Every move locks the team and then the assignment, before any of its trainings.
 */
interface LockedAssignment {
  memberId: string;
  assignment: Assignment;
}

export const isUnfinished = ({ status }: Pick<Assignment, 'status'>): boolean =>
  status === 'open' || status === 'in_progress';

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
  return row ? { memberId: row.memberId, assignment: assignmentIn(row) } : undefined;
};

/** Locks the row of an assignment without reading it. This lock comes before the lock of any of its trainings. */
export const lockAssignmentRow = (tx: Tx, team: Team, id: string): void =>
  lockRow(tx, 'assignment', { tenantId: team.id, id });

/** Writes the changes of a locked assignment, and returns the changed one. */
const change = async (
  tx: Tx,
  team: Team,
  before: Assignment,
  changes: Partial<AssignmentFields>,
): Promise<Assignment> => {
  const { id, status: from } = before;
  const { status: to, note: _note, completedTrainingId: _trainingId, ...shown } = changes;
  const updatedAt = team.platform.clock.now();
  await assignments.update(tx, team.id, id, { ...changes, updatedAt });
  record(tx, team, {
    action: 'assignment.changed',
    target: { type: 'assignment', id },
    data: {
      changed: Object.keys(changes).map(snakeName),
      ...(to !== undefined && { from, to }),
      // A note is a text about a person's work, so the audit log names only the field.
      ...valuesOf(before, shown),
    },
  });
  return { ...before, ...changes, updatedAt: updatedAt.toISOString() };
};

/** The combination of an assignment. */
export type AssignedPractice = Pick<Assignment, 'situationId' | 'personalityId' | 'industryId'>;

export interface OwnAssignmentKey {
  id: string;
  memberId: string;
}

/** Locks one of a member's own assignments: `not_found` for another member's, `conflict` for a revoked one. */
const lockOwn = async (tx: Tx, team: Team, { id, memberId }: OwnAssignmentKey): Promise<Assignment> => {
  const locked = await lockAssignment(tx, team, id);
  if (locked?.memberId !== memberId) return fail('not_found', { detail: trainingMessages.assignmentOfOther });
  if (locked.assignment.status === 'revoked') fail('conflict', { detail: trainingMessages.assignmentRevoked });
  return locked.assignment;
};

/**
 * A member changes the status of an assignment; `done` is final. The assignment is locked, always before any training.
 */
const moveOwn = async (tx: Tx, team: Team, own: OwnAssignmentKey, to: 'in_progress' | 'done'): Promise<Assignment> => {
  const assignment = await lockOwn(tx, team, own);
  const { status } = assignment;
  return status === to || status === 'done' ? assignment : change(tx, team, assignment, { status: to });
};

/** A member starts a training of an assignment: `open` becomes `in_progress`. */
export const beginAssignment = async (tx: Tx, team: Team, own: OwnAssignmentKey): Promise<AssignedPractice> => {
  const { situationId, personalityId, industryId } = await moveOwn(tx, team, own, 'in_progress');
  return { situationId, personalityId, industryId };
};

/**
 * A training of the assignment ended, so the assignment is done, unless it was already done or revoked. The assignment
 * is locked, always before any training.
 */
export const completeAssignment = async (
  tx: Tx,
  team: Team,
  { id, trainingId }: { id: string; trainingId: string },
): Promise<void> => {
  const { assignment } = (await lockAssignment(tx, team, id)) ?? {};
  // The assignment was just deleted, and the training no longer has an assignment.
  if (!assignment) return;
  if (assignment.status === 'done' || assignment.status === 'revoked') return;
  await change(tx, team, assignment, { status: 'done', completedTrainingId: trainingId });
};

/**
 * Revokes the assignments of a member who was just removed, and returns how many it has revoked. This includes
 * assignments from the person's earlier memberships that were opened again. The team must be locked.
 */
export const revokeAssignmentsOf = async (tx: Tx, team: Team, member: Membership): Promise<number> => {
  const revoked = await assignments.revokeAllOf(tx, team.id, member, team.platform.clock.now());
  recordAll(
    tx,
    team,
    revoked.map(({ id, status: from }) => ({
      action: 'assignment.changed',
      target: { type: 'assignment', id },
      data: { changed: ['status'], from, to: 'revoked', memberRemoved: true },
    })),
  );
  return revoked.length;
};

/** Notes that a member's assignments have changed, because they show the member's user. */
export const touchAssignmentsOf = async (
  tx: Tx,
  { id: tenantId }: Team,
  memberId: string,
  now: Date,
): Promise<void> => {
  await assignments.touchOfMembers(tx, tenantId, [memberId], now);
};

/** Sets the time of an assignment's last change to now, if this time is one of `times`, which are in the past. */
export const noteChangedNow = async (tx: Tx, { id: tenantId, platform }: Team, id: string, times: Date[]) => {
  await assignments.renew(tx, { tenantId, id }, times, platform.clock.now());
};

export const getAssignment = async ({ id: tenantId, platform }: Team, id: string): Promise<Assignment> => {
  const row = isId(id) ? await assignments.get(platform.database.prisma, tenantId, id) : undefined;
  return assignmentIn(row ?? fail('not_found'));
};

/** The newest assignments of one member, or of all (null), whose title contains these words. */
export const findAssignments = async (
  { id: tenantId, platform }: Team,
  { text, memberId, max }: { text: string; memberId: string | null; max: number },
): Promise<{ id: string; title: string; person: string }[]> => {
  const of = { tenantId, ...(memberId !== null && { memberId }) };
  const found = await assignments.titled(platform.database, of, { text, max });
  return found.map(({ id, title, member }) => ({
    id,
    title: title ?? '',
    person: member.directoryName ?? member.user?.person.name ?? member.invitedName ?? member.email,
  }));
};

/**
 * The team's assignments, including those of former members: removing a member revokes them but keeps them in the list.
 * Newest first, or those that changed since a time, in the order of their changes.
 */
export const listAssignments = (
  team: Team,
  { updatedSince, memberId, status, dueBefore, ...query }: Camel<schema.AssignmentQuery>,
): Promise<Page<Assignment>> => {
  const filters = { memberId, status, dueBefore };
  return updatedSince
    ? assignmentChanges(team, query, { ...filters, updatedSince: updatedSince.toISOString() })
    : assignmentList(team, query, filters);
};
