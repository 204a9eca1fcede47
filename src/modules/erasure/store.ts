import type { Database, Tx } from '../../db/database.ts';
import type { Erasure, Prisma } from '../../db/generated/client.ts';
import { lockRow } from '../../db/lock-row.ts';

// The table `erasure`: a row for each person who is being erased from a team's data.

export interface ErasureKey {
  tenantId: string;
  id: string;
}

const keyOf = ({ tenantId, id }: ErasureKey) => ({ tenantId_id: { tenantId, id } });

const shownErasures = 100;

export const erasures = {
  insert: (tx: Tx, row: Prisma.ErasureUncheckedCreateInput) => tx.erasure.create({ data: row }),

  /** Locks an erasure, so that only one process continues it. Returns undefined if it is finished. */
  lock: async (tx: Tx, key: ErasureKey): Promise<Erasure | undefined> => {
    lockRow(tx, 'erasure', { tenantId: key.tenantId, id: key.id }, 'update');
    return (await tx.erasure.findUnique({ where: keyOf(key) })) ?? undefined;
  },

  /** The teams with an unfinished erasure of this person. */
  teamsErasing: async (tx: Tx, personId: string) =>
    (await tx.erasure.findMany({ where: { personId }, select: { tenantId: true } })).map(({ tenantId }) => tenantId),

  /** The unfinished erasures of an address. */
  lookingFor: (tx: Tx, email: string) =>
    tx.erasure.findMany({ where: { emails: { has: email } }, orderBy: { tenantId: 'asc' } }),

  update: (tx: Tx, key: ErasureKey, data: Prisma.ErasureUncheckedUpdateInput) =>
    tx.erasure.update({ where: keyOf(key), data }),

  setFailed: ({ prisma }: Database, { tenantId, id }: ErasureKey, failedAt: Date) =>
    prisma.erasure.updateMany({ where: { tenantId, id }, data: { failedAt } }),

  /** A team's oldest unfinished erasures, at most `shownErasures`. */
  running: ({ prisma }: Database, tenantId: string) =>
    prisma.erasure.findMany({
      where: { tenantId },
      select: { createdAt: true, failedAt: true },
      orderBy: { createdAt: 'asc' },
      take: shownErasures,
    }),

  /** Counts the erasures of all teams that failed, and finds when the oldest unfinished one began. */
  state: async ({ prisma }: Database) => {
    const { _count, _min } = await prisma.erasure.aggregate({ _count: { failedAt: true }, _min: { createdAt: true } });
    return { failed: _count.failedAt, oldestAt: _min.createdAt };
  },

  remove: (tx: Tx, key: ErasureKey) => tx.erasure.delete({ where: keyOf(key) }),

  /** The oldest unfinished erasures of all teams, at most 1,000. */
  unfinished: ({ prisma }: Database): Promise<ErasureKey[]> =>
    prisma.erasure.findMany({ select: { tenantId: true, id: true }, orderBy: { createdAt: 'asc' }, take: 1_000 }),
};
