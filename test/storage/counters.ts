import { storageQuotas } from '../../src/core/limits.ts';
import type { UsageKind } from '../../src/db/generated/enums.ts';
import { reports } from '../../src/modules/reporting/store.ts';
import type { TestService } from '../support/service.ts';

type Counted = Record<UsageKind, number>;

/** A team's storage counters, and the exact sums of what it stores. */
export const storageOf = async (
  { database, platform }: TestService,
  team: { id: string },
): Promise<{ counted: Counted; found: Counted }> => {
  await platform.storage.written();
  const counters = await database.prisma.teamUsage.findMany({ where: { tenantId: team.id } });
  const of = (kind: UsageKind) => Number(counters.find((counter) => counter.kind === kind)?.bytes ?? 0);
  const found = await reports.storedBytes(database, team.id);
  return { counted: { stored: of('stored'), answers: of('answers') }, found };
};

/**
 * Sets the counter of a team on the plan `team` so that `bytes` of its quota are left. It is not set to the exact sum
 * within a minute.
 */
export const leaveRoom = async (
  { database, clock, platform }: TestService,
  { id: tenantId }: { id: string },
  bytes: number,
  kind: UsageKind = 'stored',
): Promise<void> => {
  await platform.storage.written();
  const counter = { bytes: storageQuotas.team[kind] - bytes, summedAt: clock.now() };
  await database.prisma.teamUsage.upsert({
    where: { tenantId_kind: { tenantId, kind } },
    create: { tenantId, kind, ...counter },
    update: counter,
  });
  platform.storage.withRoom.delete(`${kind} ${tenantId}`);
};
