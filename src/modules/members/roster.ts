import type { Team } from '../../platform/team.ts';

/** Everybody in the team or invited to it, with the rights they were given, in the order of the members list. */
export const roster = async (team: Team) => {
  const members = await team.platform.database.prisma.member.findMany({
    where: { tenantId: team.id, status: { not: 'ended' } },
    orderBy: [{ listedAt: 'asc' }, { id: 'asc' }],
  });
  const ownerFirst = [...members.filter(isOwner), ...members.filter((member) => !isOwner(member))];
  return ownerFirst.map(({ id, userId, email, role, status, rights, joinedAt }) => ({
    member_id: id,
    user_id: userId,
    email,
    role,
    status,
    rights,
    joined_at: joinedAt?.toISOString() ?? null,
  }));
};

const isOwner = ({ role }: { role: string }): boolean => role === 'owner';
