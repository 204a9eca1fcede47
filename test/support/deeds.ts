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
