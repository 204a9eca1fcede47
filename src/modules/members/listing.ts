import { z } from 'zod';
import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { statement } from '../../db/statement.ts';
import { readPage } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import type { Member } from './schema.ts';

/** A member's row, as every read of members selects it. */
export interface MemberRow {
  id: string;
  user_id: string | null;
  email: string;
  role: Member['role'];
  status: Member['status'];
  joined_at: string | null;
}

interface ListedRow extends MemberRow {
  listed_at: string;
}

const columns = 'id, user_id, email, role, status, joined_at';

const byId = statement<MemberRow, [tenantId: string, id: string]>(
  `select ${columns} from member where tenant_id = $1 and id = $2 and status <> 'ended'`,
);

// The owner first, then by the time they joined or were invited: the order of the index member_list_idx.
const order = `(role <> 'owner'), listed_at, id`;

const first = statement<ListedRow, [tenantId: string, limit: number]>(
  `select ${columns}, listed_at from member where tenant_id = $1 and status <> 'ended' order by ${order} limit $2`,
);

const next = statement<ListedRow, [tenantId: string, limit: number, notOwner: boolean, listedAt: string, id: string]>(
  `select ${columns}, listed_at from member
    where tenant_id = $1 and status <> 'ended' and (${order}) > ($3::boolean, $4::timestamptz, $5::uuid)
    order by ${order} limit $2`,
);

export const presentMember = (row: MemberRow): Member => ({
  id: row.id,
  user_id: row.user_id,
  email: row.email,
  role: row.role,
  status: row.status,
  joined_at: row.joined_at,
});

/** A member of the team, invited or active. */
export const getMember = async (team: Team, id: string): Promise<Member> => {
  const [row] = isId(id) ? await team.platform.database.rows(byId, team.id, id) : [];
  return presentMember(row ?? fail('not_found'));
};

const ListPosition = z.tuple([z.boolean(), z.iso.datetime(), z.uuid()]);
type ListPosition = z.output<typeof ListPosition>;

/** The team's members, the owner first. */
export const listMembers = async (team: Team, query: { cursor?: string | undefined; limit: number }) => {
  const { database } = team.platform;
  const page = await readPage<ListedRow, ListPosition>(team, {
    list: 'users',
    position: ListPosition,
    query,
    read: (after, limit) => {
      if (!after) return database.rows(first, team.id, limit);
      const [notOwner, listedAt, id] = after;
      return database.rows(next, team.id, limit, notOwner, listedAt, id);
    },
    positionOf: (row) => [row.role !== 'owner', row.listed_at, row.id],
  });
  return { ...page, data: page.data.map(presentMember) };
};
