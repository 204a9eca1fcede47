import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';

/** Takes back everything that a member was given to do. */
export const revokeAssignmentsOf = async (tx: Tx, team: Team, memberId: string): Promise<number> => {
  const { count } = await tx.assignment.updateMany({
    where: { tenantId: team.id, memberId, status: { not: 'revoked' } },
    data: { status: 'revoked' },
  });
  return count;
};

/** What an assignment asks its member to practise. */
export interface AssignedPractice {
  situation_id: string | null;
  personality_id: string | null;
  industry_id: string | null;
}

/**
 * A member starts a training of one of their assignments: `open` becomes `in_progress`. `not_found` for one that is not theirs,
 * `conflict` for a revoked one. Locks it: before any training, always.
 */
export const beginAssignment = async (
  _tx: Tx,
  _team: Team,
  _assignment: { id: string; memberId: string },
): Promise<AssignedPractice> => {
  throw new Error('not built yet');
};

/** A training of it ended, so it is done, unless it was done or revoked before. Locks it: before any training, always. */
export const completeAssignment = async (
  _tx: Tx,
  _team: Team,
  _done: { id: string; trainingId: string },
): Promise<void> => {
  throw new Error('not built yet');
};
