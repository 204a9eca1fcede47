import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { statement } from '../../db/statement.ts';
import { newestFirst } from '../../platform/newest-first.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import { asItIs, isRevokedIn } from './revocation.ts';
import type { Assignment } from './schema.ts';

/** An assignment's row beside its member's, as every read of assignments selects it. */
export interface AssignmentRow {
  id: string;
  status: Assignment['status'];
  title: string | null;
  situation_id: string | null;
  personality_id: string | null;
  industry_id: string | null;
  member_user_id: string | null;
  member_email: string;
  note: string | null;
  due_date: string | null;
  focus_dimension: Assignment['focus_dimension'];
  completed_training_id: string | null;
  created_at: string;
}

interface ReadRow extends AssignmentRow {
  /** It is revoked, whatever the row says: its member was removed. */
  revocation_pending: boolean;
}

// A day is read as text: pg makes a Date of it, and so an hour and a time zone.
const plain = [
  'a.id',
  'a.status',
  'a.title',
  'a.situation_id',
  'a.personality_id',
  'a.industry_id',
  'm.user_id as member_user_id',
  'm.email as member_email',
  'a.due_date::text as due_date',
  'a.focus_dimension',
  'a.completed_training_id',
  'a.created_at',
  `${isRevokedIn('$1')} as revocation_pending`,
] as const;

const select = (columns: string): string => `
  select ${columns}
    from assignment a
    join member m on m.tenant_id = a.tenant_id and m.id = a.member_id
   where a.tenant_id = $1`;

const byId = statement<ReadRow, [tenantId: string, id: string]>(
  `${select(`${plain.join(', ')}, a.note`)} and a.id = $2`,
);

const newest = newestFirst<ReadRow, 'created_at', never>({
  list: 'assignments',
  order: ['a.created_at', 'a.id'],
  at: 'created_at',
  // A note may have 20,000 characters, 120 kB in JSON, and 255 kB from before it was limited; few are long.
  bulk: { plain, large: { note: { column: 'a.note' } }, bytes: 'a.bytes' },
  sql: (conditions, columns) => `${select(columns)} ${conditions} order by a.created_at desc, a.id desc limit $2`,
});

export const presentAssignment = (row: AssignmentRow): Assignment => ({
  id: row.id,
  status: row.status,
  title: row.title,
  situation_id: row.situation_id,
  personality_id: row.personality_id,
  industry_id: row.industry_id,
  member_user_id: row.member_user_id,
  member_email: row.member_email,
  note: row.note,
  due_date: row.due_date,
  focus_dimension: row.focus_dimension,
  completed_training_id: row.completed_training_id,
  created_at: row.created_at,
});

export const getAssignment = async (team: Team, id: string): Promise<Assignment> => {
  const [row] = isId(id) ? await team.platform.database.rows(byId, team.id, id) : [];
  return presentAssignment(asItIs(row ?? fail('not_found')));
};

/** The team's assignments, also those of former members: removing a member revokes them and leaves them listed. */
export const listAssignments = async (
  team: Team,
  query: { cursor?: string | undefined; limit: number },
): Promise<Page<Assignment>> => {
  const page = await newest(team, query);
  return { ...page, data: page.data.map((row) => presentAssignment(asItIs(row))) };
};
