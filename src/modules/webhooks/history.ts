import { z } from 'zod';
import { days, later } from '../../core/clock.ts';
import { leastIdSince, timeOfId } from '../../core/id-time.ts';
import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { RawJson } from '../../core/raw-json.ts';
import { statement } from '../../db/statement.ts';
import { rawOf } from '../../platform/free-form.ts';
import { withinBudget } from '../../platform/page-budget.ts';
import { walkPage } from '../../platform/paging.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import { walkSql } from '../../platform/walk-sql.ts';
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
export interface DeliveryRow extends WebhookDelivery {
  endpoint_id: string;
  event_id: string;
}

export const deliveryColumns =
  'id, endpoint_id, event_id, attempt, status, event_type, created_at, next_try_at, response_code, response_excerpt, response_ms, error';

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
 * may have had a million deliveries since its last one. And it stands as a question, so that no guess of how many deliveries
 * it had makes them all be read and sorted.
 */
const asked = '(select $2::uuid)';
const behind = `tenant_id = $1 and endpoint_id >= ${asked} and (endpoint_id, id) < (${asked}, $3) and id < $3`;
const newestFirst = 'order by endpoint_id desc, id desc';

const beyondAll = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const newest = statement<DeliveryRow, [tenantId: string, endpointId: string, below: string, limit: number]>(
  `select ${deliveryColumns} from webhook_delivery where ${behind} ${newestFirst} limit $4`,
);

/** The newest deliveries to an endpoint. */
export const listDeliveries = async (
  team: Team,
  { endpoint_id, limit }: { endpoint_id: string; limit: number },
): Promise<WebhookDelivery[]> => {
  const { id } = await findEndpoint(team, endpoint_id);
  return (await team.platform.database.rows(newest, team.id, id, beyondAll, limit)).map(presentDelivery);
};

// A deleted endpoint takes its deliveries out of every answer.
const one = statement<DeliveryRow, [tenantId: string, id: string]>(
  `select ${deliveryColumns} from webhook_delivery
    where tenant_id = $1 and id = $2
      and exists (select 1 from webhook_endpoint where tenant_id = $1 and id = webhook_delivery.endpoint_id)`,
);

/** A delivery of the team, as it is right now. */
export const getDelivery = async (team: Team, id: string): Promise<OneDelivery> => {
  const [row] = isId(id) ? await team.platform.database.rows(one, team.id, id) : [];
  if (!row) return fail('not_found', { detail: 'The team has no such delivery.' });
  return { ...presentDelivery(row), event_id: publicEventId(row.event_id), endpoint_id: row.endpoint_id };
};

const Position = z.tuple([z.uuid()]);

type Walked = (DeliveryRow | { id: null }) & { stopped_id: string | null };

const paged = statement<
  Walked,
  [tenantId: string, limit: number, endpointId: string, below: string, status: string | null, type: string | null]
>(
  walkSql({
    table: 'webhook_delivery',
    columns: deliveryColumns,
    common: { endpoint_id: '$3::uuid' },
    below: { id: '$4::uuid' },
    // Days that are later have none.
    also: 'id < $4',
    filter: '($5::delivery_status is null or status = $5) and ($6::text is null or event_type = $6)',
  }),
);

/** A page of all deliveries to an endpoint, newest first; also by status and event type, looking only so far for what is rare. */
export const pageOfDeliveries = async (
  team: Team,
  { endpoint_id, status, event_type: type, ...query }: EndpointDeliveriesQuery,
): Promise<Page<EndpointDelivery>> => {
  const { id } = await findEndpoint(team, endpoint_id);
  const page = await walkPage<DeliveryRow, [string]>(team, {
    list: `deliveries&${id}&${status ?? ''}&${type ?? ''}`,
    position: Position,
    query,
    walk: async ([below] = [beyondAll], most) => {
      const { database } = team.platform;
      const rows = await database.rows(paged, team.id, most, id, below, status ?? null, type ?? null);
      const stopped = rows[0]?.stopped_id ?? null;
      return {
        rows: rows.flatMap((row) => (row.id === null ? [] : [row])),
        stoppedAt: stopped === null ? undefined : [stopped],
      };
    },
    positionOf: (row) => [row.id],
  });
  return {
    ...page,
    data: page.data.map((row) => ({ ...presentDelivery(row), event_id: publicEventId(row.event_id) })),
  };
};

