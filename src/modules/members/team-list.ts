import { emailPart } from '../../core/email-address.ts';
import { fail } from '../../core/problem.ts';
import { isId } from '../../core/ids.ts';
import { containing } from '../../db/query.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import type { TeamMember, TeamMemberQuery } from './app-schema.ts';
import { teamList, teamMemberRow } from './store.ts';
import type { TeamMemberRow } from './store.ts';

const presentTeamMember = (row: TeamMemberRow, now: Date): TeamMember => ({
  id: row.id,
  user_id: row.user_id,
  name: row.name,
  email: row.email,
  role: row.role,
  status: row.status === 'active' ? row.status : 'invited',
  rights: row.rights,
  joined_at: row.joined_at,
  invited_at: row.invited_at,
  invitation:
    row.expires_at === null || row.lang === null
      ? null
      : { expires_at: row.expires_at, expired: new Date(row.expires_at) <= now, lang: row.lang },
  two_factor: row.two_factor,
});

/** A member as who administers the team sees them. */
export const teamMember = async ({ id: tenantId, platform }: Team, id: string): Promise<TeamMember> => {
  const row = isId(id) ? await teamMemberRow(platform.database, tenantId, id) : undefined;
  return presentTeamMember(row ?? fail('not_found'), platform.clock.now());
};

/** Patterns for the names and addresses that contain the text, a line for each. */
const patternsOf = (search: string): string => {
  const text = search.replaceAll('\n', ' ');
  return [...new Set([text, emailPart(text)])].map(containing).join('\n');
};

/** Everybody in the team or invited to it as who administers it sees them, the owner first. */
export const listTeam = async (
  team: Team,
  { search = '', role, status, ...query }: TeamMemberQuery,
): Promise<Page<TeamMember>> => {
  const page = await teamList(team, query, { search: search === '' ? undefined : patternsOf(search), role, status });
  const now = team.platform.clock.now();
  return { ...page, data: page.data.map((row) => presentTeamMember(row, now)) };
};
