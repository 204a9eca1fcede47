import { z } from 'zod';
import { utcDay } from '../../core/clock.ts';
import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import type { Database } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import type { AssignmentStatus } from '../../db/generated/enums.ts';
import { walkPage } from '../../platform/paging.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import type { GivenAssignment, GivenAssignmentQuery, OwnAssignment, OwnAssignmentQuery } from './schema.ts';
import type { Own } from './service.ts';
import { progressRows } from './progress-store.ts';
import type { ProgressRow } from './progress-store.ts';

type Wanted = z.output<typeof GivenAssignmentQuery>;

const unfinished: AssignmentStatus[] = ['open', 'in_progress'];

/** An assignment that is not done yet, though its day is over (UTC), and all others. */
const whetherOverdue = (overdue: boolean, today: Date): Prisma.AssignmentWhereInput =>
  overdue
    ? { status: { in: unfinished }, dueDate: { lt: today } }
    : { OR: [{ status: { notIn: unfinished } }, { dueDate: null }, { dueDate: { gte: today } }] };

/** The assignments that a list shows. */
const matching = (
  tenantId: string,
  { member_id: memberId, status, overdue, since, until }: Wanted,
  today: Date,
): Prisma.AssignmentWhereInput => ({
  tenantId,
  // A member is a range and a part of the order, so that only the index by member provides the order. Otherwise the planner may walk all of
  // the team's assignments to find those of one member.
  ...(memberId !== undefined && { memberId: { gte: memberId, lte: memberId } }),
  ...(status !== undefined && { status: status === 'unfinished' ? { in: unfinished } : status }),
  createdAt: { ...(since && { gte: since }), ...(until && { lt: until }) },
  AND: overdue === undefined ? [] : [whetherOverdue(overdue, today)],
});

/** The value of the order, and the id. The value of an assignment without a due date is empty in the order of due dates. */
const Position = z.tuple([z.union([z.iso.datetime(), z.iso.date(), z.literal('')]), z.uuid()]);
type Position = z.output<typeof Position>;

/** The ids of the next assignments after a position. Those without a due date come after all others. */
const nextIds = async (
  database: Database,
  shown: Prisma.AssignmentWhereInput,
  { member_id, sort: { by, desc } }: Wanted & { sort: NonNullable<Wanted['sort']> },
  { after, most }: { after: Position | undefined; most: number },
): Promise<string[]> => {
  const direction = desc ? 'desc' : 'asc';
  const byMember = member_id === undefined ? [] : [{ memberId: direction } as const];
  const read = (
    behind: Prisma.AssignmentWhereInput,
    orderBy: Prisma.AssignmentOrderByWithRelationInput[],
    take: number,
  ) => progressRows.ids(database, { AND: [shown, behind] }, [...byMember, ...orderBy], take);
  const [value, id] = after ?? ['', ''];
  const at = new Date(value);
  const [beyond, upTo, beyondId] = desc ? [{ lt: at }, { lte: at }, { lt: id }] : [{ gt: at }, { gte: at }, { gt: id }];
  if (by === 'created') {
    const behind = after ? { createdAt: upTo, OR: [{ createdAt: beyond }, { id: beyondId }] } : {};
    return read(behind, [{ createdAt: direction }, { id: direction }], most);
  }
  const isUndated = after !== undefined && value === '';
  const behind = after ? { dueDate: upTo, OR: [{ dueDate: beyond }, { id: beyondId }] } : { dueDate: { not: null } };
  const dated = isUndated ? [] : await read(behind, [{ dueDate: direction }, { id: direction }], most);
  if (dated.length === most) return dated;
  const undated = { dueDate: null, ...(isUndated && { id: { gt: id } }) };
  return [...dated, ...(await read(undated, [{ id: 'asc' }], most - dated.length))];
};

type Shown = ProgressRow & { overdue: boolean };

const progressOf = async ({ id, platform: { database, clock } }: Team, ids: string[]): Promise<Shown[]> => {
  const today = utcDay(clock.now());
  const rows = ids.length === 0 ? [] : await progressRows.progress(database, id, ids);
  return rows.map((row) => ({
    ...row,
    overdue: unfinished.includes(row.status) && row.due_date !== null && row.due_date < today,
  }));
};

const readProgress = (team: Team, wanted: Wanted): Promise<Page<Shown>> => {
  const { id: tenantId, platform } = team;
  const { cursor: _cursor, limit: _limit, sort = { by: 'created', desc: true }, ...filters } = wanted;
  const shown = matching(tenantId, wanted, new Date(utcDay(platform.clock.now())));
  const positionOf = ({ id, created_at, due_date }: Shown): Position => [
    sort.by === 'due' ? (due_date ?? '') : created_at,
    id,
  ];
  return walkPage<Shown, Position>(team, {
    list: `assignments in progress&${JSON.stringify([filters, sort])}`,
    position: Position,
    query: wanted,
    positionOf,
    walk: async (after, most) => {
      if (wanted.member_id !== undefined && !isId(wanted.member_id)) return { rows: [] };
      const ids = await nextIds(platform.database, shown, { ...wanted, sort }, { after, most });
      const rows = await progressOf(team, ids);
      const end = rows.at(-1);
      // The page ended at its budget.
      return end && rows.length < ids.length ? { rows, stoppedAt: positionOf(end) } : { rows };
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