interface Sent {
  event_id: string;
  event_type: string;
  api_version: string;
  /** Null where the event was cut by age. */
  event_at: string | null;
  data: Record<string, unknown> | null;
}

const sent = statement<Sent, [tenantId: string, deliveryId: string]>(
  `select d.event_id, d.event_type, e.api_version, v.created_at as event_at, v.data
     from webhook_delivery d
     join webhook_endpoint e on e.tenant_id = d.tenant_id and e.id = d.endpoint_id
     left join webhook_event v on v.tenant_id = d.tenant_id and v.id = d.event_id
    where d.tenant_id = $1 and d.id = $2`,
);

/** By hand there is no end to them; the newest tell enough. */
const shown = 200;

interface AttemptRow extends Omit<Attempt, 'request_body' | 'request_headers' | 'response_headers'> {
  /** JSON, as the database writes it. */
  request_headers: string;
  response_headers: string | null;
}

const plain = 'id, number, manual, started_at, url, response_code, response_excerpt, response_ms, error';

// Headers of a receiver and the body, which each attempt repeats, may come to 30 kB: so many as fit into a page are shown.
const attempts = statement<
  AttemptRow,
  [tenantId: string, deliveryId: string, leastId: string, limit: number, bodyBytes: number]
>(
  withinBudget({
    page: `select ${plain}, request_headers, response_headers
             from webhook_attempt
            where tenant_id = $1 and delivery_id = $2 and id >= $3
            order by number desc, id desc limit $4`,
    order: 'number desc, id desc',
    columns: `${plain}, request_headers::text, response_headers::text`,
    bytes: `$5::int + octet_length(request_headers::text) + coalesce(octet_length(response_headers::text), 0)
              + json_bytes(response_excerpt) + json_bytes(url)`,
  }),
);

/** What an event's data tells of a single person. */
const isPersonal = (data: Record<string, unknown>): boolean => 'user_id' in data || 'score' in data;

/** The body that was sent, made again as every attempt makes it. */
const bodySent = (team: Team, { event_id, event_type, api_version, event_at, data }: Sent): string | null => {
  if (event_at === null || data === null) return null;
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
  const [delivery] = isId(deliveryId) ? await database.rows(sent, team.id, deliveryId) : [];
  const request_body = bodySent(
    team,
    delivery ?? fail('not_found', { detail: 'The team has no such delivery, or it is no longer kept.' }),
  );
  const bodyBytes = Buffer.byteLength(JSON.stringify(request_body));
  const least = leastIdSince(timeOfId(deliveryId));
  const rows = await database.rows(attempts, team.id, deliveryId, least, shown, bodyBytes);
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

const counted = statement<Day, [tenantId: string, endpointId: string, first: string]>(
  `select day::text as day, delivered, failed, round(total_ms::numeric / nullif(delivered + failed, 0))::int as mean_ms,
          case when delivered + failed > 0 then slowest_ms end as slowest_ms
     from webhook_endpoint_day where tenant_id = $1 and endpoint_id = $2 and day >= $3::date`,
);

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

const quiet = (day: string): Day => ({ day, delivered: 0, failed: 0, mean_ms: null, slowest_ms: null });

/** What the attempts of each of the last days (UTC) came to, today's last. */
export const daysOf = async (
  team: Team,
  { endpoint_id, days: wanted }: { endpoint_id: string; days: number },
): Promise<Day[]> => {
  const { database, clock } = team.platform;
  const { id } = await findEndpoint(team, endpoint_id);
  const now = clock.now();
  const shown = Array.from({ length: wanted }, (_, at) => dayOf(later(now, -days(wanted - 1 - at))));
  const rows = await database.rows(counted, team.id, id, shown[0] ?? dayOf(now));
  const known = new Map(rows.map((row) => [row.day, row]));
  return shown.map((day) => known.get(day) ?? quiet(day));
};
