import { isPersonal, withoutPerson } from '../../core/events.ts';
import { webhookMessages } from '../../core/messages/webhooks.ts';
import { isRecord } from '../../core/json.ts';
import { fail } from '../../core/problem.ts';
import type { ListCount, Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import { bodyOf, publicEventId } from '../../deliveries/message.ts';
import { deliveries, type DeliveryRow } from './delivery-store.ts';
import { attempts, type EventRow } from './history-store.ts';
import type {
  Attempt,
  EndpointDeliveriesFilters,
  EndpointDeliveriesQuery,
  EndpointDelivery,
  OneDelivery,
  WebhookDelivery,
  WebhookEndpoint,
} from './schema.ts';
import { findDelivery, findEvent, getEndpoint } from './service.ts';

export const presentDelivery = ({
  endpoint_id: _endpoint,
  event_id: _event,
  error_de: _errorDe,
  ...row
}: DeliveryRow): WebhookDelivery => row;

/** Whether a delivery waits for its endpoint to be active again. Pings and retries by hand are sent to any endpoint. */
const isHeld = (endpointStatus: WebhookEndpoint['status'], { status, event_type, attempt }: DeliveryRow): boolean =>
  endpointStatus !== 'active' &&
  (status === 'failed' || (status === 'pending' && attempt === 0 && event_type !== 'ping'));

/** A delivery as the app shows it. */
export const presentTo = (endpointStatus: WebhookEndpoint['status'], row: DeliveryRow): EndpointDelivery => {
  const is_held = isHeld(endpointStatus, row);
  const { event_id, error_de } = row;
  const delivery = { ...presentDelivery(row), error_de, event_id: publicEventId(event_id), is_held };
  return is_held ? { ...delivery, next_try_at: null } : delivery;
};

/** The newest deliveries to an endpoint. */
export const listDeliveries = async (
  team: Team,
  { endpoint_id, limit }: { endpoint_id: string; limit: number },
): Promise<WebhookDelivery[]> => {
  const { id } = await getEndpoint(team, endpoint_id);
  return (await deliveries.page(team, { endpointId: id }, { limit })).data.map(presentDelivery);
};

/** The current state of a delivery. */
export const getDelivery = async (team: Team, id: string): Promise<OneDelivery> => {
  const { delivery, endpoint } =
    (await findDelivery(team, id)) ?? fail('not_found', { detail: webhookMessages.noDelivery });
  return { ...presentTo(endpoint.status, delivery), endpoint_id: endpoint.id };
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

/** How many deliveries to an endpoint match these filters. */
export const countDeliveries = async (
  team: Team,
  { endpoint_id, event_type: type, ...filters }: EndpointDeliveriesFilters,
): Promise<ListCount> => {
  const { id } = await getEndpoint(team, endpoint_id);
  return deliveries.count(team, { endpointId: id, type, ...filters });
};

/** Retries by hand may add any number of attempts, of 30 kB each; only the newest are shown. */
const shown = 50;

/** The bodies that were sent, generated again: with member details, which the team may have hidden since, and without them. */
export const bodiesOf = (team: Team, event: EventRow | undefined, apiVersion: string) => {
  const data: unknown = JSON.parse(event?.data ?? 'null');
  if (!event || !isRecord(data)) return { whole: null, impersonal: null };
  const { id: eventId, type, createdAt } = event;
  const body = (sent: Record<string, unknown>) =>
    bodyOf({ tenantId: team.id, eventId, type, createdAt: createdAt.toISOString(), apiVersion, data: sent });
  const isHidden = isPersonal(data) && !team.privacy.memberDetail;
  return { whole: isHidden ? null : body(data), impersonal: body(withoutPerson(data)) };
};

/** The attempts of a delivery, newest first. */
export const attemptsOf = async (team: Team, deliveryId: string): Promise<Attempt[]> => {
  const { delivery, endpoint } =
    (await findDelivery(team, deliveryId)) ?? fail('not_found', { detail: webhookMessages.deliveryGone });
  const bodies = bodiesOf(team, await findEvent(team, delivery.event_id), endpoint.api_version);
  const rows = await attempts.newest(team.platform.database, team, deliveryId, shown);
  return rows.map(({ member_detail, ...row }) => ({
    ...row,
    request_body: member_detail ? bodies.whole : bodies.impersonal,
  }));
};
