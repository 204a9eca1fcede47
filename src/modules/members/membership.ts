import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import type { Team } from '../../platform/team.ts';
import { presentMember } from './listing.ts';
import type { Member } from './schema.ts';

/** A membership that has not ended, as the rules look at it. */
export interface Membership {
  id: string;
  userId: string | null;
  email: string;
  role: Member['role'];
  status: Member['status'];
  joinedAt: Date | null;
}

export const present = ({ userId, joinedAt, ...member }: Membership): Member =>
  presentMember({ ...member, user_id: userId, joined_at: joinedAt?.toISOString() ?? null });

/** Whoever has this id and is in the team or invited to it. */
export const findMember = async (
  tx: Tx,
  team: Team,
  id: string,
): Promise<Membership & { rights: readonly string[] }> => {
  const member = isId(id)
    ? await tx.member.findUnique({ where: { tenantId_id: { tenantId: team.id, id } } })
    : undefined;
  if (!member || member.status === 'ended') return fail('not_found');
  return { ...member, status: member.status };
};

/** What an event tells of a membership. */
export const eventOf = ({ id, role, userId }: Membership) => ({
  data: { member_id: id, role },
  personal: userId === null ? {} : { user_id: userId },
});
