import type { EventType } from '../../core/events.ts';
import { newId } from '../../core/ids.ts';
import { rowsIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Team } from '../../platform/team.ts';
import type { HeldTeam } from '../teams/service.ts';
import type { Told } from './payloads.ts';

const insertEvent = statement<{ id: string }, unknown[]>(
  `with event as (insert into webhook_event (tenant_id, id, type, data, created_at) values ($1, $2, $3, $4, $5))
   select id from webhook_endpoint where tenant_id = $1 and status = 'active' and events @> array[$3]`,
);

const insertDeliveries = statement<Record<never, never>, unknown[]>(
  `with wanted as (select * from unnest($2::uuid[], $3::uuid[]) as d (id, endpoint_id)),
        waiting as (insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at, by_hand)
                    select $1, id, endpoint_id, $6, $5 = 'ping' from wanted)
   insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, next_try_at, created_at)
   select $1, id, endpoint_id, $4, $5, $6, $6 from wanted`,
);

interface Sent {
  eventId: string;
  type: EventType | 'ping';
  at: Date;
}

/** Puts an event on its way to these endpoints, in this transaction; gives the deliveries' ids in the same order. */
export const deliver = async (
  tx: Tx,
  team: Team,
  { eventId, type, at }: Sent,
  endpointIds: readonly string[],
): Promise<string[]> => {
  const ids = endpointIds.map(() => newId());
  if (ids.length > 0) await rowsIn(tx, insertDeliveries, team.id, ids, endpointIds, eventId, type, at);
  return ids;
};

/**
 * Writes an event and a delivery for every active endpoint that wants it, in the transaction of what happened: it is told
 * exactly if it happened.
 */
export const raise = async <Type extends EventType>(
  tx: Tx,
  team: HeldTeam,
  type: Type,
  { data, personal }: Told<Type>,
): Promise<void> => {
  const at = team.platform.clock.now();
  const eventId = newId();
  const told = team.privacy.memberDetail ? { ...data, ...personal } : data;
  const event = JSON.stringify({ team_id: team.id, ...told });
  const endpoints = await rowsIn(tx, insertEvent, team.id, eventId, type, event, at);
  await deliver(
    tx,
    team,
    { eventId, type, at },
    endpoints.map(({ id }) => id),
  );
};
