import { z } from 'zod';
import { later, secondsToMs } from '../../core/clock.ts';
import { newIdAt, timeOfId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import type { Team } from '../../platform/team.ts';
import { apiVersion, publicEventId, readEventId } from '../../deliveries/message.ts';
import { isCompleteSince, recordedAbout, recordedSince } from '../audit/service.ts';
import type { Recorded } from '../audit/service.ts';
import { deliveries } from './delivery-store.ts';
import type { DeliveryRow, IdSpan } from './delivery-store.ts';
import { attempts } from './history-store.ts';
import type { EventRow } from './history-store.ts';
import { bodiesOf, presentTo } from './history.ts';
import type { EndpointReach, EventReach } from './schema.ts';
import { endpointsOf, findEvent } from './service.ts';
import type { EndpointRow } from './store.ts';

// Shows which endpoints an event reached, and why the others did not get it. It uses only what was recorded at the time: the deliveries,
// and the audit log, which has every change of an endpoint. If neither has the answer, it is `unknown`.

type State = EndpointReach['state'];

/** The number of entries that are read per action. If an endpoint's change is not among them, the answer is `unknown`. */
const entriesRead = 1_000;
const deliveriesShown = 200;
const attemptsShown = 500;

const changeActions = ['webhook_endpoint.changed', 'webhook_endpoint.paused', 'webhook_endpoint.deleted'] as const;

/** The entries about changes of endpoints since an event, oldest first, and whether these are all. */
const changesSince = async (team: Team, { createdAt: since }: EventRow) => {
  const read: Recorded[][] = [];
  for (const action of changeActions) read.push(await recordedSince(team, { action, since, most: entriesRead }));
  return {
    entries: read.flat().toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1)),
    areAll: read.every((entries) => entries.length < entriesRead) && (await isCompleteSince(team, since)),
  };
};

const Types = z.object({ events: z.array(z.string()) });

/** The values before a change, as far as its entry has them. */
const Before = z.object({
  from: z.string().optional().catch(undefined),
  before: Types.optional().catch(undefined),
});

/** An endpoint as it is now, or as it was when it was deleted. */
interface Known {
  id: string;
  url: string;
  events: readonly string[];
  status: string;
  deletedAt: Date | null;
}

const Deleted = Types.extend({ url: z.string(), status: z.string() });

/** The endpoints of the team, with those that were deleted since the event. */
const endpointsSince = (present: readonly EndpointRow[], entries: readonly Recorded[]): Known[] => [
  ...present.map((endpoint) => ({ ...endpoint, deletedAt: null })),
  ...entries.flatMap(({ action, targetId: id, data, createdAt: deletedAt }) => {
    const deleted = action === 'webhook_endpoint.deleted' ? Deleted.safeParse(data).data : undefined;
    return deleted && id !== null ? [{ id, ...deleted, deletedAt }] : [];
  }),
];

const states: Readonly<Record<string, State>> = { disabled: 'disabled', disabled_failures: 'paused' };

/** The relation of an endpoint to an event that was not sent to it, by what it was before the changes since. */
const stateThen = ({ type }: EventRow, known: Known, changes: readonly Recorded[]): State => {
  let { status, events } = known;
  for (const { action, data } of changes.toReversed()) {
    const { from, before } = Before.parse(data);
    status = action === 'webhook_endpoint.paused' ? 'active' : (from ?? status);
    events = before?.events ?? events;
  }
  if (status !== 'active') return states[status] ?? 'unknown';
  return events.includes(type) ? 'not_kept' : 'not_subscribed';
};

/** The part of an id that holds its time. */
const timePart = (id: string): string => id.slice(0, 15);

const millisecondOf = (id: string): IdSpan => ({
  first: `${timePart(id)}000-0000-000000000000`,
  last: `${timePart(id)}fff-ffff-ffffffffffff`,
});

/** How long before its audit entry a transaction may have created its deliveries. */
const longestRecoveryMs = secondsToMs(60);

/**
 * The ranges of ids that contain all deliveries of an event. Deliveries that were created with the event have its time in their ids. All
 * others were requested by hand, which the audit log records in the same transaction: the entry of a replay names its delivery, and a
 * recovery creates its deliveries just before its entry.
 */
