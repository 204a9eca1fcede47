import type { EventType } from '../../core/events.ts';
import { newId } from '../../core/ids.ts';
import type { Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import type { Team } from '../../platform/team.ts';

interface EventData {
  data: Prisma.InputJsonObject;
  /** Told only while the team shows details about single people. */
  personal: Prisma.InputJsonObject;
}

/**
 * Writes an event and a delivery for every active endpoint that wants it, in the transaction of what happened: it is told
 * exactly if it happened.
 */
export const raise = async (tx: Tx, team: Team, type: EventType, { data, personal }: EventData): Promise<void> => {
  const createdAt = team.platform.clock.now();
  const eventId = newId();
  const told = team.privacy.memberDetail ? { ...data, ...personal } : data;
  await tx.webhookEvent.create({
    data: { tenantId: team.id, id: eventId, type, data: { team_id: team.id, ...told }, createdAt },
  });
  const endpoints = await tx.webhookEndpoint.findMany({
    where: { tenantId: team.id, status: 'active', events: { has: type } },
    select: { id: true },
  });
  if (endpoints.length === 0) return;
  await tx.webhookDelivery.createMany({
    data: endpoints.map((endpoint) => ({
      tenantId: team.id,
      id: newId(),
      endpointId: endpoint.id,
      eventId,
      eventType: type,
      nextTryAt: createdAt,
      createdAt,
    })),
  });
};
