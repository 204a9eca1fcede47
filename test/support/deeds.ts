import { vi } from 'vitest';
import type { TestService } from './service.ts';

/** What the audit log says was done to something, the first first. */
export const deedsOn = async ({ database }: TestService, team: { id: string }, targetId: string) => {
  const entries = await database.prisma.auditEntry.findMany({
    where: { tenantId: team.id, targetId },
    orderBy: { id: 'asc' },
  });
  return entries.map(({ action, actorKind, actorId, data, requestId }) => ({
    action,
    actor: [actorKind, actorId],
    data,
    requestId,
  }));
};

/** What was told about a team's assignments, as the events' data. */
export const toldOf = async ({ database }: TestService, team: { id: string }, type: string) => {
  const events = await database.prisma.webhookEvent.findMany({
    where: { tenantId: team.id, type },
    orderBy: { id: 'asc' },
  });
  return events.map(({ data }) => data);
};

/** Resolves once so many statements wait for a lock. */
export const untilWaiting = ({ database }: TestService, count = 1): Promise<boolean> =>
  vi.waitUntil(
    async () => {
      const [waiting] = await database.prisma.$queryRaw<{ count: bigint }[]>`
        select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return waiting?.count === BigInt(count);
    },
    { timeout: 10_000 },
  );
