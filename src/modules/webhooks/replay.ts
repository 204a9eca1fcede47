import { isEventType } from '../../core/events.ts';
import type { EventType } from '../../core/events.ts';
import { leastIdSince } from '../../core/id-time.ts';
import { isId } from '../../core/ids.ts';
import { webhookLimits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import { rowsIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import { countByHand } from './by-hand.ts';
import { lockEndpoint } from './endpoint-rows.ts';
import type { EndpointRow } from './endpoint-rows.ts';
import type { Recovery } from './history-schema.ts';
import { deliver } from './raise.ts';
import { countRecovered, recoveriesLeft } from './recovery-budget.ts';
import type { StartedDelivery } from './schema.ts';

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
