import { isEventType } from '../../core/events.ts';
import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { runIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { EndpointStatus } from '../../db/generated/enums.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { listOf, oneOf, query, text, time, uuid } from '../../db/query.ts';
import type { RowOf } from '../../db/query.ts';
import { select } from '../../platform/keyset-list.ts';
import type { Team } from '../../platform/team.ts';
import type { WebhookEndpoint } from './schema.ts';

/** An endpoint as every read has it: without its secret. */
export interface EndpointRow extends WebhookEndpoint {
  /** The first failed attempt since the last success, creation or reactivation. */
  failing_since: string | null;
}

const columns = {
  id: true,
  url: true,
  events: true,
  status: true,
  apiVersion: true,
  description: true,
  createdAt: true,
  lastSuccessAt: true,
  failingSince: true,
} as const satisfies Prisma.WebhookEndpointSelect;

const readRow = (row: Prisma.WebhookEndpointGetPayload<{ select: typeof columns }>): EndpointRow => ({
  id: row.id,
  url: row.url,
  events: row.events.filter(isEventType),
  status: row.status,
  api_version: row.apiVersion,
  description: row.description,
  created_at: row.createdAt.toISOString(),
  last_success_at: row.lastSuccessAt?.toISOString() ?? null,
  failing_since: row.failingSince?.toISOString() ?? null,
});

const locked = {
  id: uuid,
  url: text,
  events: listOf(text),
  status: oneOf('endpoint_status', EndpointStatus),
  api_version: text,
  description: text.orNull,
  created_at: time,
  last_success_at: time.orNull,
  failing_since: time.orNull,
} as const;

const lock = (strength: 'no key update' | 'update') =>
  query({
    name: `webhooks.lock for ${strength}`,
    why: 'Prisma has no row locks',
    sql: `select ${select(locked)} from webhook_endpoint where tenant_id = :tenantId and id = :id for ${strength}`,
    parameters: { tenantId: uuid, id: uuid },
    row: locked,
  });

const lockToChange = lock('no key update');
const lockToDelete = lock('update');

const readLocked = (row: RowOf<typeof locked>): EndpointRow => ({ ...row, events: row.events.filter(isEventType) });

export const presentEndpoint = (row: WebhookEndpoint): WebhookEndpoint => ({
  id: row.id,
  url: row.url,
  events: row.events,
  status: row.status,
  api_version: row.api_version,
  description: row.description,
  created_at: row.created_at,
  last_success_at: row.last_success_at,
});

const keyOf = ({ id: tenantId }: Team, id: string) => ({ tenantId_id: { tenantId, id } });

/** The team's endpoints, newest first. */
export const endpointsOf = async ({ id: tenantId, platform }: Team): Promise<EndpointRow[]> => {
  const rows = await platform.database.prisma.webhookEndpoint.findMany({
    where: { tenantId },
    select: columns,
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
  return rows.map(readRow);
};

const noEndpoint = () => fail('not_found', { detail: 'The team has no such webhook endpoint.' });

/** An endpoint of the team, as it is right now. */
export const findEndpoint = async (team: Team, id: string): Promise<EndpointRow> => {
  const { webhookEndpoint } = team.platform.database.prisma;
  const row = isId(id) ? await webhookEndpoint.findUnique({ where: keyOf(team, id), select: columns }) : null;
  return row ? readRow(row) : noEndpoint();
};

/**
 * Locks an endpoint of the team until the transaction ends. Where the team is locked too, that comes before; what waits for
 * the endpoint and its deliveries come after: all writers take them in this order.
 */
export const lockEndpoint = async (
  tx: Tx,
  team: Team,
  id: string,
  strength: 'to change' | 'to delete' = 'to change',
): Promise<EndpointRow> => {
  const statement = strength === 'to delete' ? lockToDelete : lockToChange;
  const [row] = isId(id) ? await runIn(tx, statement, { tenantId: team.id, id }) : [];
  return row ? readLocked(row) : noEndpoint();
};

const feedLane = query({
  name: 'webhooks.feedLane',
  why: 'updates one of the rows, whichever is the first',
  sql: `update webhook_waiting set has_job = false
         where (tenant_id, delivery_id) in (
           select tenant_id, delivery_id from webhook_waiting
            where tenant_id = :tenantId and endpoint_id = :id order by due_at limit 1)`,
  parameters: { tenantId: uuid, id: uuid },
  row: {},
});

export const endpoints = {
  count: (tx: Tx, { id: tenantId }: Team) => tx.webhookEndpoint.count({ where: { tenantId } }),

  insert: (tx: Tx, { id: tenantId }: Team, row: Omit<Prisma.WebhookEndpointUncheckedCreateInput, 'tenantId'>) =>
    tx.webhookEndpoint.create({ data: { tenantId, ...row }, select: { id: true } }),

  update: (tx: Tx, team: Team, id: string, data: Prisma.WebhookEndpointUncheckedUpdateInput) =>
    tx.webhookEndpoint.update({ where: keyOf(team, id), data, select: { id: true } }),

  /** Any row will do: it brings the whole lane back. A lane of an endpoint that is not active has no job. */
  feedLane: (tx: Tx, { id: tenantId }: Team, id: string) => runIn(tx, feedLane, { tenantId, id }),

  remove: (tx: Tx, { id: tenantId }: Team, id: string) => tx.webhookEndpoint.deleteMany({ where: { tenantId, id } }),
};
