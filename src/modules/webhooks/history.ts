import { impersonal, isPersonal } from '../../core/events.ts';
import { webhookMessages } from '../../core/messages/webhooks.ts';
import { isRecord } from '../../core/json.ts';
import { fail } from '../../core/problem.ts';
import type { Camel } from '../../core/spelling.ts';
import { endpointLimits } from '../../core/limits.ts';
import type { ListCount } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import { bodyOf, publicEventId } from '../../deliveries/message.ts';
import { deliveries, type DeliveryRow } from './delivery-store.ts';
import { attempts, type EventRow } from './history-store.ts';
import type {
  EndpointDeliveriesFilters,
  EndpointDeliveriesQuery,
  TeamDeliveriesQuery,
  WebhookEndpoint,
} from './schema.ts';
import { endpointsOf, findDelivery, findEvent, getEndpoint } from './service.ts';

/** A delivery as the public API shows it. */
export type Delivery = Omit<DeliveryRow, 'endpointId' | 'errorDe' | 'resumeStatus'>;

export const presentDelivery = ({
  endpointId: _endpoint,
  errorDe: _errorDe,
  resumeStatus: _resumeStatus,
  ...row
}: DeliveryRow): Delivery => ({
  ...row,
  eventId: publicEventId(row.eventId),
});

/**
 * Whether a delivery waits for its endpoint to be active again. The first attempt of a ping, and retries by hand, are
 * made whatever the endpoint's status.
 */
const isHeld = (
  endpointStatus: WebhookEndpoint['status'],
  { status, eventType, resumeStatus }: Pick<DeliveryRow, 'status' | 'eventType' | 'resumeStatus'>,
): boolean =>
  endpointStatus !== 'active' &&
  (status === 'failed' || (status === 'pending' && eventType !== 'ping' && resumeStatus === null));

/** A delivery as the app shows it. */
export const presentTo = (
  endpointStatus: WebhookEndpoint['status'],
  { endpointId: _endpoint, resumeStatus, ...row }: DeliveryRow,
) => {
  const held = isHeld(endpointStatus, { ...row, resumeStatus });
  const delivery = { ...row, eventId: publicEventId(row.eventId), isHeld: held };
  return held ? { ...delivery, nextTryAt: null } : delivery;
};

/** The newest deliveries to an endpoint. */
export const listDeliveries = async (
  team: Team,
  { endpointId, limit }: { endpointId: string; limit: number },
): Promise<Delivery[]> => {
  const { id } = await getEndpoint(team, endpointId);
  return (await deliveries.page(team, { endpointId: id }, { limit })).data.map(presentDelivery);
};

/**
 * Retries by hand may add any number of attempts, of up to 30 kB each with their bodies, so only the newest are shown.
 */
const { attemptsShown } = endpointLimits;

/** An id that no endpoint has. */
const noEndpointId = '00000000-0000-0000-0000-000000000000';

/** A page of the deliveries to all endpoints of the team, or to one of them, newest first. */
export const listTeamDeliveries = async (
  team: Team,
  { endpointId, status, eventType: type, since, ...wanted }: Camel<TeamDeliveriesQuery>,
) => {
  const endpointIds = (await endpointsOf(team)).map(({ id }) => id);
  const filters = { status, type, since };
  const page =
    endpointId === undefined
      ? await deliveries.pageOfTeam(team, { endpointIds, ...filters }, wanted)
      : await deliveries.page(
          team,
          { endpointId: endpointIds.find((id) => id === endpointId) ?? noEndpointId, ...filters },
          wanted,
        );
  return { ...page, data: page.data.map((row) => ({ ...presentDelivery(row), endpointId: row.endpointId })) };
};

/** A delivery with its newest attempts. */
export const readDelivery = async (team: Team, id: string) => {
  const { delivery, endpoint } =
    (await findDelivery(team, id)) ?? fail('not_found', { detail: webhookMessages.noDelivery });
  const rows = await attempts.newest(team.platform.database, team, id, attemptsShown);
  return {
    ...presentDelivery(delivery),
    endpointId: endpoint.id,
    attempts: rows.map(({ id: _id, errorDe: _errorDe, ...attempt }) => attempt),
  };
};

/** The current state of a delivery, as the app shows it. */
export const getDelivery = async (team: Team, id: string) => {
  const { delivery, endpoint } =
    (await findDelivery(team, id)) ?? fail('not_found', { detail: webhookMessages.noDelivery });
  return { ...presentTo(endpoint.status, delivery), endpointId: endpoint.id };
};

/** A page of all deliveries to an endpoint, newest first. They can be filtered by status and event type. */
export const pageOfDeliveries = async (
  team: Team,
  { endpointId, status, eventType: type, since, until, ...wanted }: Camel<EndpointDeliveriesQuery>,
) => {
  const { id, status: endpointStatus } = await getEndpoint(team, endpointId);
  const page = await deliveries.page(team, { endpointId: id, status, type, since, until }, wanted);
  return {
    ...page,
    data: page.data.map((row) => presentTo(endpointStatus, row)),
  };
};

/** How many deliveries to an endpoint match these filters. */
export const countDeliveries = async (
  team: Team,
  { endpointId, eventType: type, ...filters }: Camel<EndpointDeliveriesFilters>,
): Promise<ListCount> => {
  const { id } = await getEndpoint(team, endpointId);
  return deliveries.count(team, { endpointId: id, type, ...filters });
};

/**
 * The two bodies of an event, generated again: `whole` with its member details, or null if the team hides these, and
 * `impersonal` without them. Both are null if the event was deleted.
 */
export const bodiesOf = (team: Team, event: EventRow | undefined, apiVersion: string) => {
  const data: unknown = JSON.parse(event?.data ?? 'null');
  if (!event || !isRecord(data)) return { whole: null, impersonal: null };
  const { id: eventId, type, createdAt } = event;
  const body = (sent: Record<string, unknown>) =>
    bodyOf({ tenantId: team.id, eventId, type, createdAt: createdAt.toISOString(), apiVersion, data: sent });
  const isHidden = isPersonal(type, data) && !team.privacy.memberDetail;
  return { whole: isHidden ? null : body(data), impersonal: body(impersonal(type, data)) };
};

/** The attempts of a delivery, newest first. */
export const attemptsOf = async (team: Team, deliveryId: string) => {
  const { delivery, endpoint } =
    (await findDelivery(team, deliveryId)) ?? fail('not_found', { detail: webhookMessages.deliveryGone });
  const bodies = bodiesOf(team, await findEvent(team, delivery.eventId), endpoint.apiVersion);
  const rows = await attempts.newest(team.platform.database, team, deliveryId, attemptsShown);
  return rows.map((row) => ({ ...row, requestBody: row.memberDetail ? bodies.whole : bodies.impersonal }));
};
