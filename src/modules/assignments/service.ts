import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';

/** Takes back what a member still had to do; what is done stays done. */
export const revokeAssignmentsOf = async (tx: Tx, team: Team, memberId: string): Promise<number> => {
  const { count } = await tx.assignment.updateMany({
    where: { tenantId: team.id, memberId, status: { in: ['open', 'in_progress'] } },
    data: { status: 'revoked' },
  });
  return count;
};
