import { later, secondsToMs } from '../../core/clock.ts';
import { isPersonal } from '../../core/events.ts';
import { leastIdSince, newIdAt, timeOfId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { isRecord } from '../../core/raw-json.ts';
import type { Team } from '../../platform/team.ts';
import { apiVersion, bodyOf, publicEventId, readEventId } from '../../webhooks/message.ts';
import { isCompleteSince, recordedAbout, recordedSince } from '../audit/service.ts';
import type { Recorded } from '../audit/service.ts';
import { attempts, deliveries } from './delivery-store.ts';
import type { DeliveryRow, EventRow, IdSpan } from './delivery-store.ts';
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

/** The subscribed types after an entry, if the entry has them. Older versions recorded them outside of `after`. */
const typesAfter = ({ data }: Recorded): string[] | undefined => typesIn(data['after']) ?? typesIn(data);

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

/** The types that an endpoint was subscribed to when the event was raised; undefined if that is not recorded. */
const typesThen = async (
  team: Team,
  { id, events }: Known,
  after: readonly Recorded[],
  until: Date,
): Promise<readonly string[] | undefined> => {
  const change = after.find((entry) => !isDeletion(entry) && typesAfter(entry) !== undefined);
  if (!change) return events;
  const before = typesIn(change.data['before']);
  if (before) return before;
  // Older versions recorded only the new types, so the entry before the event has them.
  const earlier = await recordedAbout(team, { type: 'webhook_endpoint', id }, { until, most: entriesRead });
  return earlier.map(typesAfter).find((types) => types !== undefined);
};

/** The relation of an endpoint to the event, if there is no delivery. */
const stateThen = async (team: Team, event: EventRow, known: Known, changes: Changes): Promise<State> => {
  if (known.id > event.id) return 'created_later';
  if (!changes.complete) return 'unknown';
  const after = changes.of(known.id);
  const status = statusThen(known, after);
  if (status === 'disabled') return 'disabled';
  if (status === 'disabled_failures') return 'paused';
  const types = await typesThen(team, known, after, event.createdAt);
  if (status !== 'active' || types === undefined) return 'unknown';
  return types.includes(event.type) ? 'not_kept' : 'not_subscribed';
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
  return [
    own,
    ...replays.flatMap((entry) => {
      const delivery = textIn(entry, 'delivery_id');
      return delivery === undefined ? [] : [{ first: delivery, last: delivery }];
    }),
    ...recoveries.flatMap((entry) => {
      const since = textIn(entry, 'since');
      if (since === undefined || new Date(since) > createdAt) return [];
      // Ids of the same millisecond are in no order.
      return [{ first: newIdAt(later(timeOfId(entry.id), -longestRecoveryMs)), last: millisecondOf(entry.id).last }];
    }),
  ];
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
    attempts: (byDelivery.get(row.id) ?? []).map(
      ({ id, number, manual, startedAt, responseCode, responseMs, error }) => ({
        id,
        number,
        manual,
        started_at: startedAt.toISOString(),
        response_code: responseCode,
        response_ms: responseMs,
        error,
      }),
    ),
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

const bodyFor = (team: Team, { id, type, data, createdAt }: EventRow): string | null => {
  if (!isRecord(data) || (isPersonal(data) && !team.privacy.memberDetail)) return null;
  return bodyOf({ tenantId: team.id, eventId: id, type, createdAt: createdAt.toISOString(), apiVersion, data });
};

/** An event with its result at each endpoint. */
export const reachOf = async (team: Team, given: string): Promise<EventReach> => {
  const { database } = team.platform;
  const eventId = readEventId(given);
  const event = eventId === undefined ? undefined : await findEvent(team, eventId);
  if (!event) return fail('not_found', { detail: 'The team has no such event, or it is no longer kept.' });

  const spans = await spansOf(team, event);
  const found = await deliveries.ofEvent(database, team, { eventId: event.id, spans, limit: deliveriesShown });
  const byEndpoint = Map.groupBy(found, ({ endpoint_id }) => endpoint_id);
  const changes = await changesSince(team, event.createdAt);
  const all = await endpointsSince(team, event);
  // A test concerns one endpoint only.
  const concerned = event.type === 'ping' ? all.filter(({ id }) => byEndpoint.has(id)) : all;

  const before = await attempts.lastBefore(database, team, {
    endpointIds: concerned.map(({ id }) => id),
    below: millisecondOf(event.id).first,
    at: event.createdAt,
  });
  const lastOf = new Map(before.map((row) => [row.endpoint_id, { at: row.started_at, succeeded: row.succeeded }]));

  const endpoints: EndpointReach[] = [];
  for (const known of concerned) {
    const shown = await withAttempts(team, event, known.status ?? 'disabled', byEndpoint.get(known.id) ?? []);
    const wasAsked = event.type === 'ping' || shown.some(({ by_hand }) => !by_hand);
    endpoints.push({
      endpoint_id: known.id,
      url: known.url,
      state: wasAsked ? 'asked' : await stateThen(team, event, known, changes),
      status: known.status,
      created_at: timeOfId(known.id).toISOString(),
      deleted_at: known.deletedAt?.toISOString() ?? null,
      last_before: lastOf.get(known.id) ?? null,
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
  const { database } = team.platform;
  const rows = await deliveries.newestOfTeam(database, team, { leastId: leastIdSince(since), since, limit });
  const statuses = new Map((await endpointsOf(team)).map(({ id, status }) => [id, status]));
  return rows.map((row) => ({
    ...presentTo(statuses.get(row.endpoint_id) ?? 'disabled', row),
    endpoint_id: row.endpoint_id,
  }));
};
