import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import type { Member } from './schema.ts';
import { memberList, members } from './store.ts';

/** A member of the team, invited or active. */
export const getMember = async (team: Team, id: string): Promise<Member> => {
  const member = isId(id) ? await members.get(team.platform.database, team, id) : undefined;
  if (!member || member.status === 'ended') return fail('not_found');
  const { userId, email, role, status, joinedAt } = member;
  return { id: member.id, user_id: userId, email, role, status, joined_at: joinedAt };
};

/** The team's members, the owner first. */
export const listMembers = async (
  team: Team,
  query: { cursor?: string | undefined; limit: number },
): Promise<Page<Member>> => {
  const page = await memberList(team, query);
  const data = page.data.map(({ id, user_id, email, role, status, joined_at }): Member => ({
    id,
    user_id,
    email,
    role,
    status: status === 'active' ? status : 'invited',
    joined_at,
  }));
  return { ...page, data };
};
