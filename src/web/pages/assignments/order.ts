import type { OwnAssignment } from '../../../modules/assignments/schema.ts';

/** Sorts assignments without a due day last. */
const noDueDate = '9999-12-31';

/** Assignments by due day; on the same day, begun ones first. */
const dueFirst = <One extends Pick<OwnAssignment, 'due_date' | 'status'>>(assignments: readonly One[]): One[] =>
  assignments.toSorted(
    (a, b) => (a.due_date ?? noDueDate).localeCompare(b.due_date ?? noDueDate) || a.status.localeCompare(b.status),
  );

const shownNext = 5;

/** The assignments that a member does next. */
export const nextOf = <One extends Pick<OwnAssignment, 'due_date' | 'status'>>(unfinished: readonly One[]): One[] =>
  dueFirst(unfinished).slice(0, shownNext);
