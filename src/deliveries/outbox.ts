import type { EventType } from '../core/events.ts';
import { newId } from '../core/ids.ts';
import { afterCommit, runIn } from '../db/database.ts';
import type { Tx } from '../db/database.ts';
import { query, text, time, uuid } from '../db/query.ts';
import type { Team } from '../platform/team.ts';
import { addJobsAfter } from './jobs.ts';

/** A delivery's id is a UUIDv7 like all others: the event's time and version, then random bits. */
const insertEvent = query({
  name: 'webhooks.insertEvent',
  why: 'writes an event, its entry in the feed, its deliveries and what waits in one round trip of nearly every write: through Prisma a POST fell to a third of its rate',
  sql: `with event as (insert into webhook_event (tenant_id, id, type, data, created_at) values (:tenantId, :id, :type, :data, :at)),
             entry as (insert into event_feed_entry (tenant_id, event_id, type) values (:tenantId, :id, :type)),
             wanted as materialized (
               select endpoint.id as endpoint_id, (left(:id::text, 15) || substr(gen_random_uuid()::text, 16))::uuid as id
                 from webhook_endpoint endpoint
                where endpoint.tenant_id = :tenantId and endpoint.status = 'active' and endpoint.events @> array[:type]),
             waiting as (insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at, by_hand)
                         select :tenantId, id, endpoint_id, :at, false from wanted),
             delivery as (insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, next_try_at, created_at)
                          select :tenantId, id, endpoint_id, :id, :type, :at, :at from wanted)
        select endpoint_id as "endpointId" from wanted`,
  parameters: { tenantId: uuid, id: uuid, type: text, data: text, at: time },
  row: { endpointId: uuid },
});

/** An event and the endpoint that gets it. */
interface Outgoing {
  endpointId: string;
  eventId: string;
  type: EventType | 'ping';
}

/** Wakes the requests of this process that wait for events of the team, after the commit of this transaction. */
export const wakeReadersAfter = (tx: Tx, { id, platform: { eventWaits } }: Team): void =>
  afterCommit(tx, () => eventWaits.raised(id));

/**
 * Writes deliveries of events to endpoints, and a waiting row for each, in this transaction (the outbox). Returns the deliveries' ids in
 * the same order. The endpoints get their jobs after the commit.
 */
export const deliver = async (tx: Tx, team: Team, at: Date, sent: readonly Outgoing[]): Promise<string[]> => {
  // Ids of the same millisecond are in random order. Sorted, the deliveries have the order of their events.
  const ids = sent.map(() => newId()).toSorted();
  const rows = sent.map((one, index) => ({ ...one, tenantId: team.id, id: ids[index] ?? '' }));
  await tx.webhookDelivery.createMany({
    data: rows.map(({ type, ...row }) => ({ ...row, eventType: type, nextTryAt: at, createdAt: at })),
  });
  await tx.webhookWaiting.createMany({
    data: rows.map(({ tenantId, id: deliveryId, endpointId, type }) => ({
      tenantId,
      deliveryId,
      endpointId,
      dueAt: at,
      byHand: type === 'ping',
    })),
  });
  addJobsAfter(tx, team, sent);
  return ids;
};

/** An event's data. `personal` is left out while the team hides member details. */
interface Payload {
  readonly data: object;
  readonly personal: object;
}

/**
 * Writes an event and a delivery for every active endpoint that subscribes to it, in the transaction of the change that it reports: both are
 * committed or neither is. A team without the API, or one that is not active, raises nothing: without the event's row nobody can recover
 * or replay it later. Rules call it as `raise` (`modules/webhooks/events.ts`), which knows each type's data.
 */
export const writeEvent = async (
  tx: Tx,
  team: Team & { readonly apiIsOn: boolean },
  type: EventType,
  { data, personal }: Payload,
): Promise<void> => {
  if (!team.apiIsOn) return;
  const at = team.platform.clock.now();
  const eventId = newId();
  const shown = team.privacy.memberDetail ? { ...data, ...personal } : data;
  const event = JSON.stringify({ team_id: team.id, ...shown });
  const wanted = await runIn(tx, insertEvent, { tenantId: team.id, id: eventId, type, data: event, at });
  addJobsAfter(tx, team, wanted);
  wakeReadersAfter(tx, team);
};
