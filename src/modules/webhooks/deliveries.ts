import { z } from 'zod';
import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { statement } from '../../db/statement.ts';
import { walkPage } from '../../platform/paging.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import { walkSql } from '../../platform/walk-sql.ts';
import { findEndpoint } from './endpoint-rows.ts';
import type { EndpointDeliveriesQuery, EndpointDelivery, OneDelivery } from './history-schema.ts';
import { publicEventId } from './message.ts';
import type { WebhookDelivery } from './schema.ts';

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
