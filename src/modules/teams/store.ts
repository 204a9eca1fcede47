import { runIn, type Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { Plan, TeamStatus } from '../../db/generated/enums.ts';
import { lockRow } from '../../db/lock-row.ts';
import { bool, oneOf, query, uuid } from '../../db/query.ts';
import { teamTable } from '../../platform/team-table.ts';

// The table `team`. `team-deletion` deletes teams that have ended.

const lockShared = query({
  name: 'teams.lockShared',
  why: 'locks and reads in one round trip: it comes with every write',
  sql: `select member_detail_enabled as "memberDetail", leaderboard_enabled as leaderboard, plan, status
          from team where id = :id for share`,
  parameters: { id: uuid },
  row: {
    memberDetail: bool,
    leaderboard: bool,
    plan: oneOf('plan', Plan),
    status: oneOf('team_status', TeamStatus),
  },
});

const inOrder = [{ createdAt: 'asc' }, { id: 'asc' }] satisfies Prisma.TeamOrderByWithRelationInput[];

export const teams = {
  get: (tx: Tx, id: string) => tx.team.findFirst({ where: { id } }),

  name: async (tx: Tx, id: string) => (await tx.team.findUniqueOrThrow({ where: { id }, select: { name: true } })).name,

  ids: async (tx: Tx) => (await tx.team.findMany({ select: { id: true }, orderBy: { id: 'asc' } })).map(({ id }) => id),

  all: (tx: Tx) => tx.team.findMany({ orderBy: inOrder }),

  some: (tx: Tx, ids: string[]) => tx.team.findMany({ where: { id: { in: ids } }, orderBy: inOrder }),

  count: (tx: Tx, ids: string[]) => tx.team.count({ where: { id: { in: ids } } }),

  insert: (tx: Tx, data: Prisma.TeamUncheckedCreateInput) => tx.team.create({ data }),

  update: (tx: Tx, id: string, data: Prisma.TeamUncheckedUpdateInput) => tx.team.update({ where: { id }, data }),

  /** Locks the team's row exclusively and reads it. */
  lock: async (tx: Tx, id: string) => {
    await lockRow(tx, 'team', { id });
    return tx.team.findUniqueOrThrow({ where: { id } });
  },

  /** Locks the team's row with `FOR SHARE`. */
  lockShared: async (tx: Tx, id: string) => (await runIn(tx, lockShared, { id }))[0],
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
    'rate_limit_per_min',
    'language',
    'member_detail_enabled',
    'leaderboard_enabled',
    'sign_in_demand',
  ],
  times: ['created_at', 'ended_at', 'deletion_started_at'],
  texts: ['name'],
});
