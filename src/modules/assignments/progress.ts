import { z } from 'zod';
import { utcDay } from '../../core/clock.ts';
import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { walkPage } from '../../platform/paging.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import type { GivenAssignment, GivenAssignmentQuery, OwnAssignment, OwnAssignmentQuery } from './schema.ts';
import type { Own } from './service.ts';
import { matching, progressRows } from './progress-store.ts';
import type { ProgressRow } from './progress-store.ts';

type Wanted = z.output<typeof GivenAssignmentQuery>;

/** The value of the order, and the id. The value of an assignment without a due date is empty in the order of due dates. */
const Position = z.tuple([z.union([z.iso.datetime(), z.iso.date(), z.literal('')]), z.uuid()]);
type Position = z.output<typeof Position>;

/** Where each list begins. */
const start = ['', ''] as const;

/** The ids of the next assignments after a position, in the order of an index. Those without a due date come after all others. */
const nextIds = async (
  { id: tenantId, platform: { database, clock } }: Team,
  { member_id: memberId, sort: { by, desc } = { by: 'created', desc: true }, ...filters }: Wanted,
  after: Position | undefined,
  most: number,
): Promise<string[]> => {
  const [value, id] = after ?? start;
  const at = new Date(value);
  const [beyond, upTo, beyondId] = desc ? [{ lt: at }, { lte: at }, { lt: id }] : [{ gt: at }, { gte: at }, { gt: id }];
  const direction = desc ? 'desc' : 'asc';
  // A member is a range and a part of the order, so that only the index by member provides the order. Otherwise the planner may walk all of
  // the team's assignments to find those of one member.
  const ofMember = memberId === undefined ? {} : { memberId: { gte: memberId, lte: memberId } };
  const of = { tenantId, ...ofMember, AND: matching(filters, new Date(utcDay(clock.now()))) };
  const byMember = memberId === undefined ? [] : [{ memberId: direction } as const];

  if (by === 'created') {
    const behind = after && { createdAt: upTo, OR: [{ createdAt: beyond }, { id: beyondId }] };
    const order = [...byMember, { createdAt: direction }, { id: direction }] as const;
    return progressRows.ids(database, { ...of, ...behind }, [...order], most);
  }
  const isUndated = after !== undefined && value === '';
  const behind = after ? { dueDate: upTo, OR: [{ dueDate: beyond }, { id: beyondId }] } : { dueDate: { not: null } };
  const order = [...byMember, { dueDate: direction }, { id: direction }] as const;
  const dated = isUndated ? [] : await progressRows.ids(database, { ...of, ...behind }, [...order], most);
  if (dated.length === most) return dated;
  const undated = { ...of, dueDate: null, ...(isUndated && { id: { gt: id } }) };
  return [...dated, ...(await progressRows.ids(database, undated, [...byMember, { id: 'asc' }], most - dated.length))];
};

type Shown = ProgressRow & { overdue: boolean };

/** Whether it is not done yet, though its day is over (UTC). */
const isOverdue = ({ status, due_date }: ProgressRow, today: string): boolean =>
  (status === 'open' || status === 'in_progress') && due_date !== null && due_date < today;

const progressOf = async ({ id, platform: { database, clock } }: Team, ids: string[]): Promise<Shown[]> => {
  const today = utcDay(clock.now());
  const rows = ids.length === 0 ? [] : await progressRows.progress(database, id, ids);
  return rows.map((row) => ({ ...row, overdue: isOverdue(row, today) }));
};

const readProgress = (team: Team, wanted: Wanted): Promise<Page<Shown>> => {
  const { cursor: _cursor, limit: _limit, sort, ...filters } = wanted;
  const positionOf = ({ id, created_at, due_date }: Shown): Position => [
    sort?.by === 'due' ? (due_date ?? '') : created_at,
    id,
  ];
  return walkPage<Shown, Position>(team, {
    list: `assignments in progress&${JSON.stringify([filters, sort])}`,
    position: Position,
    query: wanted,
    positionOf,
    walk: async (after, limit) => {
      if (wanted.member_id !== undefined && !isId(wanted.member_id)) return { rows: [] };
      const ids = await nextIds(team, wanted, after, limit);
      const rows = await progressOf(team, ids);
      const end = rows.at(-1);
      // With fewer rows, the page ended at its budget.
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
