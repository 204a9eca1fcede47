import { z } from 'zod';
import { fail } from '../../core/problem.ts';
import { isId } from '../../core/ids.ts';
import { statement } from '../../db/statement.ts';
import { readPage } from '../../platform/paging.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import type { TeamMember, TeamMemberQuery } from './app-schema.ts';

interface TeamMemberRow extends Omit<TeamMember, 'invitation'> {
  listed_at: string;
  expires_at: string | null;
  lang: 'de' | 'en' | null;
}

const select = `
  select m.id, m.user_id, p.name, m.email, m.role, m.status, m.rights, m.joined_at, m.invited_at, m.listed_at,
         i.expires_at, i.language as lang, coalesce(p.two_factor_enabled, false) as two_factor
    from member m
    left join team_user u on u.tenant_id = m.tenant_id and u.id = m.user_id
    left join person p on p.id = u.person_id
    left join invitation i on i.tenant_id = m.tenant_id and i.member_id = m.id
   where m.tenant_id = $1 and m.status <> 'ended'`;

type Filters = [search: string | null, role: string | null, status: string | null];

const matching = `
     and ($3::text is null or m.email ilike $3 or p.name ilike $3)
     and ($4::role is null or m.role = $4) and ($5::member_status is null or m.status = $5)`;

// The order of the index member_list_idx: a page walks it from where the one before ended.
const order = `(m.role <> 'owner'), m.listed_at, m.id`;

const first = statement<TeamMemberRow, [tenantId: string, limit: number, ...Filters]>(
  `${select} ${matching} order by ${order} limit $2`,
);

const next = statement<
  TeamMemberRow,
  [tenantId: string, limit: number, ...Filters, notOwner: boolean, listedAt: string, id: string]
>(`${select} ${matching} and (${order}) > ($6::boolean, $7::timestamptz, $8::uuid) order by ${order} limit $2`);

const byId = statement<TeamMemberRow, [tenantId: string, id: string]>(`${select} and m.id = $2`);

const presentTeamMember = (row: TeamMemberRow, now: Date): TeamMember => ({
  id: row.id,
  user_id: row.user_id,
  name: row.name,
  email: row.email,
  role: row.role,
  status: row.status,
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
  const [row] = isId(id) ? await platform.database.rows(byId, tenantId, id) : [];
  return presentTeamMember(row ?? fail('not_found'), platform.clock.now());
};

const Position = z.tuple([z.boolean(), z.iso.datetime(), z.uuid()]);
type Position = z.output<typeof Position>;

const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** Everybody in the team or invited to it as who administers it sees them, the owner first. */
export const listTeam = async (
  team: Team,
  { search = '', role, status, ...query }: TeamMemberQuery,
): Promise<Page<TeamMember>> => {
  const { database, clock } = team.platform;
  const filters: Filters = [search === '' ? null : containing(search), role ?? null, status ?? null];
  const page = await readPage<TeamMemberRow, Position>(team, {
    list: `team ${JSON.stringify(filters)}`,
    position: Position,
    query,
    read: (after, limit) => {
      if (!after) return database.rows(first, team.id, limit, ...filters);
      const [notOwner, listedAt, id] = after;
      return database.rows(next, team.id, limit, ...filters, notOwner, listedAt, id);
    },
    positionOf: (row) => [row.role !== 'owner', row.listed_at, row.id],
  });
  const now = clock.now();
  return { ...page, data: page.data.map((row) => presentTeamMember(row, now)) };
};
