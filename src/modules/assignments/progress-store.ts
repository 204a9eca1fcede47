import type { Database } from '../../db/database.ts';
import type { AssignmentStatus } from '../../db/generated/enums.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { listOf, query, text, uuid } from '../../db/query.ts';
import type { RowOf } from '../../db/query.ts';
import { select } from '../../platform/keyset-list.ts';
import { withinBudget } from '../../platform/paging.ts';
import { isListed } from '../trainings/store.ts';
import { expressions, large, noteBytes, small } from './store.ts';

// The lists of assignments in the app, with members and trainings. They only read.

const shownTrainings = 20;

const progressRow = {
  ...small,
  ...large,
  member_id: uuid,
  member_name: text.orNull,
  training_ids: listOf(text).checked,
} as const;

export type ProgressRow = RowOf<typeof progressRow>;

const progress = query({
  name: 'assignments.progress',
  why: 'ends a page at its budget, and reads a limited number of trainings of each assignment',
  sql: `select ${select(small, expressions, 'a')}, a.note, a.member_id,
               (select p.name from team_user u join person p on p.id = u.person_id
                 where u.tenant_id = :tenantId and u.id = m.user_id) as member_name,
               array(select t.id::text from training t
                      where t.tenant_id = :tenantId and t.assignment_id = a.id and ${isListed}
                      order by t.created_at desc, t.id desc
                      limit ${shownTrainings}) as training_ids
          from (${withinBudget({
            // Each is the first one from an id on, so that only the primary key gives the order. By a list of ids the planner may read all
            // entries of the team in another index.
            page: `select a.*, wanted.position, ${noteBytes} + ${shownTrainings * 40} as bytes
                     from unnest(:ids::uuid[]) with ordinality as wanted (id, position)
                    cross join lateral (
                      select * from assignment where (tenant_id, id) >= (:tenantId, wanted.id) order by tenant_id, id limit 1) as a
                    where a.tenant_id = :tenantId and a.id = wanted.id`,
            order: 'position',
            columns: 'page.*',
            bytes: 'bytes',
          })}) as a
          join member m on m.tenant_id = :tenantId and m.id = a.member_id
         order by a.position`,
  parameters: { tenantId: uuid, ids: listOf(uuid) },
  row: progressRow,
});

/** Revoked because the member was removed, whatever the row says. */
const revokedByRemoval = {
  changedSinceRemoval: false,
  member: { status: 'ended' },
} satisfies Prisma.AssignmentWhereInput;

const unfinished = {
  status: { in: ['open', 'in_progress'] },
  NOT: revokedByRemoval,
} satisfies Prisma.AssignmentWhereInput;

const inStatus = (status: AssignmentStatus | 'unfinished'): Prisma.AssignmentWhereInput => {
  if (status === 'unfinished') return unfinished;
  return status === 'revoked' ? { OR: [{ status }, revokedByRemoval] } : { status, NOT: revokedByRemoval };
};

interface Filters {
  status?: AssignmentStatus | 'unfinished' | undefined;
  overdue?: boolean | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

/** The filters of a list, at the day `today`. */
export const matching = ({ status, overdue, since, until }: Filters, today: Date): Prisma.AssignmentWhereInput[] => [
  ...(status === undefined ? [] : [inStatus(status)]),
  ...(overdue === true ? [{ ...unfinished, dueDate: { lt: today } }] : []),
  ...(overdue === false ? [{ OR: [{ NOT: unfinished }, { dueDate: null }, { dueDate: { gte: today } }] }] : []),
  ...(since ? [{ createdAt: { gte: since } }] : []),
  ...(until ? [{ createdAt: { lt: until } }] : []),
];

export const progressRows = {
  /** The ids of the next assignments in the order of an index. */
  ids: async (
    { prisma }: Database,
    where: Prisma.AssignmentWhereInput,
    orderBy: Prisma.AssignmentOrderByWithRelationInput[],
    take: number,
  ) => (await prisma.assignment.findMany({ where, orderBy, take, select: { id: true } })).map(({ id }) => id),

  /** Assignments in the order of their ids, as many as a page may have. */
  progress: (database: Database, tenantId: string, ids: string[]) => database.run(progress, { tenantId, ids }),
};
