import { hours, later } from '../../core/clock.ts';
import { isEventType } from '../../core/events.ts';
import { leastIdSince } from '../../core/id-time.ts';
import { isId, newId } from '../../core/ids.ts';
import { webhookLimits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import { runIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { bigint, bool, int, listOf, query, text, time, uuid } from '../../db/query.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { deliver, wakeFeedersAfter } from '../../webhooks/outbox.ts';
import { record } from '../audit/service.ts';
import { holdTeam, needApi } from '../teams/service.ts';
import { windows } from '../windows/store.ts';
import { deliveryColumns, deliveryRow, presentDelivery } from './history.ts';
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

/** Nothing is sent by hand for a team without the API. The team is held first, before the endpoint is locked. */
const inTransactionWithApi = <T>(team: Team, action: (tx: Tx) => Promise<T>): Promise<T> =>
  inTransaction(team, async (tx) => {
    needApi(await holdTeam(tx, team));
    return action(tx);
  });

/** Sends an endpoint a `ping`, whatever its status. */
export const testEndpoint = (team: Team, endpointId: string): Promise<StartedDelivery> =>
  inTransactionWithApi(team, async (tx) => {
    const { id } = await lockEndpoint(tx, team, endpointId);
    await countByHand(tx, team, id);
    const [eventId, at] = [newId(), team.platform.clock.now()];
    const data = { team_id: team.id, endpoint_id: id };
    await tx.webhookEvent.create({ data: { tenantId: team.id, id: eventId, type: 'ping', data, createdAt: at } });
    const [deliveryId = ''] = await deliver(tx, team, at, [{ endpointId: id, eventId, type: 'ping' }]);
    await record(tx, team, {
      action: 'webhook_endpoint.tested',
      target: { type: 'webhook_endpoint', id },
      data: { delivery_id: deliveryId },
    });
    return { delivery_id: deliveryId, status: 'pending' };
  });

const delivery = { tenantId: uuid, id: uuid } as const;

const lockWaiting = query({
  name: 'webhooks.lockWaiting',
  why: 'Prisma has no row locks',
  sql: `select claim_id is not null and due_at > :now as sending
          from webhook_waiting where tenant_id = :tenantId and delivery_id = :id for update`,
  parameters: { ...delivery, now: time },
  row: { sending: bool.checked },
});

const lockDelivery = query({
  name: 'webhooks.lockDelivery',
  why: 'Prisma has no row locks',
  sql: `select ${deliveryColumns} from webhook_delivery where tenant_id = :tenantId and id = :id for no key update`,
  parameters: delivery,
  row: deliveryRow,
});

const setAside = query({
  name: 'webhooks.setAside',
  why: 'copies columns within the row',
  sql: `update webhook_delivery
           set status = 'pending', resume_status = status, resume_at = next_try_at, next_try_at = :now
         where tenant_id = :tenantId and id = :id
        returning ${deliveryColumns}`,
  parameters: { ...delivery, now: time },
  row: deliveryRow,
});

/** Makes a delivery due at once, whether or not it waits. */
const sendNow = (tx: Tx, key: { tenantId: string; deliveryId: string }, endpointId: string, now: Date) =>
  tx.webhookWaiting.upsert({
    where: { tenantId_deliveryId: key },
    create: { ...key, endpointId, dueAt: now, byHand: true },
    update: { dueAt: now, claimId: null, byHand: true, hasJob: false },
  });

const notNow = (detail: string): never => fail('validation_error', { field: 'status', detail });

/**
 * Tries a failed or given-up delivery again at once, whatever its endpoint's status. What it was and when its schedule goes on
 * is kept, to go back to if that fails. See the states of a delivery.
 */
export const retryDelivery = (team: Team, id: string): Promise<WebhookDelivery> =>
  inTransactionWithApi(team, async (tx) => {
    const key = { tenantId: team.id, id };
    const known = isId(id)
      ? await tx.webhookDelivery.findUnique({ where: { tenantId_id: key }, select: { endpointId: true } })
      : null;
    const endpoint = await lockEndpoint(tx, team, known?.endpointId ?? fail('not_found'));
    const now = team.platform.clock.now();
    const [waiting] = await runIn(tx, lockWaiting, { ...key, now });
    const [before = fail('not_found')] = await runIn(tx, lockDelivery, key);
    const { status, event_id, event_type } = before;
    if (status === 'ok') notNow('It was delivered already.');
    if (status === 'pending') notNow('It waits to be sent already.');
    if (waiting?.sending) notNow('An attempt is being made right now.');

    await countByHand(tx, team, endpoint.id);
    await sendNow(tx, { tenantId: team.id, deliveryId: id }, endpoint.id, now);
    wakeFeedersAfter(tx, team);
    const [after = before] = await runIn(tx, setAside, { ...key, now });
    await record(tx, team, {
      action: 'webhook_delivery.retried',
      target: { type: 'webhook_delivery', id },
      data: { endpoint_id: endpoint.id, event_id, event_type, from: status },
    });
    return presentDelivery(after);
  });

const written = /^(?:evt_)?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/;

/** An event's id, given as receivers see it or plainly; undefined for what can't be one. */
const readEventId = (given: string): string | undefined => {
  const plain = written.exec(given)?.slice(1).join('-');
  return plain !== undefined && isId(plain) ? plain : undefined;
};

const lockActive = async (tx: Tx, team: Team, endpointId: string): Promise<EndpointRow> => {
  const endpoint = await lockEndpoint(tx, team, endpointId);
  if (endpoint.status === 'active') return endpoint;
  return fail('validation_error', { field: 'status', detail: 'The endpoint is not active: reactivate it first.' });
};

/** Sends an event to an endpoint once more, or for the first time, whether or not it is subscribed to it. */
export const replayEvent = (
  team: Team,
  { event_id: wanted, endpoint_id }: { event_id: string; endpoint_id: string },
): Promise<StartedDelivery> =>
  inTransactionWithApi(team, async (tx) => {
    const endpoint = await lockActive(tx, team, endpoint_id);
    const unknown = () => fail('not_found', { detail: 'The team has no such event, or it is no longer kept.' });
    const eventId = readEventId(wanted) ?? unknown();
    const event = await tx.webhookEvent.findUnique({
      where: { tenantId_id: { tenantId: team.id, id: eventId } },
      select: { type: true },
    });
    const { type } = event ?? unknown();
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
const missed = query({
  name: 'webhooks.missed',
  why: 'leaves out events that have a delivery: no relation says so',
  sql: `select v.id, v.type
          from webhook_event v
         where v.tenant_id = :tenantId and v.id >= :leastId and v.created_at >= :since and v.type = any (:types)
           and not exists (select 1 from webhook_delivery d
                            where d.tenant_id = :tenantId and d.endpoint_id = :endpointId and d.id >= :leastId and d.event_id = v.id
                              and d.status <> 'gave_up')
         order by v.id limit :limit`,
  parameters: { tenantId: uuid, endpointId: uuid, types: listOf(text), since: time, leastId: uuid, limit: bigint },
  row: { id: uuid, type: text },
});

/**
 * Sends an endpoint what it missed since a time: every event of the types that it is subscribed to which neither reached it nor
 * is on its way to it. At most so many at once and within a day; to recover more, the caller asks again with the same time.
 */
export const recoverEndpoint = (
  team: Team,
  { endpoint_id, since }: { endpoint_id: string; since: Date },
  atOnce: number = webhookLimits.recoveredAtOnce,
): Promise<Recovery> =>
  inTransactionWithApi(team, async (tx) => {
    const { id, events } = await lockActive(tx, team, endpoint_id);
    const found = await runIn(tx, missed, {
      tenantId: team.id,
      endpointId: id,
      types: events,
      since,
      leastId: leastIdSince(since),
      limit: atOnce + 1,
    });
    if (found.length === 0) return { recovered: 0, more: false };
    await countByHand(tx, team, id);
    const taken = found.slice(0, Math.min(atOnce, await recoveriesLeft(tx, team)));
    await countRecovered(tx, team, taken.length);
    const sent = taken.flatMap(({ id: eventId, type }) =>
      isEventType(type) ? [{ endpointId: id, eventId, type }] : [],
    );
    await deliver(tx, team, team.platform.clock.now(), sent);
    await record(tx, team, {
      action: 'webhook_endpoint.recovered',
      target: { type: 'webhook_endpoint', id },
      data: { since: since.toISOString(), recovered: taken.length },
    });
    return { recovered: taken.length, more: found.length > taken.length };
  });
