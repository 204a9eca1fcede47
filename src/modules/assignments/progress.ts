import { z } from 'zod';
import { utcDay } from '../../core/clock.ts';
import type { Vault } from '../../core/crypto.ts';
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
import type { ProgressFrom, ProgressOrder, ProgressRow } from './store.ts';

/** How many assignments a page with a filter examines. */
const longestWalk = 1_000;

const firstId = '00000000-0000-0000-0000-000000000000';
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Where a page starts. */
type Position = ProgressFrom & { id: string };

/** Where each order begins. */
const starts = {
  newest: { order: 'newest', createdAt: 'infinity', id: lastId },
  oldest: { order: 'oldest', createdAt: '-infinity', id: firstId },
  due: { order: 'due', due: '-infinity', id: firstId },
  due_last: { order: 'due_last', due: 'infinity', id: lastId },
  undated: { order: 'undated', id: firstId },
} as const satisfies Record<ProgressOrder, Position>;

const InCursor: z.ZodType<Position> = z.discriminatedUnion('order', [
  z.strictObject({ order: z.enum(['newest', 'oldest']), createdAt: z.iso.datetime(), id: z.uuid() }),
  z.strictObject({ order: z.enum(['due', 'due_last']), due: z.iso.date(), id: z.uuid() }),
  z.strictObject({ order: z.literal('undated'), id: z.uuid() }),
]);

type Place = Pick<ProgressRow, 'id' | 'created_at' | 'due_date'>;

const positionAt = (order: ProgressOrder, { id, created_at: createdAt, due_date: due }: Place): Position => {
  if (order === 'newest' || order === 'oldest') return { order, createdAt, id };
  return order === 'undated' || due === null ? { order: 'undated', id } : { order, due, id };
};

const orderOf = ({ sort }: Pick<Wanted, 'sort'>): ProgressOrder => {
  if (sort?.by === 'due') return sort.desc ? 'due_last' : 'due';
  return sort?.by === 'created' && !sort.desc ? 'oldest' : 'newest';
};

interface Wanted {
  cursor?: string | undefined;
  limit: number;
  status?: Assignment['status'] | 'unfinished' | undefined;
  overdue?: boolean | undefined;
  member_id?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  sort?: { by: 'created' | 'due'; desc: boolean } | undefined;
}

const unfinished = ['open', 'in_progress'] as const;

const statusesOf = (wanted: Wanted['status']): readonly Assignment['status'][] => {
  if (wanted === undefined) return assignmentStatuses;
  return wanted === 'unfinished' ? unfinished : [wanted];
};

/**
 * Assignments, newest first unless another order is wanted. With a filter, and before those without a due date, a page may be short or
 * even empty and still have a `next_cursor`, which says where the search continues.
 */
const readProgress = async (
  { id: tenantId, platform }: Team,
  { cursor, limit, ...wantedRows }: Wanted,
): Promise<Page<ProgressRow>> => {
  const { database, vault, clock } = platform;
  const { status, overdue, member_id, since, until } = wantedRows;
  const list = `${tenantId} assignments in progress&${JSON.stringify([status, overdue, member_id, since, until, orderOf(wantedRows)])}`;
  const after =
    cursor === undefined ? starts[orderOf(wantedRows)] : InCursor.safeParse(inCursor(vault, list, cursor)).data;
  if (!after) return refuseCursor();
  if (member_id !== undefined && !isId(member_id)) return { data: [], next_cursor: null };

  const statuses = statusesOf(status);
  const late = overdue === undefined ? [true, false] : [overdue];
  const isFiltered = [status, overdue, since, until].some((filter) => filter !== undefined);
  const walk = isFiltered ? longestWalk : limit + 1;
  const { order, id } = after;
  const filters = {
    tenantId,
    today: utcDay(clock.now()),
    statuses,
    overdue: late,
    since: since ?? '-infinity',
    until: until ?? 'infinity',
  };
  const rows = await assignments.progress(database, after, { ...filters, limit: limit + 1, walk, id }, member_id);
  const wanted = rows.filter((row) => row.wanted);
  const data = wanted.slice(0, limit);
  const { stoppedAt } = cutAt(rows, (row) => [row.id]);
  const goOn = wanted.length > limit ? data.at(-1) : stoppedAt ? rows.at(-1) : rows.find(({ walked }) => walked);
  let next = goOn && positionAt(order, goOn);
  if (!next && (order === 'due' || order === 'due_last')) {
    const first = { ...filters, limit: 1, walk: 1, id: starts.undated.id };
    const [undated] = await assignments.progress(database, starts.undated, first, member_id);
    next = undated && starts.undated;
  }
  return { data, next_cursor: next ? writeCursor(vault, list, [JSON.stringify(next)]) : null };
};

/** The position in a cursor. It depends on the order, so the cursor has it as JSON. */
const inCursor = (vault: Vault, list: string, cursor: string): unknown => {
  const [json] = z.tuple([z.string()]).safeParse(readCursor(vault, list, cursor)).data ?? [];
  return json === undefined ? undefined : JSON.parse(json);
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
  const row = isId(id)
    ? await assignments.progressOfOne(database, {
        tenantId,
        limit: 1,
        walk: 1,
        today: utcDay(clock.now()),
        statuses: assignmentStatuses,
        overdue: [true, false],
        since: '-infinity',
        until: 'infinity',
        createdAt: starts.newest.createdAt,
        id: starts.newest.id,
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
