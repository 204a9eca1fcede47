import { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import { cutAt, readCursor, refuseCursor, writeCursor } from '../../platform/paging.ts';
import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import { presentAssignment } from './service.ts';
import { asItIs } from './revocation.ts';
import { assignmentStatuses } from './schema.ts';
import type { Assignment, GivenAssignment, OwnAssignment } from './schema.ts';
import type { Own } from './service.ts';
import { assignments } from './store.ts';
import type { ProgressRow } from './store.ts';

const todayOf = (clock: Clock): string => clock.now().toISOString().slice(0, 10);

/** How many assignments a page with a filter examines. */
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
 * Assignments, newest first. With a filter, a page may be short or even empty and still have a `next_cursor`, which says where the search
 * continues.
 */
const readProgress = async (
  { id: tenantId, platform }: Team,
  { cursor, limit, status, overdue, member_id }: Wanted,
): Promise<Page<ProgressRow>> => {
  const { database, vault, clock } = platform;
  const list = `${tenantId} assignments in progress&${status ?? ''}&${overdue ?? ''}&${encodeURIComponent(member_id ?? '')}`;
  const after = cursor === undefined ? beyondAll : Position.safeParse(readCursor(vault, list, cursor)).data;
  if (!after) return refuseCursor();
  if (member_id !== undefined && !isId(member_id)) return { data: [], next_cursor: null };

  const statuses = statusesOf(status);
  const late = overdue === undefined ? [true, false] : [overdue];
  const walk = status === undefined && overdue === undefined ? limit + 1 : longestWalk;
  const [createdAt, id] = after;
  const rows = await assignments.progress(
    database,
    { tenantId, limit: limit + 1, walk, today: todayOf(clock), statuses, overdue: late, createdAt, id },
    member_id,
  );
  const wanted = rows.filter((row) => row.wanted);
  const data = wanted.slice(0, limit);
  const { stoppedAt } = cutAt(rows, (row) => [row.created_at, row.id]);
  const goOn = wanted.length > limit ? data.at(-1) : stoppedAt ? rows.at(-1) : rows.find(({ walked }) => walked);
  return { data, next_cursor: goOn ? writeCursor(vault, list, [goOn.created_at, goOn.id]) : null };
};

/** A member's own assignments. */
export const listOwnAssignments = async (
  team: Team,
  memberId: string,
  query: Omit<Wanted, 'member_id'>,
): Promise<Page<OwnAssignment>> => {
  const page = await readProgress(team, { ...query, member_id: memberId });
  return { ...page, data: page.data.map(presentOwn) };
};

/** One of a member's own assignments; another member's is not found. */
export const getOwnAssignment = async (
  { id: tenantId, platform: { database, clock } }: Team,
  { memberId, id }: Own,
): Promise<OwnAssignment> => {
  const [createdAt, beyond] = beyondAll;
  const row = isId(id)
    ? await assignments.progressOfOne(database, {
        tenantId,
        limit: 1,
        walk: 1,
        today: todayOf(clock),
        statuses: assignmentStatuses,
        overdue: [true, false],
        createdAt,
        id: beyond,
        memberId,
        assignmentId: id,
      })
    : undefined;
  return presentOwn(row ?? fail('not_found'));
};

const presentOwn = (row: ProgressRow): OwnAssignment => {
  const { member_user_id: _userId, member_email: _email, ...own } = presentAssignment(asItIs(row));
  return { ...own, overdue: row.overdue, training_ids: row.training_ids };
};

/** The assignments of all members, including former ones. Refused while the team hides member details. */
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
