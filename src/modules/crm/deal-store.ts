import { snakeName } from '../../core/spelling.ts';
import { teamTimeZone } from '../../core/time-zone.ts';
import { runIn, type Database, type Tx } from '../../db/database.ts';
import { CrmDealOutcome } from '../../db/generated/enums.ts';
import { bool, float, int, jsonb, listOf, oneOf, query, text, time, uuid } from '../../db/query.ts';
import { keysetList } from '../../platform/keyset-list.ts';
import { teamTable } from '../../platform/team-table.ts';
import type { ConnectionKey } from './store.ts';

// The tables `crm_deal` and `crm_objection`.

/**
 * Rows of a synchronized table whose connection is active, which means not disconnected. The rows of each active
 * connection are read from an index that begins with the connection. So the rows of an inactive one are never read,
 * however many there are.
 */
const ofActiveConnections = (order: string) =>
  ({
    why: 'takes the next rows of each active connection by its own index',
    where: 'connection_id = connection.id',
    around: (page: string, limit: string) =>
      `select found.* from crm_connection as connection cross join lateral (${page}) as found
        where connection.tenant_id = :tenantId and connection.active
        order by ${order} limit ${limit}`,
  }) as const;

const newestFirst = {
  ...ofActiveConnections('found."createdAt" desc, found.id desc'),
  order: ['createdAt', 'id'],
  direction: 'desc',
} as const;

/** Rows that have changed since a time, in the order of their changes. */
const changedSince = {
  ...ofActiveConnections('found."updatedAt", found.id'),
  order: ['updatedAt', 'id'],
  direction: 'asc',
  filters: { updatedSince: { sql: 'updated_at >= :updatedSince', type: time, always: true } },
} as const;

/**
 * SQL for the size of a CRM's texts in an answer. It is doubled, because JSON escapes quotes and line breaks with two
 * bytes.
 */
const bytesOf = (columns: object): string =>
  `2 * (${Object.keys(columns)
    .map((column) => `coalesce(octet_length(${snakeName(column)}), 0)`)
    .join(' + ')})`;

const dealTexts = {
  externalId: text,
  title: text.orNull,
  amount: text.orNull,
  currency: text.orNull,
  pipelineId: text.orNull,
  stageId: text.orNull,
  lostReason: text.orNull,
} as const;

const dealRows = {
  from: 'crm_deal',
  columns: {
    id: uuid,
    connectionId: uuid,
    outcome: oneOf('crm_deal_outcome', CrmDealOutcome),
    closeDate: text.orNull,
    probability: int.orNull,
    industryId: uuid.orNull,
    ownerUserId: uuid.orNull,
    lastActivityAt: time.orNull,
    syncedAt: time.orNull,
    createdAt: time,
    updatedAt: time,
  },
  expressions: { closeDate: 'close_date::text' },
  bulk: { columns: dealTexts, bytes: bytesOf(dealTexts) },
} as const;

/** Deals of connections that are not disconnected, newest first, as the API lists them. */
export const dealList = keysetList({ ...dealRows, ...newestFirst, name: 'crm.deals', cursor: 'crm/deals' });

/**
 * SQL: the values by which the app orders deals, in the form that their indexes have. A deal without a value is below
 * all others.
 */
const dealOrders = {
  closeDate: { type: int.checked, value: "coalesce(close_date - '1970-01-01'::date, -1000000)" },
  amount: { type: float.checked, value: "coalesce(amount::float8, '-1e308'::float8)" },
} as const;

/** SQL: the day of a moment in the team's time zone. */
const dayOf = (moment: string): string => `(${moment}::timestamptz at time zone '${teamTimeZone}')::date`;

const dealFilters = {
  /** Each line of the parameter is the LIKE pattern of a word. */
  search: {
    sql: `(coalesce(title, '') || ' ' || external_id) ilike all(string_to_array(:search, chr(10)))`,
    type: text,
  },
  outcome: { sql: 'outcome = :outcome', type: oneOf('crm_deal_outcome', CrmDealOutcome) },
  connectionId: { sql: 'connection_id = :connectionId', type: uuid, isId: true },
  since: { sql: `close_date >= ${dayOf(':since')}`, type: time },
  until: { sql: `close_date < ${dayOf(':until')}`, type: time },
} as const;

const dealsBy = (by: keyof typeof dealOrders, direction: 'asc' | 'desc') =>
  keysetList({
    ...dealRows,
    ...ofActiveConnections(`found."sortedBy" ${direction}, found.id ${direction}`),
    name: `crm.deals by ${by} ${direction}`,
    cursor: `app crm/deals by ${by} ${direction}`,
    columns: { ...dealRows.columns, sortedBy: dealOrders[by].type },
    expressions: { ...dealRows.expressions, sortedBy: dealOrders[by].value },
    order: ['sortedBy', 'id'],
    direction,
    filters: dealFilters,
    counted: by === 'closeDate' && direction === 'desc',
  });

