import type { Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { teamTable } from '../../platform/team-table.ts';

// The table `team`. `platform/team-row.ts` reads and locks its rows for other modules; `team-deletion` deletes teams.

const inOrder = [{ createdAt: 'asc' }, { id: 'asc' }] satisfies Prisma.TeamOrderByWithRelationInput[];

export const teams = {
  get: (tx: Tx, id: string) => tx.team.findFirst({ where: { id } }),

  all: (tx: Tx) => tx.team.findMany({ orderBy: inOrder }),

  some: (tx: Tx, ids: string[]) => tx.team.findMany({ where: { id: { in: ids } }, orderBy: inOrder }),

  count: (tx: Tx, ids: string[]) => tx.team.count({ where: { id: { in: ids } } }),

  insert: (tx: Tx, data: Prisma.TeamUncheckedCreateInput) => tx.team.create({ data }),

  update: (tx: Tx, id: string, data: Prisma.TeamUncheckedUpdateInput) => tx.team.update({ where: { id }, data }),
};

/** The team itself in its export and in the erasure of a person. */
export const teamData = teamTable({
  table: 'team',
  file: 'team.json',
  tenant: 'id',
  values: [
    'id',
    'plan',
    'status',
    'seats',
    'rateLimitPerMin',
    'language',
    'memberDetailEnabled',
    'leaderboardEnabled',
    'remindersEnabled',
    'signInDemand',
    'plannedDemand',
  ],
  times: ['createdAt', 'plannedFrom', 'endedAt', 'deletionStartedAt'],
  texts: ['name'],
});
