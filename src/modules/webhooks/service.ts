import type { EventType } from '../../core/events.ts';
import { newId } from '../../core/ids.ts';
import { rowsIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Prisma } from '../../db/generated/client.ts';
import type { Team } from '../../platform/team.ts';

interface EventData {
  data: Prisma.InputJsonObject;
  /** Told only while the team shows details about single people. */
  personal: Prisma.InputJsonObject;
}

const insertEvent = statement<{ id: string }, unknown[]>(
  `with event as (insert into webhook_event (tenant_id, id, type, data, created_at) values ($1, $2, $3, $4, $5))
   select id from webhook_endpoint where tenant_id = $1 and status = 'active' and events @> array[$3]`,
);

const insertDeliveries = statement<Record<never, never>, unknown[]>(
  `insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, next_try_at, created_at)
   select $1, id, endpoint_id, $4, $5, $6, $6 from unnest($2::uuid[], $3::uuid[]) as d (id, endpoint_id)`,
);

/**
 * Writes an event and a delivery for every active endpoint that wants it, in the transaction of what happened: it is told
 * exactly if it happened.
 */
export const raise = async (tx: Tx, team: Team, type: EventType, { data, personal }: EventData): Promise<void> => {
  const createdAt = team.platform.clock.now();
  const eventId = newId();
  const told = team.privacy.memberDetail ? { ...data, ...personal } : data;
  const event = JSON.stringify({ team_id: team.id, ...told });
  const endpoints = await rowsIn(tx, insertEvent, team.id, eventId, type, event, createdAt);
  if (endpoints.length === 0) return;
  const ids = endpoints.map(() => newId());
  await rowsIn(
    tx,
    insertDeliveries,
    team.id,
    ids,
    endpoints.map(({ id }) => id),
    eventId,
    type,
    createdAt,
  );
};
