import { days, later } from '../../core/clock.ts';
import { leastIdSince, timeOfId } from '../../core/id-time.ts';
import { isId } from '../../core/ids.ts';
import { isRecord } from '../../core/is-record.ts';
import { fail } from '../../core/problem.ts';
import { RawJson } from '../../core/raw-json.ts';
import { DeliveryStatus } from '../../db/generated/enums.ts';
import { bigint, bool, day, int, json, oneOf, query, text, time, uuid } from '../../db/query.ts';
import type { RowOf } from '../../db/query.ts';
import { rawOf } from '../../platform/free-form.ts';
import { withinBudget } from '../../platform/page-budget.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import { walkList } from '../../platform/walk-list.ts';
import { bodyOf, publicEventId } from '../../webhooks/message.ts';
import type {
  Attempt,
  Day,
  EndpointDeliveriesQuery,
  EndpointDelivery,
  OneDelivery,
  WebhookDelivery,
} from './schema.ts';
import { findEndpoint } from './store.ts';

/** A delivery's row, as every read selects it. */
export const deliveryRow = {
  id: uuid,
  endpoint_id: uuid,
  event_id: uuid,
  attempt: int,
  status: oneOf('delivery_status', DeliveryStatus),
  event_type: text,
  created_at: time,
  next_try_at: time.orNull,
  response_code: int.orNull,
  response_excerpt: text.orNull,
  response_ms: int.orNull,
  error: text.orNull,
} as const;

type DeliveryRow = RowOf<typeof deliveryRow>;

export const deliveryColumns = Object.keys(deliveryRow).join(', ');

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

/**
 * The endpoint stands as a range and in the order, so that only the index by endpoint gives that order: a team's other endpoints
 * may have had a million deliveries since its last one. And it stands as a subquery, so that the planner ignores how many deliveries
 * it had: it would read and sort them all.
 */
const asked = '(select :endpointId::uuid)';

const newest = query({
  name: 'webhooks.newestDeliveries',
  why: 'is written for one index, which Prisma can not choose',
  sql: `select ${deliveryColumns} from webhook_delivery
         where tenant_id = :tenantId and endpoint_id >= ${asked} and (endpoint_id, id) < (${asked}, :below) and id < :below
         order by endpoint_id desc, id desc limit :limit`,
  parameters: { tenantId: uuid, endpointId: uuid, below: uuid, limit: bigint },
  row: deliveryRow,
});

const beyondAll = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The newest deliveries to an endpoint. */
export const listDeliveries = async (
  team: Team,
  { endpoint_id, limit }: { endpoint_id: string; limit: number },
): Promise<WebhookDelivery[]> => {
  const { id } = await findEndpoint(team, endpoint_id);
  const { database } = team.platform;
  const rows = await database.run(newest, { tenantId: team.id, endpointId: id, below: beyondAll, limit });
  return rows.map(presentDelivery);
};

// A deleted endpoint takes its deliveries out of every answer.
const one = query({
  name: 'webhooks.delivery',
  why: 'looks whether the endpoint is there; no relation says so, since endpoints are deleted before their deliveries',
  sql: `select ${deliveryColumns} from webhook_delivery
         where tenant_id = :tenantId and id = :id
           and exists (select 1 from webhook_endpoint where tenant_id = :tenantId and id = webhook_delivery.endpoint_id)`,
  parameters: { tenantId: uuid, id: uuid },
  row: deliveryRow,
});

/** A delivery of the team, as it is right now. */
export const getDelivery = async (team: Team, id: string): Promise<OneDelivery> => {
  const [row] = isId(id) ? await team.platform.database.run(one, { tenantId: team.id, id }) : [];
  if (!row) return fail('not_found', { detail: 'The team has no such delivery.' });
  return { ...presentDelivery(row), event_id: publicEventId(row.event_id), endpoint_id: row.endpoint_id };
};

const paged = walkList({
  name: 'webhooks.pageOfDeliveries',
  why: 'ends after a number of rows, however few of them pass the filter',
  table: 'webhook_delivery',
  columns: deliveryRow,
  common: { endpoint_id: ':endpointId::uuid' },
  below: { id: ':below::uuid' },
  // Days that are later have none.
  also: 'id < :below',
  filter: '(:status::delivery_status is null or status = :status) and (:type::text is null or event_type = :type)',
  parameters: {
    endpointId: uuid,
    below: uuid,
    status: oneOf('delivery_status', DeliveryStatus).orNull,
    type: text.orNull,
  },
});

/** A page of all deliveries to an endpoint, newest first; also by status and event type, looking only so far for what is rare. */
export const pageOfDeliveries = async (
  team: Team,
  { endpoint_id, status, event_type: type, ...wanted }: EndpointDeliveriesQuery,
): Promise<Page<EndpointDelivery>> => {
  const { id } = await findEndpoint(team, endpoint_id);
  const page = await paged(team, {
    cursorOf: `deliveries&${id}&${status ?? ''}&${type ?? ''}`,
    query: wanted,
    start: [beyondAll],
    parameters: ([below = beyondAll]) => ({ endpointId: id, below, status: status ?? null, type: type ?? null }),
  });
  return {
    ...page,
    data: page.data.map((row) => ({ ...presentDelivery(row), event_id: publicEventId(row.event_id) })),
  };
};

