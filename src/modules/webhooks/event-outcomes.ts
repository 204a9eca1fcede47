import { later } from '../../core/clock.ts';
import { isAboutEndpoint } from '../../core/events.ts';
import { isRecord } from '../../core/json.ts';
import { timeOfId } from '../../core/ids.ts';
import { webhookMessages } from '../../core/messages/webhooks.ts';
import { fail } from '../../core/problem.ts';
import type { Team } from '../../platform/team.ts';
import { apiVersion, publicEventId, readEventId } from '../../deliveries/message.ts';
import { deliveries } from './delivery-store.ts';
import { attempts, type EventRow } from './history-store.ts';
import { bodiesOf, presentTo } from './history.ts';
import type { EndpointReach } from './schema.ts';
import { endpointsOf, findEvent } from './service.ts';
import type { EndpointRow } from './store.ts';

// Shows which endpoints an event reached, and why the others did not get it. Each endpoint that was active and
// subscribed when the event was raised has a delivery, unless the delivery was deleted because it ended with an attempt
// beyond the daily limit of the history. The present status and subscriptions of an endpoint without a delivery give
// the likely reason.

const deliveriesShown = 200;
const attemptsShown = 500;

/** Why an endpoint, as it is now, probably did not get an event when the event was raised. */
const stateOf = (
  { id: eventId, type, data }: EventRow,
  { id, status, events }: EndpointRow,
): EndpointReach['state'] => {
  const stored: unknown = JSON.parse(data);
  if (isRecord(stored) && isAboutEndpoint(type, stored, id)) return 'concerned';
  if (id > eventId) return 'created_later';
  if (status !== 'active') return status === 'disabled' ? 'disabled' : 'paused';
  return events.some((one) => one === type) ? 'not_sent' : 'not_subscribed';
};

/** How many deliveries from before an event are searched for the last attempt that ended before it. */
const searchedBefore = 20;

interface LastAttempt {
  at: Date;
  succeeded: boolean;
}

/**
 * The last of the attempts to an endpoint that ended before an event. Only the newest deliveries from before the event
 * are searched.
 */
const lastBefore = async (team: Team, endpointId: string, until: Date): Promise<LastAttempt | null> => {
  const { data } = await deliveries.page(team, { endpointId, until }, { limit: searchedBefore });
  const ids = data.map(({ id }) => id);
  const made = await attempts.ofDeliveries(team.platform.database, team, ids, attemptsShown);
  const [last] = made
    .filter(({ startedAt, responseMs }) => later(startedAt, responseMs ?? 0) <= until)
    .toSorted((one, other) => (one.startedAt < other.startedAt ? 1 : -1));
  if (!last) return null;
  const { startedAt: at, error, responseCode: code } = last;
  return { at, succeeded: error === null && code !== null && code >= 200 && code < 300 };
};

/** An event with its result at each endpoint that the team has now. */
export const reachOf = async (team: Team, given: string) => {
  const eventId = readEventId(given);
  const event = eventId === undefined ? undefined : await findEvent(team, eventId);
  if (!event) return fail('not_found', { detail: webhookMessages.eventGone });

  const present = await endpointsOf(team);
  const { database } = team.platform;
  const rows = await deliveries.ofEvent(database, team, { eventId: event.id, limit: deliveriesShown });
  const ids = rows.map(({ id }) => id);
  const made = await attempts.ofDeliveries(database, team, ids, attemptsShown);

  const endpoints = [];
  for (const endpoint of present) {
    const { id, url, status } = endpoint;
    const shown = rows
      .filter(({ endpointId }) => endpointId === id)
      .map((row) => ({
        ...presentTo(status, row),
        // The id of a delivery that was made with the event contains the event's time.
        byHand: Number(timeOfId(row.id)) !== Number(timeOfId(event.id)),
        attempts: made.filter(({ deliveryId }) => deliveryId === row.id),
      }));
    // A `ping` is sent to one endpoint only, so the others are left out.
    if (event.type === 'ping' && shown.length === 0) continue;
    const wasAsked = event.type === 'ping' || shown.some(({ byHand }) => !byHand);
    endpoints.push({
      endpointId: id,
      url,
      state: wasAsked ? ('asked' as const) : stateOf(event, endpoint),
      status,
      createdAt: timeOfId(id),
      lastBefore: await lastBefore(team, id, event.createdAt),
      deliveries: shown,
    });
  }
  return {
    eventId: publicEventId(event.id),
    type: event.type,
    createdAt: event.createdAt,
    body: bodiesOf(team, event, apiVersion).whole,
    endpoints,
  };
};

/** The team's newest deliveries since a time, to all of its endpoints. */
export const newestDeliveries = async (team: Team, { since, limit }: { since: Date; limit: number }) => {
  const statuses = new Map((await endpointsOf(team)).map(({ id, status }) => [id, status]));
  const wanted = { endpointIds: [...statuses.keys()], since, limit };
  const rows = await deliveries.newest(team.platform.database, team, wanted);
  return rows.map((row) => ({
    ...presentTo(statuses.get(row.endpointId) ?? 'disabled', row),
    endpointId: row.endpointId,
  }));
};
