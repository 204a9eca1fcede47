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
