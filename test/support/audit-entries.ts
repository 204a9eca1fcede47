import type { TestService } from './service.ts';

/** The audit entries about a resource, the oldest first. */
export const auditEntriesOn = async ({ database }: TestService, team: { id: string }, targetId: string) => {
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

/** The data of a team's events of one type, the oldest first. */
export const eventDataOf = async ({ database }: TestService, team: { id: string }, type: string) => {
  const events = await database.prisma.webhookEvent.findMany({
    where: { tenantId: team.id, type },
    orderBy: { id: 'asc' },
  });
  return events.map(({ data }): unknown => JSON.parse(data));
};