const sent = query({
  name: 'webhooks.sent',
  why: 'joins endpoint and event, which may be gone: no relation says so',
  sql: `select d.event_id, d.event_type, e.api_version, v.created_at as event_at, v.data
          from webhook_delivery d
          join webhook_endpoint e on e.tenant_id = d.tenant_id and e.id = d.endpoint_id
          left join webhook_event v on v.tenant_id = d.tenant_id and v.id = d.event_id
         where d.tenant_id = :tenantId and d.id = :deliveryId`,
  parameters: { tenantId: uuid, deliveryId: uuid },
  row: { event_id: uuid, event_type: text, api_version: text, event_at: time.orNull, data: json.orNull },
});

type Sent = RowOf<(typeof sent)['row']>;

/** By hand there is no end to them; the newest tell enough. */
const shown = 200;

const plain = 'id, number, manual, started_at, url, response_code, response_excerpt, response_ms, error';

// Headers of a receiver and the body, which each attempt repeats, may come to 30 kB: so many as fit into a page are shown.
const attempts = query({
  name: 'webhooks.attempts',
  why: 'ends where the page has enough bytes, and gives JSON as text',
  sql: withinBudget({
    page: `select ${plain}, request_headers, response_headers
             from webhook_attempt
            where tenant_id = :tenantId and delivery_id = :deliveryId and id >= :leastId
            order by number desc, id desc limit :limit`,
    order: 'number desc, id desc',
    columns: `${plain}, request_headers::text, response_headers::text`,
    bytes: `:bodyBytes::int + octet_length(request_headers::text) + coalesce(octet_length(response_headers::text), 0)
              + json_bytes(response_excerpt) + json_bytes(url)`,
  }),
  parameters: { tenantId: uuid, deliveryId: uuid, leastId: uuid, limit: bigint, bodyBytes: int },
  row: {
    id: uuid,
    number: int,
    manual: bool,
    started_at: time,
    url: text,
    response_code: int.orNull,
    response_excerpt: text.orNull,
    response_ms: int.orNull,
    error: text.orNull,
    request_headers: text.checked,
    response_headers: text.orNull,
  },
});

/** What an event's data tells of a single person. */
const isPersonal = (data: Record<string, unknown>): boolean => 'user_id' in data || 'score' in data;

/** The body that was sent, made again as every attempt makes it. */
const bodySent = (team: Team, { event_id, event_type, api_version, event_at, data }: Sent): string | null => {
  // Null where the event was cut by age.
  if (event_at === null || !isRecord(data)) return null;
  if (isPersonal(data) && !team.privacy.memberDetail) return null;
  return bodyOf({
    tenantId: team.id,
    eventId: event_id,
    type: event_type,
    createdAt: event_at,
    apiVersion: api_version,
    data,
  });
};

/** The attempts to send a delivery, the last one first. */
export const attemptsOf = async (team: Team, deliveryId: string): Promise<Attempt[]> => {
  const { database } = team.platform;
  const [delivery] = isId(deliveryId) ? await database.run(sent, { tenantId: team.id, deliveryId }) : [];
  const request_body = bodySent(
    team,
    delivery ?? fail('not_found', { detail: 'The team has no such delivery, or it is no longer kept.' }),
  );
  const bodyBytes = Buffer.byteLength(JSON.stringify(request_body));
  const leastId = leastIdSince(timeOfId(deliveryId));
  const rows = await database.run(attempts, { tenantId: team.id, deliveryId, leastId, limit: shown, bodyBytes });
  return rows.map((row) => ({
    id: row.id,
    number: row.number,
    manual: row.manual,
    started_at: row.started_at,
    url: row.url,
    request_headers: new RawJson(row.request_headers),
    request_body,
    response_code: row.response_code,
    response_headers: rawOf(row.response_headers),
    response_excerpt: row.response_excerpt,
    response_ms: row.response_ms,
    error: row.error,
  }));
};

const counted = query({
  name: 'webhooks.days',
  why: 'the sum of milliseconds may be beyond an integer: the mean is computed from it',
  sql: `select day::text as day, delivered, failed, round(total_ms::numeric / nullif(delivered + failed, 0))::int as mean_ms,
               case when delivered + failed > 0 then slowest_ms end as slowest_ms
          from webhook_endpoint_day where tenant_id = :tenantId and endpoint_id = :endpointId and day >= :first::date`,
  parameters: { tenantId: uuid, endpointId: uuid, first: day },
  row: { day: text.checked, delivered: int, failed: int, mean_ms: int.orNull, slowest_ms: int.orNull },
});

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

const quiet = (date: string): Day => ({ day: date, delivered: 0, failed: 0, mean_ms: null, slowest_ms: null });

/** What the attempts of each of the last days (UTC) came to, today's last. */
export const daysOf = async (
  team: Team,
  { endpoint_id, days: wanted }: { endpoint_id: string; days: number },
): Promise<Day[]> => {
  const { database, clock } = team.platform;
  const { id } = await findEndpoint(team, endpoint_id);
  const now = clock.now();
  const shown = Array.from({ length: wanted }, (_, at) => dayOf(later(now, -days(wanted - 1 - at))));
  const rows = await database.run(counted, { tenantId: team.id, endpointId: id, first: shown[0] ?? dayOf(now) });
  const known = new Map(rows.map((row) => [row.day, row]));
  return shown.map((date) => known.get(date) ?? quiet(date));
};
