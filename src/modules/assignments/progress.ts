import { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import { readCursor, writeCursor } from '../../core/cursor.ts';
import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { statement } from '../../db/statement.ts';
import type { Statement } from '../../db/statement.ts';
import { isListed } from '../../platform/listed-sql.ts';
import { withinBudget } from '../../platform/page-budget.ts';
import { cutAt } from '../../platform/paging.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import { presentAssignment } from './listing.ts';
import type { AssignmentRow } from './listing.ts';
import { asItIs, isRevokedIn } from './revocation.ts';
import { assignmentStatuses } from './schema.ts';
import type { Assignment, GivenAssignment, OwnAssignment } from './schema.ts';
import type { Own } from './states.ts';

/** An assignment's row with how it goes, and whose it is. */
interface ProgressRow extends AssignmentRow {
  revocation_pending: boolean;
  member_id: string;
  member_name: string | null;
  overdue: boolean;
  training_ids: string[];
  wanted: boolean;
  /** Whether the walk ended here without having seen all that there is. */
  walked: boolean;
}

type Values = [
  tenantId: string,
  limit: number,
  walk: number,
  today: string,
  statuses: readonly Assignment['status'][],
  overdue: readonly boolean[],
  createdAt: string,
  id: string,
  ...member: string[],
];

const shownTrainings = 20;

/** So many bytes take the ids of the trainings of each. */
const bytesOfTrainings = shownTrainings * 40;

// Notes may be long, so the page ends at its budget too. Status and day have no index of their own: the newest are walked through, so many at most, and those that are not wanted left
// out. The last one of a full walk comes along whatever it is, as the place to go on from.
const progress = (whose: string): Statement<ProgressRow, Values> =>
  statement(`
  with walk as (
    select a.*, ${isRevokedIn('$1')} as revocation_pending, row_number() over (order by a.created_at desc, a.id desc) = $3 as walked
      from assignment a
     where a.tenant_id = $1 ${whose} and (a.created_at, a.id) < ($7::timestamptz, $8::uuid)
     order by a.created_at desc, a.id desc
     limit $3
  ), seen as (
    select walk.*, case when revocation_pending then 'revoked' else status end as status_now,
           coalesce(not revocation_pending and status in ('open', 'in_progress') and due_date < $4::date, false) as overdue from walk
  ), judged as (
    select seen.*,
           status_now = any ($5::assignment_status[]) and overdue = any ($6::boolean[]) as wanted
      from seen
  ), page as (
    ${withinBudget({
      page: 'select * from judged where wanted or walked order by created_at desc, id desc limit $2',
      order: 'created_at desc, id desc',
      columns: 'page.*',
      bytes: `bytes + ${bytesOfTrainings}`,
    })}
  )
  select a.id, a.status, a.title, a.situation_id, a.personality_id, a.industry_id, m.user_id as member_user_id,
         m.email as member_email, a.note, a.due_date::text as due_date, a.focus_dimension, a.completed_training_id, a.created_at,
         a.revocation_pending, a.member_id, p.name as member_name, a.overdue, a.wanted, a.walked, a.more,
         array(select t.id::text from training t
                where t.tenant_id = a.tenant_id and t.assignment_id = a.id and ${isListed}
                order by t.created_at desc, t.id desc
                limit ${shownTrainings}) as training_ids
    from page a
    join member m on m.tenant_id = a.tenant_id and m.id = a.member_id
    left join team_user u on u.tenant_id = m.tenant_id and u.id = m.user_id
    left join person p on p.id = u.person_id
   order by a.created_at desc, a.id desc`);

const ofTeam = progress('');
const ofMember = progress('and a.member_id = $9');
const oneOfMember = progress('and a.member_id = $9 and a.id = $10');

const todayOf = (clock: Clock): string => clock.now().toISOString().slice(0, 10);

/** How many a page with a filter looks at before it comes back short. */
const longestWalk = 1_000;

const Position = z.tuple([z.iso.datetime(), z.uuid()]);
const beyondAll = ['infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'] as const;

interface Wanted {
  cursor?: string | undefined;
  limit: number;
  status?: Assignment['status'] | 'unfinished' | undefined;
  overdue?: boolean | undefined;
  member_id?: string | undefined;
}

const unfinished = ['open', 'in_progress'] as const;

const statusesOf = (wanted: Wanted['status']): readonly Assignment['status'][] => {
  if (wanted === undefined) return assignmentStatuses;
  return wanted === 'unfinished' ? unfinished : [wanted];
};

/**
 * Assignments, newest first. With a filter a page may be short, even empty, and still have a `next_cursor`: it says how far the
 * search came.
 */
const readProgress = async (
  { id: tenantId, platform }: Team,
  { cursor, limit, status, overdue, member_id }: Wanted,
): Promise<Page<ProgressRow>> => {
  const { database, vault, clock } = platform;
  const list = `${tenantId} assignments in progress&${status ?? ''}&${overdue ?? ''}&${encodeURIComponent(member_id ?? '')}`;
  const after = cursor === undefined ? beyondAll : Position.safeParse(readCursor(vault, list, cursor)).data;
  if (!after) return fail('validation_error', { field: 'cursor' });
  if (member_id !== undefined && !isId(member_id)) return { data: [], next_cursor: null };

  const statuses = statusesOf(status);
  const late = overdue === undefined ? [true, false] : [overdue];
  const walk = status === undefined && overdue === undefined ? limit + 1 : longestWalk;
  const values = [tenantId, limit + 1, walk, todayOf(clock), statuses, late, ...after] as const;
  const rows = await (member_id === undefined
    ? database.rows(ofTeam, ...values)
    : database.rows(ofMember, ...values, member_id));
  const wanted = rows.filter((row) => row.wanted);
  const data = wanted.slice(0, limit);
  const { stoppedAt } = cutAt(rows, (row) => [row.created_at, row.id]);
  const goOn = wanted.length > limit ? data.at(-1) : stoppedAt ? rows.at(-1) : rows.find(({ walked }) => walked);
  return { data, next_cursor: goOn ? writeCursor(vault, list, [goOn.created_at, goOn.id]) : null };
};

/** What a member was given to do. */
export const listOwnAssignments = async (
  team: Team,
  memberId: string,
  query: Omit<Wanted, 'member_id'>,
): Promise<Page<OwnAssignment>> => {
  const page = await readProgress(team, { ...query, member_id: memberId });
  return { ...page, data: page.data.map(presentOwn) };
};

/** One of the things that a member was given to do; another's is not found. */
export const getOwnAssignment = async (
  { id: tenantId, platform: { database, clock } }: Team,
  { memberId, id }: Own,
): Promise<OwnAssignment> => {
  const values = [
    tenantId,
    1,
    1,
    todayOf(clock),
    assignmentStatuses,
    [true, false],
    ...beyondAll,
    memberId,
    id,
  ] as const;
  const [row] = isId(id) ? await database.rows(oneOfMember, ...values) : [];
  return presentOwn(row ?? fail('not_found'));
};

const presentOwn = (row: ProgressRow): OwnAssignment => {
  const { member_user_id: _userId, member_email: _email, ...own } = presentAssignment(asItIs(row));
  return { ...own, overdue: row.overdue, training_ids: row.training_ids };
};

/** What everybody was given to do, former members too; closed while the team hides what single people do. */
export const listGivenAssignments = async (team: Team, query: Wanted): Promise<Page<GivenAssignment>> => {
  if (!team.privacy.memberDetail) fail('privacy_restricted');
  const page = await readProgress(team, query);
  return { ...page, data: page.data.map(presentGiven) };
};

const presentGiven = (row: ProgressRow): GivenAssignment => ({
  ...presentAssignment(asItIs(row)),
  overdue: row.overdue,
  training_ids: row.training_ids,
  member: { member_id: row.member_id, name: row.member_name, email: row.member_email },
});
