import type { Database } from '../../db/database.ts';
import type { MemberStatus } from '../../db/generated/enums.ts';
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

const examined = {
  id: true,
  status: true,
  dueDate: true,
  changedSinceRemoval: true,
  createdAt: true,
  memberId: true,
} satisfies Prisma.AssignmentSelect;

/** An assignment to which a list applies its filters, with the status of its member. */
export type Examined = Prisma.AssignmentGetPayload<{ select: typeof examined }> & {
  member: { status: MemberStatus };
};

export const progressRows = {
  /** The next assignments in the order of an index. A list applies its filters to them. */
  walk: async (
    { prisma }: Database,
    where: Prisma.AssignmentWhereInput & { tenantId: string },
    orderBy: Prisma.AssignmentOrderByWithRelationInput[],
    take: number,
  ): Promise<Examined[]> => {
    const rows = await prisma.assignment.findMany({ where, orderBy, take, select: examined });
    // Each member is looked up once. Prisma's relation would send the ids of the team and of the member for each row.
    const ids = [...new Set(rows.map(({ memberId }) => memberId))];
    const members = await prisma.member.findMany({
      where: { tenantId: where.tenantId, id: { in: ids } },
      select: { id: true, status: true },
    });
    const statuses = new Map(members.map(({ id, status }) => [id, status]));
    return rows.map((row) => ({ ...row, member: { status: statuses.get(row.memberId) ?? 'ended' } }));
  },

  /** Assignments in the order of their ids, as many as a page may have. */
  progress: (database: Database, tenantId: string, ids: string[]) => database.run(progress, { tenantId, ids }),
};
