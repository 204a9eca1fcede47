import { z } from 'zod';
import { utcDay } from '../../core/clock.ts';
import { isId } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { practiceLink } from '../../core/practice.ts';
import { fail } from '../../core/problem.ts';
import type { Camel } from '../../core/spelling.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { AssignmentStatus } from '../../db/generated/enums.ts';
import { countAmong, maxCounted, pageAfter, rowOverhead, type ListCount, type Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import type * as schema from './schema.ts';
import { withReminders } from './reminders.ts';
import { isUnfinished, type OwnAssignmentKey } from './service.ts';
import { trainingsOfAssignments } from '../trainings/read-store.ts';
import { assignmentIn, assignments, titleHas, type ProgressRow } from './store.ts';

// The lists of assignments in the app, with members and trainings.

type OwnAssignment = Camel<schema.OwnAssignment>;
type GivenAssignment = Camel<schema.GivenAssignment>;
type ProgressQuery = Camel<z.output<typeof schema.GivenAssignmentQuery>>;

/**
 * A position: the value by which the list is ordered, the id and the status. In the order of due dates, the value is
 * empty for an assignment without a due date. In all other orders, it is the time of creation.
 */
const Position = z.tuple([z.iso.datetime().or(z.literal('')), z.uuid(), z.enum(AssignmentStatus)]);
type Position = z.output<typeof Position>;

/** The position at which each list begins. */
const start = ['', '', undefined] as const;

const unfinished = { status: { in: ['open', 'in_progress'] } } satisfies Prisma.AssignmentWhereInput;

/** The filters of a list; `today` is the present day. */
const matching = (
  {
    search = '',
    status,
    overdue,
    dueBefore,
    since,
    until,
  }: Pick<ProgressQuery, 'search' | 'status' | 'overdue' | 'dueBefore' | 'since' | 'until'>,
  today: Date,
): Prisma.AssignmentWhereInput[] => [
  ...titleHas(search),
  ...(status === undefined ? [] : [status === 'unfinished' ? unfinished : { status }]),
  ...(overdue === true ? [{ ...unfinished, dueDate: { lt: today } }] : []),
  ...(overdue === false ? [{ OR: [{ NOT: unfinished }, { dueDate: null }, { dueDate: { gte: today } }] }] : []),
  ...(dueBefore === undefined ? [] : [{ dueDate: { lt: new Date(dueBefore) } }]),
  ...(since ? [{ createdAt: { gte: since } }] : []),
  ...(until ? [{ createdAt: { lt: until } }] : []),
];

/** The next assignments after a position, in the order of an index. By due date, those without one come last. */
const nextRows = async (
  { id: tenantId, platform: { database, clock } }: Team,
  { memberId, sort: { by, desc } = { by: 'created', desc: true }, ...filters }: ProgressQuery,
  after: Position | undefined,
  max: number,
): Promise<ProgressRow[]> => {
  const [value, id, reached] = after ?? start;
  const at = new Date(value);
  const [beyond, upTo, beyondId] = desc ? [{ lt: at }, { lte: at }, { lt: id }] : [{ gt: at }, { gte: at }, { gt: id }];
  const direction = desc ? 'desc' : 'asc';
  // The filter by a member is a range and a part of the order, so that only the index by member provides the order.
  // Otherwise the planner may walk all of the team's assignments to find those of one member.
  const ofMember = memberId === undefined ? {} : { memberId: { gte: memberId, lte: memberId } };
  const of = { tenantId, ...ofMember, AND: matching(filters, new Date(utcDay(clock.now()))) };
  const byMember = memberId === undefined ? [] : [{ memberId: direction } as const];

  if (by === 'status') {
    // Reads the states one after the other, and the assignments of a state with the newest first. Reading one state
    // costs as much as a filter by this state.
    const states = Object.values(AssignmentStatus);
    const inOrder = desc ? states.toReversed() : states;
    const order = [...byMember, { createdAt: 'desc' }, { id: 'desc' }] as const;
    const found: ProgressRow[] = [];
    for (const status of reached === undefined ? inOrder : inOrder.slice(inOrder.indexOf(reached))) {
      const behind = status === reached && {
        createdAt: { lte: at },
        OR: [{ createdAt: { lt: at } }, { id: { lt: id } }],
      };
      const where = { ...of, ...behind, AND: [...of.AND, { status }] };
      found.push(...(await assignments.inProgress(database, where, [...order], max - found.length)));
      if (found.length === max) break;
    }
    return found;
  }
  if (by === 'created') {
    const behind = after && { createdAt: upTo, OR: [{ createdAt: beyond }, { id: beyondId }] };
    const order = [...byMember, { createdAt: direction }, { id: direction }] as const;
    return assignments.inProgress(database, { ...of, ...behind }, [...order], max);
  }
  const isUndated = after !== undefined && value === '';
  const behind = after ? { dueDate: upTo, OR: [{ dueDate: beyond }, { id: beyondId }] } : { dueDate: { not: null } };
  const order = [...byMember, { dueDate: direction }, { id: direction }] as const;
  const dated = isUndated ? [] : await assignments.inProgress(database, { ...of, ...behind }, [...order], max);
  if (dated.length === max) return dated;
  const undated = { ...of, dueDate: null, ...(isUndated && { id: { gt: id } }) };
  const rest = await assignments.inProgress(database, undated, [...byMember, { id: 'asc' }], max - dated.length);
  return [...dated, ...rest];
};

/** The rows that fit on a page: it always has the first one. */
const withinBudget = (rows: readonly ProgressRow[]): ProgressRow[] => {
  let bytes = 0;
  const end = rows.findIndex(({ note }, at) => {
    bytes += rowOverhead + Buffer.byteLength(JSON.stringify(note));
    return at > 0 && bytes > limits.pageBytes;
  });
  return rows.slice(0, end < 0 ? undefined : end);
};

const shownTrainings = 20;

type ProgressWithTrainings = ProgressRow & { trainingIds: string[] };

/** The rows with their newest trainings. */
const withTrainings = async (
  { id, platform: { database } }: Team,
  rows: readonly ProgressRow[],
): Promise<ProgressWithTrainings[]> => {
  const wanted = { assignmentIds: rows.map((row) => row.id), max: shownTrainings };
  const found = await trainingsOfAssignments(database, id, wanted);
  const trainingsOf = Map.groupBy(found, ({ assignmentId }) => assignmentId);
  return rows.map((row) => ({ ...row, trainingIds: (trainingsOf.get(row.id) ?? []).map((training) => training.id) }));
};

const readProgress = (team: Team, wanted: ProgressQuery): Promise<Page<ProgressWithTrainings>> => {
  const { cursor: _cursor, limit: _limit, sort, ...filters } = wanted;
  const positionOf = ({ id, createdAt, dueDate, status }: ProgressRow): Position => [
    sort?.by === 'due' ? (dueDate?.toISOString() ?? '') : createdAt.toISOString(),
    id,
    status,
  ];
  return pageAfter<ProgressWithTrainings, Position>(team, {
    list: `assignments in progress&${JSON.stringify([filters, sort])}`,
    position: Position,
    query: wanted,
    positionOf,
    read: async (after, limit) => {
      if (wanted.memberId !== undefined && !isId(wanted.memberId)) return { rows: [] };
      const found = await nextRows(team, wanted, after, limit);
      const rows = await withTrainings(team, withinBudget(found));
      const end = rows.at(-1);
      return end && rows.length < found.length ? { rows, stoppedAt: positionOf(end) } : { rows };
    },
  });
};

/** An assignment with its trainings, and whether it is overdue: unfinished, although its due day (UTC) is over. */
const present = ({ platform: { clock } }: Team, row: ProgressWithTrainings) => {
  const assignment = assignmentIn(row);
  const { dueDate } = assignment;
  const overdue = isUnfinished(assignment) && dueDate !== null && dueDate < utcDay(clock.now());
  return { ...assignment, overdue, trainingIds: row.trainingIds };
};

const presentOwn = (team: Team, row: ProgressWithTrainings): OwnAssignment => {
  const { memberUserId: _userId, memberEmail: _email, ...own } = present(team, row);
  const { practiceUrl } = team.platform;
  return { ...own, practiceUrl: isUnfinished(row) ? practiceLink(practiceUrl, row.id) : null };
};

export const listOwnAssignments = async (
  team: Team,
  memberId: string,
  query: Camel<z.output<typeof schema.OwnAssignmentQuery>>,
): Promise<Page<OwnAssignment>> => {
  const page = await readProgress(team, { ...query, memberId });
  return { ...page, data: page.data.map((row) => presentOwn(team, row)) };
};

/**
 * How many assignments match these filters. Only the filter by member has an index of its own. So matches of other
 * filters are counted only if the list without these filters is not too long. Refused while the team hides member
 * details.
 */
export const countGivenAssignments = async (
  { id: tenantId, privacy, platform: { database, clock } }: Team,
  { memberId, ...filters }: Camel<z.output<typeof schema.GivenAssignmentFilters>>,
): Promise<ListCount> => {
  if (!privacy.memberDetail) fail('privacy_restricted');
  if (memberId !== undefined && !isId(memberId)) return { count: 0, more: false };
  const of = { tenantId, ...(memberId !== undefined && { memberId }) };
  const conditions = matching(filters, new Date(utcDay(clock.now())));
  const read = await assignments.count(database, of);
  if (conditions.length === 0) return countAmong(read);
  if (read > maxCounted) return { count: 0, more: true };
  return { count: await assignments.count(database, { ...of, AND: conditions }), more: false };
};

/** One of a member's own assignments; another member's is not found. */
export const getOwnAssignment = async (team: Team, { memberId, id }: OwnAssignmentKey): Promise<OwnAssignment> => {
  const of = { tenantId: team.id, memberId, id };
  const found = isId(id) ? await assignments.inProgress(team.platform.database, of, [], 1) : [];
  const [row] = await withTrainings(team, found);
  return presentOwn(team, row ?? fail('not_found'));
};

const presentGiven = (team: Team, rows: readonly ProgressWithTrainings[]): Promise<GivenAssignment[]> =>
  withReminders(
    team,
    rows.map((row) => {
      const { email, directoryName, invitedName, user } = row.member;
      const name = directoryName ?? user?.person.name ?? invitedName;
      return { ...present(team, row), member: { memberId: row.memberId, name, email } };
    }),
  );

/** The assignments of all members, including former ones. Refused while the team hides member details. */
export const listGivenAssignments = async (team: Team, query: ProgressQuery): Promise<Page<GivenAssignment>> => {
  if (!team.privacy.memberDetail) fail('privacy_restricted');
  const page = await readProgress(team, query);
  return { ...page, data: await presentGiven(team, page.data) };
};

/** One assignment, as in the list of all members. */
export const getGivenAssignment = async (team: Team, id: string): Promise<GivenAssignment> => {
  if (!team.privacy.memberDetail) fail('privacy_restricted');
  const of = { tenantId: team.id, id };
  const found = isId(id) ? await assignments.inProgress(team.platform.database, of, [], 1) : [];
  const [given] = await presentGiven(team, await withTrainings(team, found));
  return given ?? fail('not_found');
};

/**
 * Which of some members have or had an assignment of a situation (revoked ones do not count), and which have an
 * unfinished one of exactly this combination. Refused while the team hides member details.
 */
export const holdersAmong = async (
  { id: tenantId, privacy, platform: { database } }: Team,
  { memberIds, situationId, personalityId, industryId }: Camel<z.output<typeof schema.HoldersQuery>>,
): Promise<Camel<schema.Holders>['data']> => {
  if (!privacy.memberDetail) fail('privacy_restricted');
  if (!isId(situationId)) return [];
  const found = await assignments.ofSituation(database.prisma, tenantId, memberIds.filter(isId), situationId);
  const byMember = Map.groupBy(found, ({ memberId }) => memberId);
  return [...byMember].map(([memberId, theirs]) => ({
    memberId,
    open: theirs.some(
      (one) => isUnfinished(one) && one.personalityId === personalityId && one.industryId === industryId,
    ),
  }));
};
