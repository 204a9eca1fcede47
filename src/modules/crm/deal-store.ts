import type { Database } from '../../db/database.ts';
import { CrmDealOutcome } from '../../db/generated/enums.ts';
import { int, oneOf, text, time, uuid } from '../../db/query.ts';
import { keysetList } from '../../platform/keyset-list.ts';
import { teamTable } from '../../platform/team-table.ts';
import type { ConnectionKey } from './store.ts';

// Reads of the tables `crm_deal` and `crm_objection`. sync-store.ts writes them.

/**
 * Rows of a synchronized table whose connection is active, which means not disconnected. The newest rows are read for each active
 * connection from its own index, so the rows that an inactive one left behind are never read, however many there are.
 */
const ofActiveConnections =
  (table: string) =>
  ({ columns, conditions, limit }: { columns: string; conditions: string; limit: string }) =>
    `select found.*
       from crm_connection as connection cross join lateral (
         select ${columns} from ${table}
          where tenant_id = :tenantId and connection_id = connection.id ${conditions}
          order by created_at desc, id desc limit ${limit}) as found
      where connection.tenant_id = :tenantId and connection.active
      order by found.created_at desc, found.id desc limit ${limit}`;

/** SQL for the size of a CRM's texts in an answer. It is doubled, because JSON escapes quotes and line breaks with two bytes. */
const bytesOf = (columns: object): string =>
  `2 * (${Object.keys(columns)
    .map((column) => `coalesce(octet_length(${column}), 0)`)
    .join(' + ')})`;

const why = 'takes the newest of each active connection by its own index';

const order = [
  ['created_at', 'created_at'],
  ['id', 'id'],
] as const;

const dealTexts = {
  external_id: text,
  title: text.orNull,
  amount: text.orNull,
  currency: text.orNull,
  pipeline_id: text.orNull,
  stage_id: text.orNull,
  lost_reason: text.orNull,
} as const;

/** Deals of connections that are not disconnected, newest first. */
export const dealList = keysetList({
  name: 'crm.deals',
  why,
  cursor: 'crm/deals',
  columns: {
    id: uuid,
    connection_id: uuid,
    outcome: oneOf('crm_deal_outcome', CrmDealOutcome),
    close_date: text.orNull,
    probability: int.orNull,
    industry_id: uuid.orNull,
    owner_user_id: uuid.orNull,
    last_activity_at: time.orNull,
    synced_at: time.orNull,
    created_at: time,
  },
  expressions: { close_date: 'close_date::text' },
  bulk: { columns: dealTexts, bytes: bytesOf(dealTexts) },
  order,
  direction: 'desc',
  sql: ofActiveConnections('crm_deal'),
});

const objectionTexts = { category: text, text, lang: text } as const;

/** Objections of those deals, newest first, each with the title of its deal. */
export const objectionList = keysetList({
  name: 'crm.objections',
  why,
  cursor: 'crm/objections',
  columns: { id: uuid, connection_id: uuid, deal_id: uuid, deal_title: text.orNull, created_at: time },
  // Shortened, so that a page stays small.
  expressions: {
    deal_title: `(select left(title, 200) from crm_deal as deal
                   where deal.tenant_id = crm_objection.tenant_id and deal.id = crm_objection.deal_id)`,
  },
  bulk: { columns: objectionTexts, bytes: bytesOf(objectionTexts) },
  order,
  direction: 'desc',
  sql: ofActiveConnections('crm_objection'),
});

export const deals = {
  /** The number of deals and of objections of a connection. */
  counts: async ({ prisma }: Database, { tenantId, connectionId }: ConnectionKey) => {
    const where = { tenantId, connectionId };
    return { deals: await prisma.crmDeal.count({ where }), objections: await prisma.crmObjection.count({ where }) };
  },
};

/** Deals in the team's export and in the erasure of a person. */
export const dealData = teamTable({
  module: 'crm',
  rows: 'from crm_deal',
  file: 'crm_deals.json',
  key: { id: 'uuid' },
  pageRows: 100,
  values: [
    'id',
    'connection_id',
    'outcome',
    'amount',
    'currency',
    'close_date',
    'probability',
    'industry_id',
    'owner_user_id',
  ],
  times: ['last_activity_at', 'synced_at', 'created_at'],
  texts: ['title', 'lost_reason', 'pipeline_id', 'stage_id'],
  names: ['external_id'],
});

export const objectionData = teamTable({
  module: 'crm',
  rows: 'from crm_objection',
  file: 'crm_objections.json',
  key: { id: 'uuid' },
  pageRows: 100,
  values: ['id', 'deal_id', 'connection_id'],
  times: ['synced_at', 'created_at'],
  texts: ['category', 'text', 'lang'],
  names: ['external_id'],
});
