import type { Team } from '../../platform/team.ts';
import { members } from './store.ts';

/** Everybody in the team or invited to it, with the rights they were given, in the order of the members list. */
export const roster = async (team: Team) => {
  const present = await members.present(team.platform.database.prisma, team);
  const ownerFirst = [...present.filter(isOwner), ...present.filter((member) => !isOwner(member))];
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
