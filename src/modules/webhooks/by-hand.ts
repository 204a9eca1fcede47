import { hours, later } from '../../core/clock.ts';
import { isEventType } from '../../core/events.ts';
import type { EventType } from '../../core/events.ts';
import { leastIdSince } from '../../core/id-time.ts';
import { isId, newId } from '../../core/ids.ts';
import { webhookLimits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import { rowsIn, runIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { int, query, time, uuid } from '../../db/query.ts';
import { statement } from '../../db/statement.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { deliver, wakeFeedersAfter } from '../../webhooks/outbox.ts';
import { record } from '../audit/service.ts';
import { windows } from '../windows/store.ts';
import { deliveryColumns, presentDelivery } from './history.ts';
import type { DeliveryRow } from './history.ts';
import { countRecovered, recoveriesLeft } from './recovery-budget.ts';
import type { Recovery, StartedDelivery, WebhookDelivery } from './schema.ts';
import { lockEndpoint } from './store.ts';
import type { EndpointRow } from './store.ts';

// An hour starts with the first request and goes on until it is over. A refusal undoes its own counting. The team's hour is not kept
// with the endpoint, so deleting endpoints and making new ones brings no new hour.
const countOfEndpoint = query({
  name: 'webhooks.countByHand',
  why: 'adds to the hour, or begins it anew, in one step',
  sql: `update webhook_endpoint
           set by_hand_since = case when by_hand_since > :startedAfter then by_hand_since else :now end,
               by_hand_sent = case when by_hand_since > :startedAfter then by_hand_sent + 1 else 1 end
         where tenant_id = :tenantId and id = :id
        returning by_hand_since as since, by_hand_sent as used`,
  parameters: { tenantId: uuid, id: uuid, now: time, startedAfter: time },
  row: { since: time.checked, used: int },
});

const refuse = (since: string, now: Date, detail: string): never => {
  const ends = later(new Date(since), hours(1));
  return fail('rate_limited', {
    retry_after: Math.max(1, Math.ceil((ends.getTime() - now.getTime()) / 1000)),
    detail,
  });
};

/**
 * Counts a send that a person or key requested, and refuses it where there were too many this hour: each leaves
 * rows that are kept for weeks. Only right while the endpoint is locked.
 */
export const countByHand = async (tx: Tx, team: Team, endpointId: string): Promise<void> => {
  const now = team.platform.clock.now();
  const startedAfter = later(now, -hours(1));
  const [ofEndpoint] = await runIn(tx, countOfEndpoint, { tenantId: team.id, id: endpointId, now, startedAfter });
  const ofTeam = await windows.add(tx, { subject: `day by hand ${team.id}`, now, startedAfter, count: 1 });
  const { sentByHandPerHour, sentByHandPerTeamPerHour } = webhookLimits;
  if (ofEndpoint && ofEndpoint.used > sentByHandPerHour) {
    const detail = `An endpoint can be tested, retried and replayed to ${sentByHandPerHour} times an hour; recovering what it missed counts once.`;
    refuse(ofEndpoint.since, now, detail);
  }
  if (ofTeam && ofTeam.used > sentByHandPerTeamPerHour) {
    const detail = `All endpoints of a team together can be tested, retried and replayed to ${sentByHandPerTeamPerHour} times an hour.`;
    refuse(ofTeam.since, now, detail);
  }
};

const insertPing = statement<Record<never, never>, unknown[]>(
  `insert into webhook_event (tenant_id, id, type, data, created_at) values ($1, $2, 'ping', $3, $4)`,
);

/** Sends an endpoint a `ping`, whatever its status. */
export const testEndpoint = (team: Team, endpointId: string): Promise<StartedDelivery> =>
  inTransaction(team, async (tx) => {
    const { id } = await lockEndpoint(tx, team, endpointId);
    await countByHand(tx, team, id);
    const [eventId, at] = [newId(), team.platform.clock.now()];
    await rowsIn(tx, insertPing, team.id, eventId, JSON.stringify({ team_id: team.id, endpoint_id: id }), at);
    const [deliveryId = ''] = await deliver(tx, team, at, [{ endpointId: id, eventId, type: 'ping' }]);
    await record(tx, team, {
      action: 'webhook_endpoint.tested',
      target: { type: 'webhook_endpoint', id },
      data: { delivery_id: deliveryId },
    });
    return { delivery_id: deliveryId, status: 'pending' };
  });

const endpointOf = statement<{ endpoint_id: string }, [tenantId: string, id: string]>(
  'select endpoint_id from webhook_delivery where tenant_id = $1 and id = $2',
);

const lockWaiting = statement<{ sending: boolean }, [tenantId: string, deliveryId: string, now: Date]>(
  `select claim_id is not null and due_at > $3 as sending
     from webhook_waiting where tenant_id = $1 and delivery_id = $2 for update`,
);

const lockDelivery = statement<DeliveryRow, [tenantId: string, id: string]>(
  `select ${deliveryColumns} from webhook_delivery where tenant_id = $1 and id = $2 for no key update`,
);

const sendNow = statement<Record<never, never>, [tenantId: string, deliveryId: string, endpointId: string, now: Date]>(
  `insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at, by_hand) values ($1, $2, $3, $4, true)
       on conflict (tenant_id, delivery_id) do update set due_at = excluded.due_at, claim_id = null, by_hand = true, has_job = false`,
);

const setAside = statement<DeliveryRow, [tenantId: string, id: string, now: Date]>(
  `update webhook_delivery
      set status = 'pending', resume_status = status, resume_at = next_try_at, next_try_at = $3
    where tenant_id = $1 and id = $2
   returning ${deliveryColumns}`,
);

const notNow = (detail: string): never => fail('validation_error', { field: 'status', detail });

/**
 * Tries a failed or given-up delivery again at once, whatever its endpoint's status. What it was and when its schedule goes on
 * is kept, to go back to if that fails. See the states of a delivery.
 */
export const retryDelivery = (team: Team, id: string): Promise<WebhookDelivery> =>
  inTransaction(team, async (tx) => {
    const [known] = isId(id) ? await rowsIn(tx, endpointOf, team.id, id) : [];
    const endpoint = await lockEndpoint(tx, team, known?.endpoint_id ?? fail('not_found'));
    const now = team.platform.clock.now();
    const [waiting] = await rowsIn(tx, lockWaiting, team.id, id, now);
    const [before = fail('not_found')] = await rowsIn(tx, lockDelivery, team.id, id);
    const { status, event_id, event_type } = before;
    if (status === 'ok') notNow('It was delivered already.');
    if (status === 'pending') notNow('It waits to be sent already.');
    if (waiting?.sending) notNow('An attempt is being made right now.');

    await countByHand(tx, team, endpoint.id);
    await rowsIn(tx, sendNow, team.id, id, endpoint.id, now);
    wakeFeedersAfter(tx, team);
    const [after = before] = await rowsIn(tx, setAside, team.id, id, now);
    await record(tx, team, {
      action: 'webhook_delivery.retried',
      target: { type: 'webhook_delivery', id },
      data: { endpoint_id: endpoint.id, event_id, event_type: event_type ?? '', from: status },
    });
    return presentDelivery(after);
  });

const written = /^(?:evt_)?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/;

/** An event's id, given as receivers see it or plainly; undefined for what can't be one. */
const readEventId = (text: string): string | undefined => {
  const plain = written.exec(text)?.slice(1).join('-');
  return plain !== undefined && isId(plain) ? plain : undefined;
};

const lockActive = async (tx: Tx, team: Team, endpointId: string): Promise<EndpointRow> => {
  const endpoint = await lockEndpoint(tx, team, endpointId);
  if (endpoint.status === 'active') return endpoint;
  return fail('validation_error', { field: 'status', detail: 'The endpoint is not active: reactivate it first.' });
};

const typeOf = statement<{ type: string }, [tenantId: string, id: string]>(
  'select type from webhook_event where tenant_id = $1 and id = $2',
);

/** Sends an event to an endpoint once more, or for the first time, whether or not it is subscribed to it. */
export const replayEvent = (
  team: Team,
  { event_id: wanted, endpoint_id }: { event_id: string; endpoint_id: string },
): Promise<StartedDelivery> =>
  inTransaction(team, async (tx) => {
    const endpoint = await lockActive(tx, team, endpoint_id);
    const unknown = () => fail('not_found', { detail: 'The team has no such event, or it is no longer kept.' });
    const eventId = readEventId(wanted) ?? unknown();
    const [{ type } = unknown()] = await rowsIn(tx, typeOf, team.id, eventId);
    if (!isEventType(type)) {
      return fail('validation_error', { field: 'event_id', detail: 'A ping comes from an endpoint’s test alone.' });
    }
    await countByHand(tx, team, endpoint.id);
    const at = team.platform.clock.now();
    const [deliveryId = ''] = await deliver(tx, team, at, [{ endpointId: endpoint.id, eventId, type }]);
    await record(tx, team, {
      action: 'webhook_event.replayed',
      target: { type: 'webhook_event', id: eventId },
      data: { endpoint_id: endpoint.id, delivery_id: deliveryId },
    });
    return { delivery_id: deliveryId, status: 'pending' };
  });

// A delivery that gave up is no reason to leave an event out; one that is still to be sent is.
const missed = statement<
  { id: string; type: EventType },
  [tenantId: string, endpointId: string, types: readonly string[], since: Date, leastId: string, limit: number]
>(
  `select v.id, v.type
     from webhook_event v
    where v.tenant_id = $1 and v.id >= $5 and v.created_at >= $4 and v.type = any ($3)
      and not exists (select 1 from webhook_delivery d
                       where d.tenant_id = $1 and d.endpoint_id = $2 and d.id >= $5 and d.event_id = v.id
                         and d.status <> 'gave_up')
    order by v.id limit $6`,
);

/**
 * Sends an endpoint what it missed since a time: every event of the types that it is subscribed to which neither reached it nor
 * is on its way to it. At most so many at once and within a day; to recover more, the caller asks again with the same time.
 */
export const recoverEndpoint = (
  team: Team,
  { endpoint_id, since }: { endpoint_id: string; since: Date },
  atOnce: number = webhookLimits.recoveredAtOnce,
): Promise<Recovery> =>
  inTransaction(team, async (tx) => {
    const { id, events } = await lockActive(tx, team, endpoint_id);
    const found = await rowsIn(tx, missed, team.id, id, events, since, leastIdSince(since), atOnce + 1);
    if (found.length === 0) return { recovered: 0, more: false };
    await countByHand(tx, team, id);
    const taken = found.slice(0, Math.min(atOnce, await recoveriesLeft(tx, team)));
    await countRecovered(tx, team, taken.length);
    const sent = taken.map((event) => ({ endpointId: id, eventId: event.id, type: event.type }));
    await deliver(tx, team, team.platform.clock.now(), sent);
    await record(tx, team, {
      action: 'webhook_endpoint.recovered',
      target: { type: 'webhook_endpoint', id },
      data: { since: since.toISOString(), recovered: taken.length },
    });
    return { recovered: taken.length, more: found.length > taken.length };
  });