/** Deals of connections that are not disconnected, as the app lists them: by close date or amount, with filters. */
export const dealLists = {
  closeDate: { asc: dealsBy('closeDate', 'asc'), desc: dealsBy('closeDate', 'desc') },
  amount: { asc: dealsBy('amount', 'asc'), desc: dealsBy('amount', 'desc') },
};

export const dealChanges = keysetList({
  ...dealRows,
  ...changedSince,
  name: 'crm.dealChanges',
  cursor: 'changed crm/deals',
});

const objectionTexts = { category: text, text, lang: text } as const;

const objectionRows = {
  from: 'crm_objection',
  columns: { id: uuid, connectionId: uuid, dealId: uuid, dealTitle: text.orNull, createdAt: time, updatedAt: time },
  // The title is shortened, so that a page stays small.
  expressions: {
    dealTitle: `(select left(title, 200) from crm_deal as deal
                   where deal.tenant_id = :tenantId and deal.id = crm_objection.deal_id)`,
  },
  bulk: { columns: objectionTexts, bytes: bytesOf(objectionTexts) },
} as const;

/** Objections of connections that are not disconnected, newest first, each with the title of its deal. */
export const objectionList = keysetList({
  ...objectionRows,
  ...newestFirst,
  name: 'crm.objections',
  cursor: 'crm/objections',
  counted: true,
});

export const objectionChanges = keysetList({
  ...objectionRows,
  ...changedSince,
  name: 'crm.objectionChanges',
  cursor: 'changed crm/objections',
});

export const deals = {
  /** The number of deals and of objections of a connection. */
  counts: async ({ prisma }: Database, { tenantId, connectionId }: ConnectionKey) => {
    const where = { tenantId, connectionId };
    return { deals: await prisma.crmDeal.count({ where }), objections: await prisma.crmObjection.count({ where }) };
  },
};

// Writes of syncs and erasures

