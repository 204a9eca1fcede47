import type { Database } from '../../db/database.ts';
import { everywhere } from '../../db/parts.ts';
import type { UsageKind } from '../../db/generated/enums.ts';
import type { AddedBytes } from '../../platform/storage-counter.ts';
import type { Team } from '../../platform/team.ts';
import { teamTable } from '../../platform/team-table.ts';

// The table `team_usage`. A team without a row stores nothing.

const keyOf = (tenantId: string, kind: UsageKind) => ({ tenantId_kind: { tenantId, kind } });

export const counters = {
  /** The plan of a team and its counters. */
  read: ({ id, tx, platform: { database } }: Team) =>
    (tx ?? database.prisma).team.findFirstOrThrow({
      where: { id },
      select: { plan: true, usage: { select: { kind: true, bytes: true } } },
    }),

  /**
   * Adds the bytes that requests of some teams stored. A failure, for instance of a deleted team, does not affect the
   * others.
   */
  add: async (database: Database, added: readonly AddedBytes[]) => {
    const groups = await database.parts.divide(added, ({ tenantId }) => tenantId);
    await everywhere(groups.map(({ items, run }) => run(() => counters.addHere(database, items))));
  },

  addHere: async ({ prisma }: Database, added: readonly AddedBytes[]) => {
    const failures: unknown[] = [];
    for (const group of Map.groupBy(added, ({ tenantId, kind }) => `${tenantId} ${kind}`).values()) {
      const [first] = group;
      if (!first) continue;
      const { tenantId, kind } = first;
      const bytes = group.reduce((sum, one) => sum + one.bytes, 0);
      await prisma.teamUsage
        .upsert({
          where: keyOf(tenantId, kind),
          create: { tenantId, kind, bytes },
          update: { bytes: { increment: bytes } },
        })
        .catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  },

  /** Notes that the exact sum is about to be set. Returns false if the sum was already set after `before`. */
  claimSum: async (
    { prisma }: Database,
    tenantId: string,
    kind: UsageKind,
    { now, before }: Record<'now' | 'before', Date>,
  ) =>
    (
      await prisma.teamUsage.updateMany({
        where: { tenantId, kind, OR: [{ summedAt: null }, { summedAt: { lte: before } }] },
        data: { summedAt: now },
      })
    ).count > 0,

  /** Sets the exact sum. */
  set: ({ prisma }: Database, tenantId: string, kind: UsageKind, sum: { bytes: number; summedAt: Date }) =>
    prisma.teamUsage.upsert({ where: keyOf(tenantId, kind), create: { tenantId, kind, ...sum }, update: sum }),
};

/** The counters in the team's export. */
export const usageData = teamTable({
  table: 'team_usage',
  file: 'storage.json',
  key: { kind: 'text' },
  values: ['kind', 'bytes'],
  times: ['summedAt'],
});
