import { isAboutEndpoint, isEventType } from '../../core/events.ts';
import { isRecord } from '../../core/json.ts';
import { isId } from '../../core/ids.ts';
import type { Message } from '../../core/language.ts';
import { webhookMessages } from '../../core/messages/webhooks.ts';
import { fail } from '../../core/problem.ts';
import type { Camel } from '../../core/spelling.ts';
import { endpointLimits } from '../../core/limits.ts';
import type { Database, Tx } from '../../db/database.ts';
import { lockRow } from '../../db/lock-row.ts';
import type { Team } from '../../platform/team.ts';
import { inShareLockedTeam, requireApi, type ShareLockedTeam } from '../../platform/team-row.ts';
import { readEventId } from '../../deliveries/message.ts';
import { addJobsAfter, raiseFor, writeDeliveries } from '../../deliveries/outbox.ts';
import { record } from '../audit/service.ts';
import { countInHour, windows } from '../windows/store.ts';
import { deliveries, waiting } from './delivery-store.ts';
import { events } from './history-store.ts';
import { ping } from './events.ts';
import { presentDelivery, type Delivery } from './history.ts';
import type { MissedEvents, NewRecovery, Recovery, StartedDelivery } from './schema.ts';
import { getEndpoint, lockEndpoint } from './service.ts';
import type { EndpointRow } from './store.ts';

/**
 * Counts a test, retry, replay or recovery, and refuses it if it is one too many in this hour: each leaves rows that
 * are kept for weeks. Each endpoint has a limit, and the team has a limit of its own, which new endpoints do not raise.
 */
const countByHand = async (tx: Tx, team: Team, endpointId: string): Promise<void> => {
  const { sentByHandPerHour: max, sentByHandPerTeamPerHour: maxOfTeam } = endpointLimits;
  const ofEndpoint = webhookMessages.byHandOfEndpoint(max);
  await countInHour(tx, team, { subject: `by hand ${endpointId}`, max, detail: ofEndpoint });
  const ofTeam = webhookMessages.byHandOfTeam(maxOfTeam);
  await countInHour(tx, team, { subject: `by hand ${team.id}`, max: maxOfTeam, detail: ofTeam });
};

/** A team without the API can't send by hand. The team is locked first, before the endpoint. */
const inTransactionWithApi = <T>(caller: Team, action: (tx: Tx, team: ShareLockedTeam) => Promise<T>): Promise<T> =>
  inShareLockedTeam(caller, async (tx, team) => {
    requireApi(team);
    return action(tx, team);
  });

/** Sends an endpoint a `ping`, whatever its status. */
export const testEndpoint = (caller: Team, endpointId: string): Promise<Camel<StartedDelivery>> =>
  inTransactionWithApi(caller, async (tx, team) => {
    const { id } = await lockEndpoint(tx, team, endpointId);
    await countByHand(tx, team, id);
    const deliveryId = await raiseFor(tx, team, id, ping, { data: { endpoint_id: id }, personal: {} });
    record(tx, team, {
      action: 'webhook_endpoint.tested',
      target: { type: 'webhook_endpoint', id },
      data: { deliveryId },
    });
    return { deliveryId, status: 'pending' };
  });

const notNow = (detail: Message): never => fail('validation_error', { field: 'status', detail });

/**
 * Sends a failed or given-up delivery again at once, whatever its endpoint's status. The delivery's status and schedule
 * are stored, and restored if this attempt fails (src/deliveries/outcomes.ts).
 */
export const retryDelivery = (team: Team, id: string): Promise<Delivery> =>
  inTransactionWithApi(team, async (tx) => {
    const read = async () => (isId(id) ? await deliveries.get(tx, team, id) : undefined) ?? fail('not_found');
    const endpoint = await lockEndpoint(tx, team, (await read()).endpointId);
    const now = team.platform.clock.now();
    const isSending = await waiting.lock(tx, team, id, now);
    lockRow(tx, 'webhook_delivery', { tenantId: team.id, id });
    const before = await read();
    const { status, eventId, eventType } = before;
    if (status === 'ok') notNow(webhookMessages.alreadyDelivered);
    if (status === 'pending') notNow(webhookMessages.alreadyPending);
    if (isSending) notNow(webhookMessages.attemptRunning);

    await countByHand(tx, team, endpoint.id);
    await waiting.makeDue(tx, team, { deliveryId: id, endpointId: endpoint.id, now });
    addJobsAfter(tx, team, async () => [{ endpointId: endpoint.id }]);
    const after = await deliveries.setAside(tx, team, before, now);
    record(tx, team, {
      action: 'webhook_delivery.retried',
      target: { type: 'webhook_delivery', id },
      data: { endpointId: endpoint.id, eventId, eventType, from: status },
    });
    return presentDelivery(after);
  });

const lockActive = async (tx: Tx, team: Team, endpointId: string): Promise<EndpointRow> => {
  const endpoint = await lockEndpoint(tx, team, endpointId);
  if (endpoint.status === 'active') return endpoint;
  return fail('validation_error', { field: 'status', detail: webhookMessages.endpointNotActive });
};

/**
 * Sends an event to an active endpoint once more, or for the first time, even if the endpoint does not subscribe to it.
 */
