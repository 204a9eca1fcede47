import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import { asItIs } from './revocation.ts';
import type { Assignment } from './schema.ts';
import { assignmentList, assignments } from './store.ts';
import type { AssignmentRow } from './store.ts';

/** An assignment as it is shown: its status is what is so, whether or not its row says it already. */
export type ShownAssignment = Omit<AssignmentRow, 'revocation_pending'>;

export const presentAssignment = (row: ShownAssignment): Assignment => ({
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

export const getAssignment = async ({ id: tenantId, platform }: Team, id: string): Promise<Assignment> => {
  const row = isId(id) ? await assignments.get(platform.database, tenantId, id) : undefined;
  return presentAssignment(asItIs(row ?? fail('not_found')));
};

/** The team's assignments, also those of former members: removing a member revokes them and leaves them listed. */
export const listAssignments = async (
  team: Team,
  query: { cursor?: string | undefined; limit: number },
): Promise<Page<Assignment>> => {
  const page = await assignmentList(team, query);
  return { ...page, data: page.data.map((row) => presentAssignment(asItIs(row))) };
};
