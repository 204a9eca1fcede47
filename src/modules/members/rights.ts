import { fail } from '../../core/problem.ts';
import type { Prisma } from '../../db/generated/client.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';

/** Whether whoever acts may make somebody an admin or take it from them: the owner and active admins, or a key that one of them made. */
const mayGrantAdmin = async (tx: Tx, { id: tenantId, actor }: Team): Promise<boolean> => {
  if (actor.kind === 'operator') return true;
  if (actor.kind === 'service') return false;
  const grantor: Prisma.MemberWhereInput = { status: 'active', role: { in: ['owner', 'admin'] } };
  if (actor.kind === 'person') {
    return (await tx.member.count({ where: { tenantId, userId: actor.userId, ...grantor } })) > 0;
  }
  return (await tx.apiKey.count({ where: { tenantId, id: actor.id, creator: { is: grantor } } })) > 0;
};

export const needRightToGrantAdmin = async (tx: Tx, team: Team): Promise<void> => {
  if (await mayGrantAdmin(tx, team)) return;
  fail('insufficient_scope', {
    required_scope: 'users:write',
    detail: 'Only the owner, an active admin, or a key that one of them created can grant or revoke the role admin.',
  });
};