export const replayEvent = (
  team: Team,
  { eventId: wanted, endpointId }: { eventId: string; endpointId: string },
): Promise<Camel<StartedDelivery>> =>
  inTransactionWithApi(team, async (tx) => {
    const endpoint = await lockActive(tx, team, endpointId);
    const unknown = () => fail('not_found', { detail: webhookMessages.eventGone });
    const eventId = readEventId(wanted) ?? unknown();
    const { type, data } = (await events.get(tx, team, eventId)) ?? unknown();
    if (!isEventType(type)) {
      return fail('validation_error', { field: 'event_id', detail: webhookMessages.pingNotReplayed });
    }
    const stored: unknown = JSON.parse(data);
    if (isRecord(stored) && isAboutEndpoint(type, stored, endpoint.id)) {
      return fail('validation_error', { field: 'endpoint_id', detail: webhookMessages.aboutItself });
    }
    await countByHand(tx, team, endpoint.id);
    const at = team.platform.clock.now();
    const [deliveryId = ''] = await writeDeliveries(tx, team, at, [{ endpointId: endpoint.id, eventId, type }]);
    record(tx, team, {
      action: 'webhook_event.replayed',
      target: { type: 'webhook_event', id: eventId },
      data: { endpointId: endpoint.id, deliveryId },
    });
    return { deliveryId, status: 'pending' };
  });

/**
 * The oldest events that an endpoint missed since a time: events of its types that were not delivered to it and have no
 * delivery that is still to be sent. `older`: events from before the endpoint was created; `missed`: events since then.
 * Each list has at most `limit` events.
 */
const missedBy = async (
  connection: Tx | Database,
  team: Team,
  { endpoint: { id, events: types, createdAt }, since, limit }: { endpoint: EndpointRow; since: Date; limit: number },
) => {
  const wanted = { endpointId: id, types, limit };
  if (since >= createdAt) return { older: [], missed: await events.missed(connection, team, { ...wanted, since }) };
  const older = await events.missed(connection, team, { ...wanted, since, until: createdAt });
  return { older, missed: await events.missed(connection, team, { ...wanted, since: createdAt }) };
};

/**
 * How many events an endpoint missed since a time: `older` from before its creation, `missed` since then. Both numbers
 * are at most `atMost`.
 */
export const countMissed = async (
  team: Team,
  { endpointId, since }: { endpointId: string; since: Date },
): Promise<Camel<MissedEvents>> => {
  const endpoint = await getEndpoint(team, endpointId);
  const atMost = endpointLimits.recoveredAtOnce;
  const { older, missed } = await missedBy(team.platform.database, team, { endpoint, since, limit: atMost });
  return { missed: missed.length, older: older.length, atMost };
};

/**
 * Sends an endpoint the events that it missed since a time. Events that are older than the endpoint are sent only with
 * `includeOlder`, because a new endpoint is usually meant for events from now on. The number is limited, at once and
 * per day. To recover more, the caller repeats the request with the same time.
 */
export const recoverEndpoint = (
  team: Team,
  { endpointId, since, includeOlder = false, dryRun = false }: Camel<NewRecovery>,
  atOnce: number = endpointLimits.recoveredAtOnce,
): Promise<Recovery> =>
  inTransactionWithApi(team, async (tx) => {
    const endpoint = await lockActive(tx, team, endpointId);
    const { id } = endpoint;
    const { older: fromBefore, missed } = await missedBy(tx, team, { endpoint, since, limit: atOnce + 1 });
    const found = includeOlder ? [...fromBefore, ...missed] : missed;
    const older = Math.min(fromBefore.length, atOnce);
    if (dryRun || found.length === 0) {
      return { recovered: Math.min(found.length, atOnce), older, more: found.length > atOnce };
    }
    await countByHand(tx, team, id);
    const taken = found.slice(0, await countRecovered(tx, team, Math.min(found.length, atOnce)));
    const sent = taken.flatMap(({ id: eventId, type }) =>
      isEventType(type) ? [{ endpointId: id, eventId, type }] : [],
    );
    await writeDeliveries(tx, team, team.platform.clock.now(), sent);
    record(tx, team, {
      action: 'webhook_endpoint.recovered',
      target: { type: 'webhook_endpoint', id },
      data: { since: since.toISOString(), recovered: taken.length },
    });
    return { recovered: taken.length, older, more: found.length > taken.length };
  });

/**
 * Counts events that are to be recovered, and returns how many of them the team may still recover today; throws 429 if
 * none. A day starts with the first recovery and ends 24 hours later. The budget belongs to the team, so new endpoints
 * do not raise it.
 */
const countRecovered = async (tx: Tx, team: Team, wanted: number): Promise<number> => {
  const max = endpointLimits.recoveredPerTeamPerDay;
  const day = { subject: `recovered ${team.id}`, seconds: 24 * 3_600, now: team.platform.clock.now() };
  const { used, wait } = await windows.count(tx, { ...day, count: wanted });
  const surplus = Math.max(0, used - max);
  if (surplus >= wanted) fail('rate_limited', { retry_after: wait, detail: webhookMessages.recovered(max) });
  if (surplus > 0) await windows.takeBack(tx, day.subject, surplus);
  return wanted - surplus;
};
