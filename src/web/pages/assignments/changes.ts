import type { GivenAssignment } from '../../../modules/assignments/schema.ts';
import type { UndoableChange } from '../../kit/dialog/undo.ts';
import { inParts } from '../../server/parts.ts';

type Status = GivenAssignment['status'];

export const statusChange = (
  { id, status, completed_training_id: training }: Pick<GivenAssignment, 'id' | 'status' | 'completed_training_id'>,
  wanted: Status,
): UndoableChange<{ assignment_id: string; status: Status }> => {
  const change = { act: { assignment_id: id, status: wanted }, undo: { assignment_id: id, status } };
  // If a training completed the assignment, undoing would mark it as done again, but without that training.
  return training === null ? change : { act: change.act };
};

/** The calls that give withdrawn assignments the status that each of them had before. */
export const reopenings = (withdrawn: readonly Pick<GivenAssignment, 'id' | 'status'>[]) =>
  (['open', 'in_progress'] as const).flatMap((status) => {
    const ids = withdrawn.filter((one) => one.status === status).map(({ id }) => id);
    return inParts(ids).map((assignment_ids) => ({ assignment_ids, status }));
  });
