import { later, secondsToMs } from '../../core/clock.ts';
import { isPersonal } from '../../core/events.ts';
import { newIdAt, timeOfId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { isRecord } from '../../core/raw-json.ts';
import type { Team } from '../../platform/team.ts';
import { apiVersion, bodyOf, publicEventId, readEventId } from '../../webhooks/message.ts';
import { isCompleteSince, recordedAbout, recordedSince } from '../audit/service.ts';
import type { Recorded } from '../audit/service.ts';
import { deliveries } from './delivery-store.ts';
import type { DeliveryRow, IdSpan } from './delivery-store.ts';
import { attempts } from './history-store.ts';
import type { EventRow } from './history-store.ts';
import { presentTo } from './history.ts';
import type { EndpointReach, EventReach, ReachDelivery, WebhookEndpoint } from './schema.ts';
import { endpointsOf, findEvent } from './service.ts';

// Shows which endpoints an event reached, and why the others did not get it. It uses only what was recorded at the time: the deliveries,
// and the audit log, which has every change of an endpoint. If neither has the answer, it is `unknown`.

type State = EndpointReach['state'];
type Status = WebhookEndpoint['status'];

/** The number of entries that are read per action. If an endpoint's change is not among them, the answer is `unknown`. */
const entriesRead = 1_000;
const deliveriesShown = 200;
const attemptsShown = 500;

const changeActions = ['webhook_endpoint.changed', 'webhook_endpoint.paused', 'webhook_endpoint.deleted'] as const;

/** The entries about endpoints since a time, by endpoint, oldest first. */
interface Changes {
  of: (endpointId: string) => readonly Recorded[];
  /** Whether these are all. */
  complete: boolean;
}

const changesSince = async (team: Team, since: Date): Promise<Changes> => {
  const read = [];
  for (const action of changeActions) read.push(await recordedSince(team, { action, since, most: entriesRead }));
  const byEndpoint = Map.groupBy(
    read.flat().toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1)),
    ({ targetId }) => targetId,
  );
  return {
    of: (endpointId) => byEndpoint.get(endpointId) ?? [],
    complete: read.every((entries) => entries.length < entriesRead) && (await isCompleteSince(team, since)),
  };
};

const textIn = ({ data }: Recorded, name: string): string | undefined => {
  const value = data[name];
  return typeof value === 'string' ? value : undefined;
};

const typesIn = (values: unknown): string[] | undefined => {
  const types = isRecord(values) ? values['events'] : undefined;
  return Array.isArray(types) ? types.filter((type) => typeof type === 'string') : undefined;
};

const isDeletion = ({ action }: Recorded): boolean => action === 'webhook_endpoint.deleted';

/** The status before an entry, if the entry has it. */
const statusBefore = (entry: Recorded): string | undefined => {
  if (entry.action === 'webhook_endpoint.paused') return 'active';
  return textIn(entry, isDeletion(entry) ? 'status' : 'from');
};

/** The known data of an endpoint: its present row, or its data when it was deleted. */
interface Known {
  id: string;
  url: string;
  events: readonly string[];
  status: Status | null;
  deletedAt: Date | null;
}

/** The status when the event was raised: the former status in the first later change, or else the present one. */
const statusThen = ({ status }: Known, later: readonly Recorded[]): string | undefined =>
  later.map(statusBefore).find((before) => before !== undefined) ?? status ?? undefined;

/** The types that an endpoint was subscribed to when the event was raised: those before the first later change of them, or else the present ones. */
const typesThen = ({ events }: Known, later: readonly Recorded[]): readonly string[] =>
  later.map(({ data }) => typesIn(data['before'])).find((types) => types !== undefined) ?? events;

/** The relation of an endpoint to the event, if there is no delivery. */
const stateThen = (event: EventRow, known: Known, changes: Changes): State => {
  if (known.id > event.id) return 'created_later';
  if (!changes.complete) return 'unknown';
  const after = changes.of(known.id);
  const status = statusThen(known, after);
  if (status === 'disabled') return 'disabled';
  if (status === 'disabled_failures') return 'paused';
  if (status !== 'active') return 'unknown';
  return typesThen(known, after).includes(event.type) ? 'not_kept' : 'not_subscribed';
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
  const target = { type: 'webhook_event', id } as const;
  const replays = await recordedAbout(team, target, { until: team.platform.clock.now(), most: deliveriesShown });
  const recovered = { action: 'webhook_endpoint.recovered', since: createdAt, most: deliveriesShown } as const;
  const recoveries = await recordedSince(team, recovered);
  const replayed = replays.map((entry) => textIn(entry, 'delivery_id')).filter((one) => one !== undefined);
  return [
    own,
    ...replayed.map((delivery) => ({ first: delivery, last: delivery })),
    ...recoveries
      .filter((entry) => new Date(textIn(entry, 'since') ?? '') <= createdAt)
      // Ids of the same millisecond are in no order.
      .map(({ id: entry }) => ({
        first: newIdAt(later(timeOfId(entry), -longestRecoveryMs)),
        last: millisecondOf(entry).last,
      })),
  ];
};

