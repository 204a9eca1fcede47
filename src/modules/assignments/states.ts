import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { recordStored } from '../audit/service.ts';
import type { AuditAction } from '../audit/service.ts';
import { textBytes } from '../storage/service.ts';
import type { ShownAssignment } from './listing.ts';
import { asItIs, revokeLocked } from './revocation.ts';
import type { Assignment } from './schema.ts';
import { assignments } from './store.ts';

/**
 * An assignment is in one of four states.
 *
 *   (new) ──created, by the API or in the app──▶ open
 *   open ──a training of it started, or its member says so──▶ in_progress
 *   open, in_progress ──a training of it ended, or its member says so──▶ done
 *   any ──its member was removed──▶ revoked
 *   any ──the API or the app says so──▶ any other
 *   any ──deleted──▶ (gone; its trainings stay, of no assignment)
 *
 * What a training or a person does is told nobody; `assignment.completed` is raised where the API itself moves one into `done`. In `done`
 * the assignment knows the training that completed it, if one did; elsewhere it knows none.
 *
 * Every move holds the team's row and then locks the assignment, before any of its trainings. How a removal revokes is in
 * revocation.ts.
 */
type AssignmentStatus = Assignment['status'];

export interface LockedAssignment extends Omit<ShownAssignment, 'created_at'> {
  member_id: string;
  created_at: Date;
}

/**
 * Locks an assignment of the team until the transaction ends, beside the trainings that refer to it or against them too. One
 * that is still to be revoked, since its member was removed, is revoked first: its row then says what is so.
 */
export const lockAssignment = async (
  tx: Tx,
  team: Team,
  id: string,
  strength: 'to change' | 'to delete' = 'to change',
): Promise<LockedAssignment | undefined> => {
  if (!isId(id)) return undefined;
  const row = await (strength === 'to delete'
    ? assignments.lockToDelete(tx, team.id, id)
    : assignments.lockToChange(tx, team.id, id));
  if (!row) return undefined;
  if (row.revocation_pending) await revokeLocked(tx, team, row);
  return { ...asItIs(row), created_at: new Date(row.created_at) };
};

/** Locks an assignment's row alone, ahead of a training of it. */
export const lockAssignmentRow = async (tx: Tx, team: Team, id: string): Promise<void> => {
  await assignments.lockRow(tx, team.id, id);
};

/** The fields that can change, those that do. */
export interface Changes {
  title?: string;
  status?: AssignmentStatus;
  note?: string | null;
  due_date?: string | null;
  focus_dimension?: Assignment['focus_dimension'];
  completed_training_id?: string | null;
}

interface Change {
  changed: string[];
  from?: AssignmentStatus;
  to?: AssignmentStatus;
}

const changed = (id: string, data: Change): AuditAction => ({
  action: 'assignment.changed',
  target: { type: 'assignment', id },
  data: { ...data },
});

/** Writes what changes of a locked assignment. */
export const change = async (tx: Tx, team: Team, before: LockedAssignment, changes: Changes): Promise<void> => {
  const { id, status: from } = before;
  const { title, status: to, note, due_date, focus_dimension, completed_training_id } = changes;
  await assignments.update(tx, team.id, id, {
    ...(title !== undefined && { title }),
    ...(to !== undefined && { status: to }),
    ...(note !== undefined && { note }),
    ...(due_date !== undefined && { dueDate: dayOf(due_date) }),
    ...(focus_dimension !== undefined && { focusDimension: focus_dimension }),
    ...(completed_training_id !== undefined && { completedTrainingId: completed_training_id }),
  });
  const after = { ...before, ...changes };
  const grown = textBytes(after.title, after.note) - textBytes(before.title, before.note);
  const action = changed(id, { changed: Object.keys(changes), ...(to !== undefined && { from, to }) });
  await recordStored(tx, team, action, grown);
};

/** Prisma takes a day as the midnight that it begins with in UTC. */
export const dayOf = (day: string | null): Date | null => (day === null ? null : new Date(day));

/** What an assignment asks its member to practise. */
export interface AssignedPractice {
  situation_id: string | null;
  personality_id: string | null;
  industry_id: string | null;
}

export interface Own {
  id: string;
  memberId: string;
}

/** Locks one of a member's assignments: `not_found` for one that is not theirs, `conflict` for a revoked one. */
const lockOwn = async (tx: Tx, team: Team, { id, memberId }: Own): Promise<LockedAssignment> => {
  const assignment = await lockAssignment(tx, team, id);
  if (assignment?.member_id !== memberId) return fail('not_found', { detail: 'The member has no such assignment.' });
  if (assignment.status === 'revoked') fail('conflict', { detail: 'The assignment was revoked.' });
  return assignment;
};

/** A member moves one of their assignments on; what is done stays so. Locks it: before any training, always. */
export const moveOwn = async (tx: Tx, team: Team, own: Own, to: 'in_progress' | 'done'): Promise<LockedAssignment> => {
  const assignment = await lockOwn(tx, team, own);
  const { status } = assignment;
  if (status === to || status === 'done') return assignment;
  await change(tx, team, assignment, { status: to });
  return { ...assignment, status: to };
};

/** A member starts a training of one of their assignments: `open` becomes `in_progress`. */
export const beginAssignment = async (tx: Tx, team: Team, own: Own): Promise<AssignedPractice> => {
  const { situation_id, personality_id, industry_id } = await moveOwn(tx, team, own, 'in_progress');
  return { situation_id, personality_id, industry_id };
};

/** A training of it ended, so it is done, unless it was done or revoked before. Locks it: before any training, always. */
export const completeAssignment = async (
  tx: Tx,
  team: Team,
  { id, trainingId }: { id: string; trainingId: string },
): Promise<void> => {
  const assignment = await lockAssignment(tx, team, id);
  // Deleted just now: the training is of no assignment any more.
  if (!assignment) return;
  if (assignment.status === 'done' || assignment.status === 'revoked') return;
  await change(tx, team, assignment, { status: 'done', completed_training_id: trainingId });
};
