import { isId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import { rowsIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Team } from '../../platform/team.ts';
import type { WebhookEndpoint } from './schema.ts';

/** An endpoint's row, as every read selects it: without its secret. */
export interface EndpointRow extends WebhookEndpoint {
  /** The first failed attempt since the last success, creation or reactivation. */
  failing_since: string | null;
}

const columns = 'id, url, events, status, api_version, description, created_at, last_success_at, failing_since';

const all = statement<EndpointRow, [tenantId: string]>(
  `select ${columns} from webhook_endpoint where tenant_id = $1 order by created_at desc, id desc`,
);
const one = `select ${columns} from webhook_endpoint where tenant_id = $1 and id = $2`;
const read = statement<EndpointRow, [tenantId: string, id: string]>(one);
const lockToChange = statement<EndpointRow, [tenantId: string, id: string]>(`${one} for no key update`);
const lockToDelete = statement<EndpointRow, [tenantId: string, id: string]>(`${one} for update`);

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

export const endpointsOf = (team: Team): Promise<EndpointRow[]> => team.platform.database.rows(all, team.id);

/** An endpoint of the team, as it is right now. */
export const findEndpoint = async (team: Team, id: string): Promise<EndpointRow> => {
  const [row] = isId(id) ? await team.platform.database.rows(read, team.id, id) : [];
  return row ?? fail('not_found', { detail: 'The team has no such webhook endpoint.' });
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
  const lock = strength === 'to delete' ? lockToDelete : lockToChange;
  const [row] = isId(id) ? await rowsIn(tx, lock, team.id, id) : [];
  return row ?? fail('not_found', { detail: 'The team has no such webhook endpoint.' });
};