const spansOf = async (team: Team, { id, type, createdAt }: EventRow): Promise<IdSpan[]> => {
  const own = millisecondOf(id);
  if (type === 'ping') return [{ first: own.first, last: newIdAt(later(timeOfId(id), longestRecoveryMs)) }];
  const replays = await recordedAbout(team, { type: 'webhook_event', id }, deliveriesShown);
  const recovered = { action: 'webhook_endpoint.recovered', since: createdAt, most: deliveriesShown } as const;
  const recoveries = await recordedSince(team, recovered);
  return [
    own,
    ...replays.flatMap(({ data: { delivery_id: delivery } }) =>
      typeof delivery === 'string' ? [{ first: delivery, last: delivery }] : [],
    ),
    ...recoveries
      .filter(({ data: { since } }) => typeof since === 'string' && new Date(since) <= createdAt)
      // Ids of the same millisecond are in no order.
      .map(({ id: entry }) => ({
        first: newIdAt(later(timeOfId(entry), -longestRecoveryMs)),
        last: millisecondOf(entry).last,
      })),
  ];
};

/** The deliveries of an event, oldest first. */
const deliveriesOf = async (team: Team, event: EventRow): Promise<DeliveryRow[]> => {
  const found = new Map<string, DeliveryRow>();
  for (const span of await spansOf(team, event)) {
    const wanted = { eventId: event.id, span, limit: deliveriesShown };
    for (const row of await deliveries.ofEvent(team.platform.database, team, wanted)) found.set(row.id, row);
  }
  return [...found.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1)).slice(0, deliveriesShown);
};

/** How many deliveries before an event are searched for the last attempt before it. */
const searchedBefore = 20;

/** The last attempt at an endpoint that ended before an event, among those of its newest deliveries before it. */
const lastBefore = async (team: Team, endpointId: string, until: Date): Promise<EndpointReach['last_before']> => {
  const { data } = await deliveries.page(team, { endpointId, until }, { limit: searchedBefore });
  const ids = data.map(({ id }) => id);
  const made = await attempts.ofDeliveries(team.platform.database, team, ids, attemptsShown);
  const [last] = made
    .filter(({ started_at, response_ms }) => later(new Date(started_at), response_ms ?? 0) <= until)
    .toSorted((one, other) => (one.started_at < other.started_at ? 1 : -1));
  if (!last) return null;
  const { started_at: at, error, response_code: code } = last;
  return { at, succeeded: error === null && code !== null && code >= 200 && code < 300 };
};

/** An event with its result at each endpoint. */
export const reachOf = async (team: Team, given: string): Promise<EventReach> => {
  const eventId = readEventId(given);
  const event = eventId === undefined ? undefined : await findEvent(team, eventId);
  if (!event) return fail('not_found', { detail: 'The team has no such event, or it is no longer kept.' });

  const present = new Map((await endpointsOf(team)).map((endpoint) => [endpoint.id, endpoint]));
  const rows = (await deliveriesOf(team, event)).filter(({ endpoint_id }) => present.has(endpoint_id));
  const ids = rows.map(({ id }) => id);
  const made = await attempts.ofDeliveries(team.platform.database, team, ids, attemptsShown);
  const changes = await changesSince(team, event);

  const endpoints: EndpointReach[] = [];
  for (const known of endpointsSince([...present.values()], changes.entries)) {
    const { id, url, deletedAt } = known;
    const status = present.get(id)?.status ?? null;
    const shown = rows
      .filter(({ endpoint_id }) => endpoint_id === id)
      .map((row) => ({
        ...presentTo(status ?? 'disabled', row),
        by_hand: timePart(row.id) !== timePart(event.id),
        attempts: made.filter(({ delivery_id }) => delivery_id === row.id),
      }));
    const isLater = id > event.id;
    // A test concerns one endpoint only, and an endpoint that was created and deleted after the event has no relation to it.
    if (event.type === 'ping' ? shown.length === 0 : isLater && deletedAt) continue;
    const ofEndpoint = changes.entries.filter(({ targetId }) => targetId === id);
    const then = changes.areAll ? stateThen(event, known, ofEndpoint) : 'unknown';
    const wasAsked = event.type === 'ping' || shown.some(({ by_hand }) => !by_hand);
    endpoints.push({
      endpoint_id: id,
      url,
      state: wasAsked ? 'asked' : isLater ? 'created_later' : then,
      status,
      created_at: timeOfId(id).toISOString(),
      deleted_at: deletedAt?.toISOString() ?? null,
      last_before: status === null ? null : await lastBefore(team, id, event.createdAt),
      deliveries: shown,
    });
  }
  return {
    event_id: publicEventId(event.id),
    type: event.type,
    created_at: event.createdAt.toISOString(),
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
    ...presentTo(statuses.get(row.endpoint_id) ?? 'disabled', row),
    endpoint_id: row.endpoint_id,
  }));
};