/** The deliveries of an event to the endpoints that the team still has, oldest first. */
const deliveriesOf = async (team: Team, event: EventRow, endpointIds: ReadonlySet<string>): Promise<DeliveryRow[]> => {
  const found = new Map<string, DeliveryRow>();
  for (const span of await spansOf(team, event)) {
    const wanted = { eventId: event.id, span, limit: deliveriesShown };
    for (const row of await deliveries.ofEvent(team.platform.database, team, wanted)) found.set(row.id, row);
  }
  return [...found.values()]
    .filter(({ endpoint_id }) => endpointIds.has(endpoint_id))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .slice(0, deliveriesShown);
};

/** How many deliveries before an event are searched for the last attempt before it. */
const searchedBefore = 20;

/** The last attempt at an endpoint that ended before an event, among those of its newest deliveries before it. */
const lastBefore = async (team: Team, endpointId: string, until: Date): Promise<EndpointReach['last_before']> => {
  const { data } = await deliveries.page(team, { endpointId, until }, { limit: searchedBefore });
  const ids = data.map(({ id }) => id);
  const made = await attempts.ofDeliveries(team.platform.database, team, ids, attemptsShown);
  const [last] = made
    .filter(({ startedAt, responseMs }) => later(startedAt, responseMs ?? 0) <= until)
    .toSorted((one, other) => other.startedAt.getTime() - one.startedAt.getTime());
  if (!last) return null;
  const { startedAt, error, responseCode } = last;
  const succeeded = error === null && responseCode !== null && responseCode >= 200 && responseCode < 300;
  return { at: startedAt.toISOString(), succeeded };
};

const withAttempts = async (
  team: Team,
  event: EventRow,
  status: Status,
  rows: readonly DeliveryRow[],
): Promise<ReachDelivery[]> => {
  const made = await attempts.ofDeliveries(
    team.platform.database,
    team,
    rows.map(({ id }) => id),
    attemptsShown,
  );
  const byDelivery = Map.groupBy(made, ({ deliveryId }) => deliveryId);
  return rows.map((row) => ({
    ...presentTo(status, row),
    by_hand: timePart(row.id) !== timePart(event.id),
    attempts: (byDelivery.get(row.id) ?? []).map(({ startedAt, responseCode, responseMs, ...attempt }) => ({
      ...attempt,
      started_at: startedAt.toISOString(),
      response_code: responseCode,
      response_ms: responseMs,
    })),
  }));
};

/** The endpoints of the team, with those that were deleted since the event. */
const endpointsSince = async (team: Team, { id: eventId, createdAt: since }: EventRow): Promise<Known[]> => {
  const present = await endpointsOf(team);
  const deleted = await recordedSince(team, { action: 'webhook_endpoint.deleted', since, most: entriesRead });
  return [
    ...present.map(({ id, url, events, status }) => ({ id, url, events, status, deletedAt: null })),
    ...deleted.flatMap((entry) => {
      const { targetId: id, createdAt } = entry;
      // An endpoint that was created and deleted after the event has no relation to it.
      if (id === null || id > eventId) return [];
      const [url = '', events = []] = [textIn(entry, 'url'), typesIn(entry.data)];
      return [{ id, url, events, status: null, deletedAt: createdAt }];
    }),
  ];
};

const bodyFor = (team: Team, { id, type, data: stored, createdAt }: EventRow): string | null => {
  const data: unknown = JSON.parse(stored);
  if (!isRecord(data) || (isPersonal(data) && !team.privacy.memberDetail)) return null;
  return bodyOf({ tenantId: team.id, eventId: id, type, createdAt: createdAt.toISOString(), apiVersion, data });
};

/** An event with its result at each endpoint. */
export const reachOf = async (team: Team, given: string): Promise<EventReach> => {
  const eventId = readEventId(given);
  const event = eventId === undefined ? undefined : await findEvent(team, eventId);
  if (!event) return fail('not_found', { detail: 'The team has no such event, or it is no longer kept.' });

  const all = await endpointsSince(team, event);
  const present = new Set(all.filter(({ status }) => status !== null).map(({ id }) => id));
  const byEndpoint = Map.groupBy(await deliveriesOf(team, event, present), ({ endpoint_id }) => endpoint_id);
  const changes = await changesSince(team, event.createdAt);
  // A test concerns one endpoint only.
  const concerned = event.type === 'ping' ? all.filter(({ id }) => byEndpoint.has(id)) : all;

  const endpoints: EndpointReach[] = [];
  for (const known of concerned) {
    const { id, url, status, deletedAt } = known;
    const shown = await withAttempts(team, event, status ?? 'disabled', byEndpoint.get(id) ?? []);
    const wasAsked = event.type === 'ping' || shown.some(({ by_hand }) => !by_hand);
    endpoints.push({
      endpoint_id: id,
      url,
      state: wasAsked ? 'asked' : stateThen(event, known, changes),
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
    body: bodyFor(team, event),
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
