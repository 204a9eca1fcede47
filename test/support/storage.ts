import { storageQuotas } from '../../src/core/limits.ts';
import type { UsageKind } from '../../src/modules/storage/service.ts';
import type { TestService } from './service.ts';

type Counted = Record<UsageKind, number>;

/** A team's storage counters, and the sums of the stored bytes in the tables. */
export const storageOf = async (
  { database }: TestService,
  team: { id: string },
): Promise<{ counted: Counted; found: Counted }> => {
  const counters = await database.prisma.teamUsage.findMany({ where: { tenantId: team.id } });
  const of = (kind: UsageKind) => Number(counters.find((counter) => counter.kind === kind)?.bytes);
  const [found] = await database.prisma.$queryRaw<Counted[]>`
    select (coalesce((select sum(stored_bytes(a)) from assignment a where tenant_id = ${team.id}::uuid), 0)
            + coalesce((select sum(stored_bytes(c)) from "case" c where tenant_id = ${team.id}::uuid), 0)
            + coalesce((select sum(stored_bytes(t)) from training t where tenant_id = ${team.id}::uuid), 0)
            + coalesce((select sum(stored_bytes(e)) from evaluation e where tenant_id = ${team.id}::uuid), 0))::float as stored,
           coalesce((select sum(stored_bytes(r)) from idempotency_record r where tenant_id = ${team.id}::uuid), 0)::float as answers`;
  if (!found) throw new Error('no sums');
  return { counted: { stored: of('stored'), answers: of('answers') }, found };
};

/** Sets the counter of a team on the plan `team` so that `bytes` of its quota are left. */
export const leaveRoom = async (
  { database }: TestService,
  team: { id: string },
  bytes: number,
  kind: UsageKind = 'stored',
): Promise<void> => {
  await database.prisma.teamUsage.updateMany({
    where: { tenantId: team.id, kind },
    data: { bytes: storageQuotas.team[kind] - bytes },
  });
};
