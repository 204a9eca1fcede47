import { z } from 'zod';
import { utcDay } from '../../core/clock.ts';
import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { walkPage } from '../../platform/paging.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import { isRevokedByRemoval } from './revocation.ts';
import type { GivenAssignment, GivenAssignmentQuery, OwnAssignment, OwnAssignmentQuery } from './schema.ts';
import type { Own } from './service.ts';
import { progressRows } from './progress-store.ts';
import type { Examined, ProgressRow } from './progress-store.ts';

/** How many assignments a page with a filter examines: status and due date have no index of their own. */
const longestWalk = 1_000;

type Wanted = z.output<typeof GivenAssignmentQuery>;

type Status = Examined['status'];

const statusOf = (row: Examined): Status => (isRevokedByRemoval(row) ? 'revoked' : row.status);

const isUnfinished = (status: Status): boolean => status === 'open' || status === 'in_progress';

/** Whether it is not done yet, though its day is over (UTC). */
const isOverdue = (status: Status, dueDate: string | null, today: string): boolean =>
  isUnfinished(status) && dueDate !== null && dueDate < today;

const dayOf = ({ dueDate }: Examined): string | null => dueDate && utcDay(dueDate);

const matches = (row: Examined, { status, overdue, since, until }: Wanted, today: string): boolean => {
  const now = statusOf(row);
  return (
    (status === undefined || status === now || (status === 'unfinished' && isUnfinished(now))) &&
    (overdue === undefined || overdue === isOverdue(now, dayOf(row), today)) &&
    (since === undefined || row.createdAt >= since) &&
    (until === undefined || row.createdAt < until)
  );
};

/** The value of the order, and the id. The value of an assignment without a due date is empty in the order of due dates. */
const Position = z.tuple([z.union([z.iso.datetime(), z.iso.date(), z.literal('')]), z.uuid()]);
type Position = z.output<typeof Position>;

/** Where each list begins. */
const start = ['', ''] as const;

/** The next assignments after a position, in the order of an index. Those without a due date come after all others. */
const examine = async (
  { id: tenantId, platform: { database } }: Team,
  { member_id: memberId, sort: { by, desc } = { by: 'created', desc: true } }: Wanted,
  after: Position | undefined,
  most: number,
): Promise<Examined[]> => {
  const [value, id] = after ?? start;
  const at = new Date(value);
  const [beyond, upTo, beyondId] = desc ? [{ lt: at }, { lte: at }, { lt: id }] : [{ gt: at }, { gte: at }, { gt: id }];
  const direction = desc ? 'desc' : 'asc';
  // A member is a range and a part of the order, so that only the index by member provides the order. Otherwise the planner may walk all of
  // the team's assignments to find those of one member.
  const ofMember = memberId === undefined ? {} : { memberId: { gte: memberId, lte: memberId } };
  const of = { tenantId, ...ofMember };
  const byMember = memberId === undefined ? [] : [{ memberId: direction } as const];

  if (by === 'created') {
    const behind = after && { createdAt: upTo, OR: [{ createdAt: beyond }, { id: beyondId }] };
    return progressRows.walk(
      database,
      { ...of, ...behind },
      [...byMember, { createdAt: direction }, { id: direction }],
      most,
    );
  }
  const isUndated = after !== undefined && value === '';
  const behind = after ? { dueDate: upTo, OR: [{ dueDate: beyond }, { id: beyondId }] } : { dueDate: { not: null } };
  const order = [...byMember, { dueDate: direction }, { id: direction }] as const;
  const dated = isUndated ? [] : await progressRows.walk(database, { ...of, ...behind }, [...order], most);
  if (dated.length === most) return dated;
  const undated = { ...of, dueDate: null, ...(isUndated && { id: { gt: id } }) };
  return [...dated, ...(await progressRows.walk(database, undated, [...byMember, { id: 'asc' }], most - dated.length))];
};

type Shown = ProgressRow & { overdue: boolean };

const progressOf = async ({ id, platform: { database, clock } }: Team, ids: string[]): Promise<Shown[]> => {
  const today = utcDay(clock.now());
  const rows = ids.length === 0 ? [] : await progressRows.progress(database, id, ids);
  return rows.map((row) => ({ ...row, overdue: isOverdue(row.status, row.due_date, today) }));
};

/** A page may be short or even empty and still have a `next_cursor`, which says where the search continues. */
const readProgress = (team: Team, wanted: Wanted): Promise<Page<Shown>> => {
  const { cursor: _cursor, limit: _limit, sort, ...filters } = wanted;
  const { status, overdue, since, until } = filters;
  const isFiltered = [status, overdue, since, until].some((filter) => filter !== undefined);
  const today = utcDay(team.platform.clock.now());
  const positionAt = (id: string, created: string, due: string | null): Position => [
    sort?.by === 'due' ? (due ?? '') : created,
    id,
  ];
  const positionOf = ({ id, created_at, due_date }: Shown) => positionAt(id, created_at, due_date);
  return walkPage<Shown, Position>(team, {
    list: `assignments in progress&${JSON.stringify([filters, sort])}`,
    position: Position,
    query: wanted,
    positionOf,
    walk: async (after, limit) => {
      if (wanted.member_id !== undefined && !isId(wanted.member_id)) return { rows: [] };
      const most = isFiltered ? longestWalk : limit;
      const seen = await examine(team, wanted, after, most);
      const found = seen.filter((row) => matches(row, wanted, today)).slice(0, limit);
      const rows = await progressOf(
        team,
        found.map(({ id }) => id),
      );
      const [end, last] = [rows.at(-1), seen.at(-1)];
      // The page ended at its budget.
      if (end && rows.length < found.length) return { rows, stoppedAt: positionOf(end) };
      if (!last || seen.length < most) return { rows };
      return { rows, stoppedAt: positionAt(last.id, last.createdAt.toISOString(), dayOf(last)) };
    },
  });
};

const presentOwn = ({ member_id: _id, member_name: _name, ...row }: Shown): OwnAssignment => {
  const { member_user_id: _userId, member_email: _email, ...own } = row;
  return own;
};

/** A member's own assignments. */
export const listOwnAssignments = async (
  team: Team,
  memberId: string,
  query: z.output<typeof OwnAssignmentQuery>,
): Promise<Page<OwnAssignment>> => {
  const page = await readProgress(team, { ...query, member_id: memberId });
  return { ...page, data: page.data.map(presentOwn) };
};

/** One of a member's own assignments; another member's is not found. */
export const getOwnAssignment = async (team: Team, { memberId, id }: Own): Promise<OwnAssignment> => {
  const [row] = isId(id) ? await progressOf(team, [id]) : [];
  return row?.member_id === memberId ? presentOwn(row) : fail('not_found');
};

/** The assignments of all members, including former ones. Refused while the team hides member details. */
export const listGivenAssignments = async (team: Team, query: Wanted): Promise<Page<GivenAssignment>> => {
  if (!team.privacy.memberDetail) fail('privacy_restricted');
  const page = await readProgress(team, query);
  return { ...page, data: page.data.map(presentGiven) };
};

const presentGiven = ({ member_id, member_name: name, ...row }: Shown): GivenAssignment => ({
  ...row,
  member: { member_id, name, email: row.member_email },
});
