import { newestFirst } from '../../platform/newest-first.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import type { CrmDeal, CrmObjection } from './schema.ts';

type PageOf<Item> = (team: Team, query: { cursor?: string | undefined; limit: number }) => Promise<Page<Item>>;

interface DealRow extends Omit<CrmDeal, 'owner_user_id'> {
  owner_user_id: string | null;
  created_at: string;
}

interface ObjectionRow extends CrmObjection {
  created_at: string;
}

/**
 * Rows of a synchronized table, as far as their connection is active. Each active connection gives its own newest, by its own
 * index: what an inactive one left behind is never read, however much it is.
 */
const ofActiveConnections = (table: string) => (conditions: string, columns: string) =>
  `select found.*
     from crm_connection as connection cross join lateral (
       select ${columns} from ${table}
        where tenant_id = $1 and connection_id = connection.id ${conditions}
        order by created_at desc, id desc limit $2) as found
    where connection.tenant_id = $1 and connection.active
    order by found.created_at desc, found.id desc limit $2`;

/** Texts of a CRM, which sets their length itself. What JSON escapes in them, quotes and line breaks, takes two bytes. */
const textsOf = (...columns: readonly string[]) => ({
  large: Object.fromEntries(columns.map((column) => [column, { column }])),
  bytes: `2 * (${columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + ')})`,
});

const deals = newestFirst<DealRow, 'created_at', never>({
  list: 'crm/deals',
  order: ['created_at', 'id'],
  at: 'created_at',
  bulk: {
    plain: [
      'id',
      'outcome',
      'close_date::text as close_date',
      'probability',
      'industry_id',
      'owner_user_id',
      'last_activity_at',
      'synced_at',
      'created_at',
    ],
    ...textsOf('external_id', 'title', 'amount', 'currency', 'pipeline_id', 'stage_id', 'lost_reason'),
  },
  sql: ofActiveConnections('crm_deal'),
});

const objections = newestFirst<ObjectionRow, 'created_at', never>({
  list: 'crm/objections',
  order: ['created_at', 'id'],
  at: 'created_at',
  bulk: { plain: ['id', 'deal_id', 'created_at'], ...textsOf('category', 'text', 'lang') },
  sql: ofActiveConnections('crm_objection'),
});

/** The deals that the team's active CRM connections brought in, the one first seen last at the top. */
export const listDeals: PageOf<CrmDeal> = deals;

/** The objections of those deals, newest first. */
export const listObjections: PageOf<CrmObjection> = objections;
