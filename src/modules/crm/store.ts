import { runIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { CrmDealOutcome } from '../../db/generated/enums.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { int, jsonb, oneOf, query, text, time, uuid } from '../../db/query.ts';
import { keysetList } from '../../platform/keyset-list.ts';

// The tables `crm_connection`, `crm_deal` and `crm_objection`.

/**
 * Rows of a synchronized table, as far as their connection is active. Each active connection gives its own newest, by its own
 * index: what an inactive one left behind is never read, however much it is.
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

/** SQL: the bytes of texts of a CRM, which sets their length itself. What JSON escapes in them, quotes and line breaks, takes two. */
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

/** Deals of active connections, the one first seen last at the top. */
export const dealList = keysetList({
  name: 'crm.deals',
  why,
  cursor: 'crm/deals',
  columns: {
    id: uuid,
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

/** Objections of those deals, newest first. */
export const objectionList = keysetList({
  name: 'crm.objections',
  why,
  cursor: 'crm/objections',
  columns: { id: uuid, deal_id: uuid, created_at: time },
  bulk: { columns: objectionTexts, bytes: bytesOf(objectionTexts) },
  order,
  direction: 'desc',
  sql: ofActiveConnections('crm_objection'),
});

const lock = query({
  name: 'crm.lockConnection',
  why: 'Prisma has no row locks',
  sql: 'select provider from crm_connection where tenant_id = :tenantId and id = :id for no key update',
  parameters: { tenantId: uuid, id: uuid },
  row: { provider: text },
});

const putDeals = query({
  name: 'crm.putDeals',
  why: 'inserts or updates thousands of rows as one JSON text, each in one step',
  sql: `insert into crm_deal (tenant_id, connection_id, id, external_id, outcome, title, amount, currency, close_date, probability,
                              pipeline_id, stage_id, industry_id, lost_reason, owner_user_id, last_activity_at, synced_at, created_at)
        select :tenantId::uuid, :connectionId::uuid, id, "externalId", outcome, title, amount, currency, "closeDate", probability,
               "pipelineId", "stageId", "industryId", "lostReason", "ownerUserId", "lastActivityAt",
               :now::timestamptz, "firstSeenAt"
          from jsonb_to_recordset(:rows::jsonb) as deal (
                 id uuid, "externalId" text, outcome crm_deal_outcome, title text, amount text, currency text, "closeDate" date,
                 probability smallint, "pipelineId" text, "stageId" text, "industryId" uuid, "lostReason" text,
                 "ownerUserId" uuid, "lastActivityAt" timestamptz, "firstSeenAt" timestamptz)
        on conflict (tenant_id, connection_id, external_id) do update
           set outcome = excluded.outcome, title = excluded.title, amount = excluded.amount, currency = excluded.currency,
               close_date = excluded.close_date, probability = excluded.probability, pipeline_id = excluded.pipeline_id,
               stage_id = excluded.stage_id, industry_id = excluded.industry_id, lost_reason = excluded.lost_reason,
               owner_user_id = excluded.owner_user_id, last_activity_at = excluded.last_activity_at,
               synced_at = excluded.synced_at
        returning id`,
  parameters: { tenantId: uuid, connectionId: uuid, now: time, rows: jsonb },
  row: { id: uuid },
});

const putObjections = query({
  name: 'crm.putObjections',
  why: 'inserts or updates thousands of rows as one JSON text, each in one step',
  sql: `insert into crm_objection (tenant_id, connection_id, deal_id, id, external_id, category, text, lang, created_at)
        select deal.tenant_id, deal.connection_id, deal.id, objection.id, "externalId", category, text, lang, "createdAt"
          from jsonb_to_recordset(:rows::jsonb) as objection (
                 id uuid, "externalId" text, "dealExternalId" text, category text, text text, lang text, "createdAt" timestamptz)
               join crm_deal as deal on deal.tenant_id = :tenantId and deal.connection_id = :connectionId
                                    and deal.external_id = "dealExternalId"
        on conflict (tenant_id, deal_id, external_id) do update
           set category = excluded.category, text = excluded.text, lang = excluded.lang
        returning id`,
  parameters: { tenantId: uuid, connectionId: uuid, rows: jsonb },
  row: { id: uuid },
});

interface Synced {
  tenantId: string;
  connectionId: string;
  /** JSON: a list of rows. */
  rows: string;
}

export const connections = {
  insert: (tx: Tx, data: Prisma.CrmConnectionUncheckedCreateInput) => tx.crmConnection.create({ data }),

  /** Locks a connection: of two syncs one waits for the other, so that they can't wait for each other's rows. */
  lock: async (tx: Tx, tenantId: string, id: string) => (await runIn(tx, lock, { tenantId, id }))[0],

  update: (tx: Tx, tenantId: string, id: string, data: Prisma.CrmConnectionUncheckedUpdateInput) =>
    tx.crmConnection.update({ where: { tenantId_id: { tenantId, id } }, data }),

  /** Inserts or updates deals; how many there were. */
  putDeals: async (tx: Tx, synced: Synced & { now: Date }) => (await runIn(tx, putDeals, synced)).length,

  /** Inserts or updates objections, without those of deals that are not known; how many there were. */
  putObjections: async (tx: Tx, synced: Synced) => (await runIn(tx, putObjections, synced)).length,
};