// The memberships that this statement finds stay locked until the deals are stored. If another transaction ends such a
// membership, one of the two waits for the other: either the deals are stored first, or the membership is not found. So
// the erasure of a person, which first ends the membership, finds all deals of that person.
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
                              pipeline_id, stage_id, industry_id, lost_reason, owner_user_id, last_activity_at, synced_at, created_at,
                              updated_at)
        select :tenantId::uuid, :connectionId::uuid, new_id, id, outcome, title, amount, currency, close_date, probability,
               pipeline_id, stage_id, industry_id, lost_reason, owner_user_id, last_activity_at, :now::timestamptz, :now::timestamptz,
               :changedAt::timestamptz
          from jsonb_to_recordset(:rows::jsonb) as deal (
                 new_id uuid, id text, outcome crm_deal_outcome, title text, amount text, currency text, close_date date,
                 probability smallint, pipeline_id text, stage_id text, industry_id uuid, lost_reason text,
                 owner_user_id uuid, last_activity_at timestamptz)
        on conflict (tenant_id, connection_id, external_id) do update
           set outcome = excluded.outcome, title = excluded.title, amount = excluded.amount, currency = excluded.currency,
               close_date = excluded.close_date, probability = excluded.probability, pipeline_id = excluded.pipeline_id,
               stage_id = excluded.stage_id, industry_id = excluded.industry_id, lost_reason = excluded.lost_reason,
               owner_user_id = excluded.owner_user_id, last_activity_at = excluded.last_activity_at,
               synced_at = excluded.synced_at, updated_at = excluded.updated_at
        returning true as put`,
  parameters: { tenantId: uuid, connectionId: uuid, now: time, changedAt: time, rows: jsonb },
  row: { put: bool.checked },
});

const putObjections = query({
  name: 'crm.putObjections',
  why: 'inserts or updates thousands of rows as one JSON text, each in one step',
  sql: `insert into crm_objection (tenant_id, connection_id, deal_id, id, external_id, category, text, lang, synced_at, created_at,
                                   updated_at)
        select deal.tenant_id, deal.connection_id, deal.id, new_id, objection.id, category, text, lang, :now::timestamptz,
               coalesce(objection.created_at, :now::timestamptz), :changedAt::timestamptz
          from jsonb_to_recordset(:rows::jsonb) as objection (
                 new_id uuid, id text, deal_id text, category text, text text, lang text, created_at timestamptz)
               join crm_deal as deal on deal.tenant_id = :tenantId and deal.connection_id = :connectionId
                                    and deal.external_id = objection.deal_id
        on conflict (tenant_id, deal_id, external_id) do update
           set category = excluded.category, text = excluded.text, lang = excluded.lang, synced_at = excluded.synced_at,
               updated_at = case when (crm_objection.category, crm_objection.text, crm_objection.lang)
                                      is distinct from (excluded.category, excluded.text, excluded.lang)
                                 then excluded.updated_at else crm_objection.updated_at end
        returning true as put`,
  parameters: { tenantId: uuid, connectionId: uuid, now: time, changedAt: time, rows: jsonb },
  row: { put: bool.checked },
});

interface SyncedBatch extends ConnectionKey {
  /** The start of the run. */
  now: Date;
  changedAt: Date;
  /** JSON: a list of rows. */
  rows: string;
}

const idsIn = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

/** Rows that the run that started at this time did not find in the CRM. */
const unseen = (seenAt: Date) => ({ OR: [{ syncedAt: null }, { syncedAt: { not: seenAt } }] });

/**
 * Which deals of a connection are deleted: all; those that the run that started at `seenAt` did not find in the CRM; or
 * those with these ids of the CRM. The objections of these deals are deleted, too, and with `seenAt` also those that
 * the run did not find.
 */
export type RemovedRows = { readonly seenAt: Date } | { readonly externalIds: string[] } | 'all';

const removedDeals = (which: RemovedRows) => {
  if (which === 'all') return {};
  return 'seenAt' in which ? unseen(which.seenAt) : { externalId: { in: which.externalIds } };
};

const removedObjections = (which: RemovedRows) => {
  if (which === 'all') return {};
  const ofDeals = { deal: removedDeals(which) };
  return 'seenAt' in which ? { OR: [unseen(which.seenAt), ofDeals] } : ofDeals;
};

export const syncedRows = {
  /** Finds users by email address, in its stored form, and industries by key or id. */
  match: (tx: Tx, wanted: { tenantId: string; emails: string[]; industries: string[] }) => runIn(tx, match, wanted),

  /** Inserts or updates deals and returns their number. */
  putDeals: async (tx: Tx, synced: SyncedBatch) => (await runIn(tx, putDeals, synced)).length,

  /** Inserts or updates objections and returns their number. Objections of deals that are not stored are left out. */
  putObjections: async (tx: Tx, synced: SyncedBatch) => (await runIn(tx, putObjections, synced)).length,

  /** Whether a connection has more than `max` deals or objections. */
  exceeds: async (tx: Tx, { tenantId, connectionId }: ConnectionKey, max: number) => {
    const counted = { where: { tenantId, connectionId }, take: max + 1 };
    return (await tx.crmDeal.count(counted)) > max || (await tx.crmObjection.count(counted)) > max;
  },

  /** Deletes some of these objections of a connection, and returns their ids. */
  removeObjections: async (tx: Tx, { tenantId, connectionId }: ConnectionKey, which: RemovedRows, take: number) => {
    const where = { tenantId, connectionId, ...removedObjections(which) };
    const ids = idsIn(await tx.crmObjection.findMany({ where, select: { id: true }, take }));
    await tx.crmObjection.deleteMany({ where: { tenantId, id: { in: ids } } });
    return ids;
  },

  /** Deletes some of these deals, and returns their ids. The deals must have no objections any more. */
  removeDeals: async (tx: Tx, { tenantId, connectionId }: ConnectionKey, which: RemovedRows, take: number) => {
    const where = { tenantId, connectionId, ...removedDeals(which) };
    const ids = idsIn(await tx.crmDeal.findMany({ where, select: { id: true }, take }));
    await tx.crmDeal.deleteMany({ where: { tenantId, id: { in: ids } } });
    return ids;
  },

  /** Removes the owner from some of a user's deals and returns their number. */
  leaveSome: async (
    tx: Tx,
    { tenantId, userId }: { tenantId: string; userId: string },
    { limit, updatedAt }: { limit: number; updatedAt: Date },
  ) => {
    const where = { tenantId, ownerUserId: userId };
    return (await tx.crmDeal.updateMany({ where, data: { ownerUserId: null, updatedAt }, limit })).count;
  },

  /** Notes that texts of these deals were replaced. */
  touchDeals: (tx: Tx, tenantId: string, ids: string[], updatedAt: Date) =>
    tx.crmDeal.updateMany({ where: { tenantId, id: { in: ids } }, data: { updatedAt } }),

  touchObjections: (tx: Tx, tenantId: string, ids: string[], updatedAt: Date) =>
    tx.crmObjection.updateMany({ where: { tenantId, id: { in: ids } }, data: { updatedAt } }),
};

/** Deals in the team's export and in the erasure of a person. */
export const dealData = teamTable({
  table: 'crm_deal',
  pageRows: 100,
  values: [
    'id',
    'connectionId',
    'outcome',
    'amount',
    'currency',
    'closeDate',
    'probability',
    'industryId',
    'ownerUserId',
  ],
  times: ['lastActivityAt', 'syncedAt', 'createdAt', 'updatedAt'],
  texts: ['title', 'lostReason', 'pipelineId', 'stageId'],
  names: ['externalId'],
});

export const objectionData = teamTable({
  table: 'crm_objection',
  pageRows: 100,
  values: ['id', 'dealId', 'connectionId'],
  times: ['syncedAt', 'createdAt', 'updatedAt'],
  texts: ['category', 'text', 'lang'],
  names: ['externalId'],
});
