import { isPersonal, withoutPerson } from '../../core/events.ts';
import { leastIdSince, timeOfId, isId } from '../../core/ids.ts';
import { isRecord, RawJson } from '../../core/raw-json.ts';
import { fail } from '../../core/problem.ts';
import { rawOf } from '../../platform/free-form.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import { bodyOf, publicEventId } from '../../webhooks/message.ts';
import { attempts, deliveries } from './delivery-store.ts';
import type { DeliveryRow, SentRow } from './delivery-store.ts';
import type {
  Attempt,
  EndpointDeliveriesQuery,
  EndpointDelivery,
  OneDelivery,
  WebhookDelivery,
  WebhookEndpoint,
} from './schema.ts';
import { getEndpoint } from './service.ts';

export const presentDelivery = (row: DeliveryRow): WebhookDelivery => ({
  id: row.id,
  attempt: row.attempt,
  status: row.status,
  event_type: row.event_type,
  created_at: row.created_at,
  next_try_at: row.next_try_at,
  response_code: row.response_code,
  response_excerpt: row.response_excerpt,
  response_ms: row.response_ms,
  error: row.error,
});

/** Whether a delivery waits for its endpoint to be active again. Pings and retries by hand are sent to any endpoint. */
const isHeld = (endpointStatus: WebhookEndpoint['status'], { status, event_type, attempt }: DeliveryRow): boolean =>
  endpointStatus !== 'active' &&
  (status === 'failed' || (status === 'pending' && attempt === 0 && event_type !== 'ping'));

/** A delivery as the app shows it. */
export const presentTo = (endpointStatus: WebhookEndpoint['status'], row: DeliveryRow): EndpointDelivery => {
  const is_held = isHeld(endpointStatus, row);
  const delivery = { ...presentDelivery(row), event_id: publicEventId(row.event_id), is_held };
  return is_held ? { ...delivery, next_try_at: null } : delivery;
};

/** The newest deliveries to an endpoint. */
export const listDeliveries = async (
  team: Team,
  { endpoint_id, limit }: { endpoint_id: string; limit: number },
): Promise<WebhookDelivery[]> => {
  const { id } = await getEndpoint(team, endpoint_id);
  const rows = await deliveries.newest(team.platform.database, team, { endpointId: id, limit });
  return rows.map(presentDelivery);
};

/** The current state of a delivery. */
export const getDelivery = async (team: Team, id: string): Promise<OneDelivery> => {
  const row = isId(id) ? await deliveries.get(team.platform.database, team, id) : undefined;
  if (!row) return fail('not_found', { detail: 'The team has no such delivery.' });
  const { status } = await getEndpoint(team, row.endpoint_id);
  return { ...presentTo(status, row), endpoint_id: row.endpoint_id };
};

/** A page of all deliveries to an endpoint, newest first, also by status and event type. */
export const pageOfDeliveries = async (
  team: Team,
  { endpoint_id, status, event_type: type, since, until, ...wanted }: EndpointDeliveriesQuery,
): Promise<Page<EndpointDelivery>> => {
  const { id, status: endpointStatus } = await getEndpoint(team, endpoint_id);
  const page = await deliveries.page(team, { endpointId: id, status, type, since, until }, wanted);
  return {
    ...page,
    data: page.data.map((row) => presentTo(endpointStatus, row)),
  };
};

/** Retries by hand may add any number of attempts; only the newest are shown. */
const shown = 200;

/** The bodies that were sent, generated again: with member details, which the team may have hidden since, and without them. */
const bodiesSent = (team: Team, { event_id, event_type, api_version, event_at, data }: SentRow) => {
  // The time is null if the event was deleted because of its age.
  if (event_at === null || !isRecord(data)) return { whole: null, impersonal: null };
  const body = (shown: Record<string, unknown>) =>
    bodyOf({
      tenantId: team.id,
      eventId: event_id,
      type: event_type,
      createdAt: event_at,
      apiVersion: api_version,
      data: shown,
    });
  const isHidden = isPersonal(data) && !team.privacy.memberDetail;
  return { whole: isHidden ? null : body(data), impersonal: body(withoutPerson(data)) };
};

/** The attempts of a delivery, newest first. */
export const attemptsOf = async (team: Team, deliveryId: string): Promise<Attempt[]> => {
  const { database } = team.platform;
  const delivery = isId(deliveryId) ? await deliveries.withEvent(database, team, deliveryId) : undefined;
  const bodies = bodiesSent(
    team,
    delivery ?? fail('not_found', { detail: 'The team has no such delivery, or it is no longer kept.' }),
  );
  const bodyBytes = Buffer.byteLength(JSON.stringify(bodies.whole ?? bodies.impersonal));
  const leastId = leastIdSince(timeOfId(deliveryId));
  const rows = await attempts.newest(database, team, { deliveryId, leastId, limit: shown, bodyBytes });
  return rows.map((row) => ({
    id: row.id,
    number: row.number,
    manual: row.manual,
    started_at: row.started_at,
    url: row.url,
    request_headers: new RawJson(row.request_headers),
    request_body: row.member_detail ? bodies.whole : bodies.impersonal,
    response_code: row.response_code,
    response_headers: rawOf(row.response_headers),
    response_excerpt: row.response_excerpt,
    response_ms: row.response_ms,
    error: row.error,
  }));
};
