import { runIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import { CrmDealOutcome } from '../../db/generated/enums.ts';
import { bigint, bool, int, jsonb, listOf, oneOf, query, text, time, uuid } from '../../db/query.ts';
import { keysetList } from '../../platform/keyset-list.ts';
import { deleteSome, teamTable } from '../../platform/team-table.ts';

// The tables `crm_deal` and `crm_objection`.

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

/** Objections of those deals, newest first. */
export const objectionList = keysetList({
  name: 'crm.objections',
  why,
  cursor: 'crm/objections',
  columns: { id: uuid, connection_id: uuid, deal_id: uuid, created_at: time },
  bulk: { columns: objectionTexts, bytes: bytesOf(objectionTexts) },
  order,
  direction: 'desc',
  sql: ofActiveConnections('crm_objection'),
});

// The memberships that it finds stay locked until the deals are stored. If another transaction ends such a membership, one of the two
// waits for the other: either the deals are stored first, or the membership is not found. So the erasure of a person, which first ends
// the membership, finds all deals of that person.
const match = query({
  name: 'crm.match',
  why: 'finds members and industries for all texts of a page in one round trip, and locks the members',
  sql: `select 'owner' as kind, wanted as text, found.user_id as id
          from unnest(:emails::text[]) as wanted
         cross join lateral (
           select user_id from (
             select member.user_id from member
              where member.tenant_id = :tenantId and member.email = wanted and member.status <> 'ended' and member.user_id is not null
                for share of member) as by_membership
           union all
           select user_id from (
             select member.user_id
               from person join team_user on team_user.tenant_id = :tenantId and team_user.person_id = person.id
                           join member on member.tenant_id = :tenantId and member.user_id = team_user.id and member.status <> 'ended'
              where person.email = wanted
                for share of member) as by_account
            limit 1) as found
        union all
        select 'industry', wanted, found.id
          from unnest(:industries::text[]) as wanted
         cross join lateral (
           select item.id from catalog_item as item
            where item.dimension = 'industry' and (item.tenant_id is null or item.tenant_id = :tenantId)
              and (item.key = wanted or item.id::text = wanted)
            order by item.id::text = wanted desc, item.tenant_id nulls last limit 1) as found`,
  parameters: { tenantId: uuid, emails: listOf(text), industries: listOf(text) },
  row: { kind: text.checked, text: text.checked, id: uuid.checked },
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
        returning true as put`,
  parameters: { tenantId: uuid, connectionId: uuid, now: time, rows: jsonb },
  row: { put: bool.checked },
});

const putObjections = query({
  name: 'crm.putObjections',
  why: 'inserts or updates thousands of rows as one JSON text, each in one step',
  sql: `insert into crm_objection (tenant_id, connection_id, deal_id, id, external_id, category, text, lang, synced_at, created_at)
        select deal.tenant_id, deal.connection_id, deal.id, objection.id, "externalId", category, text, lang, :now::timestamptz, "createdAt"
          from jsonb_to_recordset(:rows::jsonb) as objection (
                 id uuid, "externalId" text, "dealExternalId" text, category text, text text, lang text, "createdAt" timestamptz)
               join crm_deal as deal on deal.tenant_id = :tenantId and deal.connection_id = :connectionId
                                    and deal.external_id = "dealExternalId"
        on conflict (tenant_id, deal_id, external_id) do update
           set category = excluded.category, text = excluded.text, lang = excluded.lang, synced_at = excluded.synced_at
        returning true as put`,
  parameters: { tenantId: uuid, connectionId: uuid, now: time, rows: jsonb },
  row: { put: bool.checked },
});

const deleteObjectionsOf = query({
  name: 'crm.deleteObjectionsOfDeals',
  why: 'takes any number of ids in one prepared statement',
  sql: `delete from crm_objection where tenant_id = :tenantId and deal_id in (
          select id from crm_deal where tenant_id = :tenantId and connection_id = :connectionId and external_id = any (:ids::text[]))`,
  parameters: { tenantId: uuid, connectionId: uuid, ids: listOf(text) },
  row: {},
});

const deleteDeals = query({
  name: 'crm.deleteDeals',
  why: 'takes any number of ids in one prepared statement',
  sql: `delete from crm_deal
         where tenant_id = :tenantId and connection_id = :connectionId and external_id = any (:ids::text[]) returning true as gone`,
  parameters: { tenantId: uuid, connectionId: uuid, ids: listOf(text) },
  row: { gone: bool.checked },
});

const exceeds = (table: string) =>
  `(select count(*) > :most from (select from ${table} where tenant_id = :tenantId and connection_id = :connectionId limit :most + 1) as rows)`;

const countRows = query({
  name: 'crm.exceeds',
  why: 'counts no further than to a number',
  sql: `select ${exceeds('crm_deal')} or ${exceeds('crm_objection')} as exceeds`,
  parameters: { tenantId: uuid, connectionId: uuid, most: int },
  row: { exceeds: bool.checked },
});

/** Deletes objections that a run did not find in the CRM, or whose deal it did not find. */
const sweepObjections = deleteSome('crm.sweepObjections', 'crm_objection', {
  ids: `select objection.id
          from crm_objection as objection join crm_deal as deal on deal.tenant_id = :tenantId and deal.id = objection.deal_id
         where objection.tenant_id = :tenantId and objection.connection_id = :connectionId
           and (objection.synced_at is distinct from :seenAt or deal.synced_at is distinct from :seenAt)
         limit :most`,
  parameters: { connectionId: uuid, seenAt: time, most: bigint },
});

const sweepDeals = deleteSome('crm.sweepDeals', 'crm_deal', {
  ids: `select id from crm_deal
         where tenant_id = :tenantId and connection_id = :connectionId and synced_at is distinct from :seenAt limit :most`,
  parameters: { connectionId: uuid, seenAt: time, most: bigint },
});

interface Synced {
  tenantId: string;
  connectionId: string;
  now: Date;
  /** JSON: a list of rows. */
  rows: string;
}

interface Unseen {
  tenantId: string;
  connectionId: string;
  /** The start of the run. */
  seenAt: Date;
  most: number;
}

export const dealRows = {
  /** Finds users by email address, in its stored form, and industries by key or id. */
  match: (tx: Tx, wanted: { tenantId: string; emails: string[]; industries: string[] }) => runIn(tx, match, wanted),

  /** The titles of deals, by id. */
  titles: async ({ prisma }: Database, { tenantId, ids }: { tenantId: string; ids: string[] }) =>
    new Map(
      (await prisma.crmDeal.findMany({ where: { tenantId, id: { in: ids } }, select: { id: true, title: true } })).map(
        ({ id, title }) => [id, title],
      ),
    ),

  /** Inserts or updates deals and returns their number. */
  putDeals: async (tx: Tx, synced: Synced) => (await runIn(tx, putDeals, synced)).length,

  /** Inserts or updates objections and returns their number. Objections of deals that are not stored are left out. */
  putObjections: async (tx: Tx, synced: Synced) => (await runIn(tx, putObjections, synced)).length,

  /** Deletes deals, named by the CRM's ids, with their objections. Returns the number of deals. */
  deleteDeals: async (tx: Tx, deals: { tenantId: string; connectionId: string; ids: readonly string[] }) => {
    await runIn(tx, deleteObjectionsOf, deals);
    return (await runIn(tx, deleteDeals, deals)).length;
  },

  /** Whether a connection has more than `most` deals or objections. */
  exceeds: async (tx: Tx, wanted: { tenantId: string; connectionId: string; most: number }) =>
    (await runIn(tx, countRows, wanted))[0]?.exceeds === true,

  /** Deletes at most `most` objections that a run did not find in the CRM, or whose deal it did not find. Returns their number. */
  sweepObjections: async (tx: Tx, unseen: Unseen) => (await runIn(tx, sweepObjections, unseen))[0]?.gone ?? 0,

  /** The same for deals. Their objections must have been deleted before. */
  sweepDeals: async (tx: Tx, unseen: Unseen) => (await runIn(tx, sweepDeals, unseen))[0]?.gone ?? 0,
};

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

const leaveDeals = query({
  name: 'crm.leaveDeals',
  why: 'updates a bounded number of rows',
  sql: `with batch as materialized (
          select id from crm_deal where tenant_id = :tenantId and owner_user_id = :userId limit 1000),
        left_alone as (
          update crm_deal d set owner_user_id = null from batch where d.tenant_id = :tenantId and d.id = batch.id returning 1)
        select count(*)::int as count from left_alone`,
  parameters: { tenantId: uuid, userId: uuid },
  row: { count: int.checked },
});

/** Removes the owner from some of a user's deals and returns their number. */
export const leaveDealsOf = async (tx: Tx, key: { tenantId: string; userId: string }) =>
  (await runIn(tx, leaveDeals, key))[0]?.count ?? 0;
