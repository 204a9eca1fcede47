import type { EventType } from '../../core/events.ts';
import { newId } from '../../core/ids.ts';
import { rowsIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Team } from '../../platform/team.ts';
import type { HeldTeam } from '../teams/service.ts';
import type { Told } from './payloads.ts';

/**
 * One round trip for the event and its deliveries. A delivery's id is a version 7 UUID like every other: the event's time and
 * version, then random bits.
 */
const insertEvent = statement<
  Record<never, never>,
  [tenantId: string, id: string, type: string, data: string, at: Date]
>(
  `with event as (insert into webhook_event (tenant_id, id, type, data, created_at) values ($1, $2, $3, $4, $5)),
        wanted as materialized (
          select endpoint.id as endpoint_id, (left($2::text, 15) || substr(gen_random_uuid()::text, 16))::uuid as id
            from webhook_endpoint endpoint
           where endpoint.tenant_id = $1 and endpoint.status = 'active' and endpoint.events @> array[$3]),
        waiting as (insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at, by_hand)
                    select $1, id, endpoint_id, $5, false from wanted)
   insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, next_try_at, created_at)
   select $1, id, endpoint_id, $2, $3, $5, $5 from wanted`,
);

const insertDeliveries = statement<Record<never, never>, unknown[]>(
  `with wanted as (select * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[])
                     as d (id, endpoint_id, event_id, event_type)),
        waiting as (insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at, by_hand)
                    select $1, id, endpoint_id, $6, event_type = 'ping' from wanted)
   insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, next_try_at, created_at)
   select $1, id, endpoint_id, event_id, event_type, $6, $6 from wanted`,
);

/** What is to go where. */
interface Outgoing {
  endpointId: string;
  eventId: string;
  type: EventType | 'ping';
}

/** Puts events on their way to endpoints, in this transaction; gives the deliveries' ids in the same order. */
export const deliver = async (tx: Tx, team: Team, at: Date, sent: readonly Outgoing[]): Promise<string[]> => {
  // Of one millisecond they come in no order; sorted, the deliveries stand in that of their events.
  const ids = sent.map(() => newId()).toSorted();
  const endpointIds = sent.map(({ endpointId }) => endpointId);
  const eventIds = sent.map(({ eventId }) => eventId);
  const types = sent.map(({ type }) => type);
  if (ids.length > 0) await rowsIn(tx, insertDeliveries, team.id, ids, endpointIds, eventIds, types, at);
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
  await rowsIn(tx, insertEvent, team.id, eventId, type, event, at);
};
