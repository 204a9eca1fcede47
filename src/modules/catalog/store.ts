import { catalogLimits } from '../../core/limits.ts';
import { lockNumbers, takeLock } from '../../db/advisory-lock.ts';
import { runIn } from '../../db/database.ts';
import type { Database, Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { CatalogDimension } from '../../db/generated/enums.ts';
import { bool, int, jsonb, listOf, oneOf, query, text, time, uuid } from '../../db/query.ts';
import { teamTable } from '../../platform/team-table.ts';

// The tables `catalog_item`, `catalog_rule`, `team_policy_block` and `member_policy_block`.

// The effective policy, as SQL conditions on a row `item` of catalog_item. In all queries with them, `:tenantId` is the team and
// `:memberId` the member whose own policy counts too.

/** Whether the item is global or the team's own. */
const inReach = '(item.tenant_id is null or item.tenant_id = :tenantId::uuid)';

/** Whether the team can see the item. */
const visible = `(item.published and ${inReach})`;

/** Whether the team's policy allows the item: it does not block it. */
const releasedByTeam = `not exists (
  select from team_policy_block block where block.tenant_id = :tenantId::uuid and block.item_id = item.id)`;

/** Whether the member's own policy allows the item. It can only narrow the team's policy. */
const leftToMember = `not exists (
  select from member_policy_block block
   where block.tenant_id = :tenantId::uuid and block.member_id = :memberId::uuid and block.item_id = item.id)`;

/** Whether a row `rule` of catalog_rule applies to the team. */
const ruleCounts = '(rule.tenant_id is null or rule.tenant_id = :tenantId::uuid)';

/** Whether the team's admins manage the item: they manage all visible items, and the team's own unpublished ones. */
const manageable = `(item.tenant_id = :tenantId::uuid or (item.tenant_id is null and item.published))`;

const dimension = oneOf('catalog_dimension', CatalogDimension);

const entry = { id: uuid, dimension, name_de: text.orNull, name_en: text.orNull, icon: text.orNull } as const;
const entryColumns = 'item.id, item.dimension, item.name_de, item.name_en, item.icon';
const inOrder = 'order by item.dimension, item.position, item.id';

const withPolicy = 'leaves out what policies block: conditions on rows that are not there';

const ofTeam = query({
  name: 'catalog.ofTeam',
  why: withPolicy,
  sql: `select ${entryColumns} from catalog_item item where ${visible} and ${releasedByTeam} ${inOrder}`,
  parameters: { tenantId: uuid },
  row: entry,
});

const ofMember = query({
  name: 'catalog.ofMember',
  why: withPolicy,
  sql: `select ${entryColumns} from catalog_item item
         where ${visible} and ${releasedByTeam} and ${leftToMember} ${inOrder}`,
  parameters: { tenantId: uuid, memberId: uuid },
  row: entry,
});

const named = query({
  name: 'catalog.named',
  why: 'takes any number of ids in one prepared statement; Prisma plans a new text for each number',
  sql: `select ${entryColumns} from catalog_item item where item.id = any(:ids::uuid[]) and ${inReach}`,
  parameters: { tenantId: uuid, ids: listOf(uuid) },
  row: entry,
});

const methodology = query({
  name: 'catalog.methodology',
  why: withPolicy,
  sql: `select item.id from catalog_item item
         where item.id = :id and item.dimension = 'methodology' and ${visible} and ${releasedByTeam}`,
  parameters: { tenantId: uuid, id: uuid },
  row: { id: uuid },
});

const managedItem = {
  ...entry,
  key: text,
  published: bool,
  position: int,
  own: bool.checked,
  blocked: bool.checked,
} as const;

const managedSql = `
  select ${entryColumns}, item.key, item.published, item.position,
         item.tenant_id is not null as own, not (${releasedByTeam}) as blocked
    from catalog_item item where ${manageable}`;

const managed = query({
  name: 'catalog.managed',
  why: withPolicy,
  sql: `${managedSql} ${inOrder}`,
  parameters: { tenantId: uuid },
  row: managedItem,
});

const managedAmong = query({
  name: 'catalog.managedAmong',
  why: withPolicy,
  sql: `${managedSql} and item.id = any(:ids::uuid[])`,
  parameters: { tenantId: uuid, ids: listOf(uuid) },
  row: managedItem,
});

const ruled = (kind: 'only' | 'never', more: string): string =>
  `exists (select from catalog_rule rule where rule.situation_id = :situationId::uuid and rule.kind = '${kind}' and ${ruleCounts} and ${more})`;

const ofTheItem = 'rule.item_id = item.id';
const ofItsDimension = `exists (
  select from catalog_item other where other.id = rule.item_id and other.dimension = item.dimension)`;

// An `only` rule with an invisible item still restricts. The array is wrapped in a subquery so that the planner ignores its length:
// otherwise it would plan the statement anew at every execution.
const judge = query({
  name: 'catalog.judge',
  why: 'judges a combination by policies and rules in one round trip of POST /assignments',
  sql: `select item.id, item.dimension,
               ${releasedByTeam} and ${leftToMember} as released,
               not ${ruled('never', ofTheItem)}
                 and (${ruled('only', ofTheItem)} or not ${ruled('only', ofItsDimension)}) as fits
          from catalog_item item
         where item.id = any((select :ids::uuid[])::uuid[]) and ${visible}`,
  parameters: { tenantId: uuid, memberId: uuid, situationId: uuid.orNull, ids: listOf(uuid) },
  row: { id: uuid, dimension, released: bool.checked, fits: bool.checked },
});

const itemsOf = (kind: 'only' | 'never'): string =>
  `coalesce(array_agg(other.id::text order by other.position, other.id) filter (where rule.kind = '${kind}'), '{}')`;

// A bounded number of rules, whatever is stored: every member reads them each time their choices are shown.
const rules = `(
  (select * from catalog_rule where tenant_id is null limit ${catalogLimits.globalRulesInAnswer})
  union all
  (select * from catalog_rule where tenant_id = :tenantId::uuid limit ${catalogLimits.ownRules}))`;

// Includes rules about items that the member does not have: an `only` whose items are all gone still restricts.
const rulesOfMember = query({
  name: 'catalog.rulesOfMember',
  why: 'groups rules by situation and dimension, for the situations that policies leave',
  sql: `select rule.situation_id, other.dimension, bool_or(rule.kind = 'only') as restricted,
               ${itemsOf('only')} as only_ids, ${itemsOf('never')} as never_ids
          from ${rules} rule join catalog_item other on other.id = rule.item_id
         where exists (select from catalog_item item
                        where item.id = rule.situation_id and ${visible} and ${releasedByTeam} and ${leftToMember})
         group by rule.situation_id, other.dimension
         order by rule.situation_id, other.dimension`,
  parameters: { tenantId: uuid, memberId: uuid },
  row: {
    situation_id: uuid.checked,
    dimension,
    /** Whether the situation can be combined with only some items of the dimension. */
    restricted: bool.checked,
    only_ids: listOf(text).checked,
    never_ids: listOf(text).checked,
  },
});

const blockedSql = (table: string, more: string): string =>
  `select block.item_id as id from ${table} block join catalog_item item on item.id = block.item_id
    where block.tenant_id = :tenantId::uuid ${more} and ${manageable}
    order by item.dimension, item.position, item.id`;

const blockedByTeam = query({
  name: 'catalog.blockedByTeam',
  why: 'has the order of the items, which Prisma joins once for each column of the order',
  sql: blockedSql('team_policy_block', ''),
  parameters: { tenantId: uuid },
  row: { id: uuid },
});

const blockedByMember = query({
  name: 'catalog.blockedByMember',
  why: 'has the order of the items, which Prisma joins once for each column of the order',
  sql: blockedSql('member_policy_block', 'and block.member_id = :memberId::uuid'),
  parameters: { tenantId: uuid, memberId: uuid },
  row: { id: uuid },
});

const anyNumber = 'writes any number of rows in one prepared statement; Prisma plans a new text for each number';

const blockForTeam = query({
  name: 'catalog.blockForTeam',
  why: anyNumber,
  sql: `insert into team_policy_block (tenant_id, item_id, created_at)
        select :tenantId, item_id, :now from unnest(:items::uuid[]) as item_id`,
  parameters: { tenantId: uuid, items: listOf(uuid), now: time },
  row: {},
});

const releaseForTeam = query({
  name: 'catalog.releaseForTeam',
  why: anyNumber,
  sql: 'delete from team_policy_block where tenant_id = :tenantId and item_id = any (:items::uuid[])',
  parameters: { tenantId: uuid, items: listOf(uuid) },
  row: {},
});

const blockForMember = query({
  name: 'catalog.blockForMember',
  why: anyNumber,
  sql: `insert into member_policy_block (tenant_id, member_id, item_id, created_at)
        select :tenantId, :memberId, item_id, :now from unnest(:items::uuid[]) as item_id`,
  parameters: { tenantId: uuid, memberId: uuid, items: listOf(uuid), now: time },
  row: {},
});

const releaseForMember = query({
  name: 'catalog.releaseForMember',
  why: anyNumber,
  sql: `delete from member_policy_block
         where tenant_id = :tenantId and member_id = :memberId and item_id = any (:items::uuid[])`,
  parameters: { tenantId: uuid, memberId: uuid, items: listOf(uuid) },
  row: {},
});

const deleteRules = query({
  name: 'catalog.deleteRules',
  why: anyNumber,
  sql: 'delete from catalog_rule where id = any(:ids::uuid[])',
  parameters: { ids: listOf(uuid) },
  row: {},
});

const rewriteItems = query({
  name: 'catalog.rewriteItems',
  why: 'writes thousands of items as one JSON text, each with values of its own',
  sql: `update catalog_item item
           set name_de = wanted."nameDe", name_en = wanted."nameEn", icon = wanted.icon, published = wanted.published,
               position = wanted.position
          from jsonb_to_recordset(:rows::jsonb)
               as wanted (id uuid, "nameDe" text, "nameEn" text, icon text, published boolean, position int)
         where item.id = wanted.id`,
  parameters: { rows: jsonb },
  row: {},
});

export type EntryRow = Awaited<ReturnType<typeof catalogItems.ofTeam>>[number];
export type ManagedRow = Awaited<ReturnType<typeof catalogItems.managed>>[number];

interface Judged {
  tenantId: string;
  memberId: string;
  situationId: string | null;
  ids: string[];
}

export const catalogItems = {
  /** The items that the team's policy allows. */
  ofTeam: (database: Database, tenantId: string) => database.run(ofTeam, { tenantId }),

  /** Those of them that the member's own policy allows. */
  ofMember: (tx: Tx, tenantId: string, memberId: string) => runIn(tx, ofMember, { tenantId, memberId }),

  /** The items with these ids that are global or the team's own, published or not. */
  named: (database: Database, tenantId: string, ids: string[]) => database.run(named, { tenantId, ids }),

  isMethodology: async (tx: Tx, tenantId: string, id: string) =>
    (await runIn(tx, methodology, { tenantId, id })).length > 0,

  /** All items that the team's admins manage. */
  managed: (tx: Tx, tenantId: string) => runIn(tx, managed, { tenantId }),

  managedAmong: (tx: Tx, tenantId: string, ids: string[]) => runIn(tx, managedAmong, { tenantId, ids }),

  /** An owner's items as they are stored; null: the global ones. */
  ownedBy: (tx: Tx, tenantId: string | null) =>
    tx.catalogItem.findMany({ where: { tenantId }, orderBy: [{ position: 'asc' }, { id: 'asc' }] }),

  /** The global items and a team's own. */
  inReachOf: (tx: Tx, tenantId: string | null) =>
    tx.catalogItem.findMany({ where: tenantId === null ? { tenantId } : { OR: [{ tenantId }, { tenantId: null }] } }),

  globalKeys: (tx: Tx) =>
    tx.catalogItem.findMany({ where: { tenantId: null }, select: { dimension: true, key: true } }),

  countByDimension: (tx: Tx, tenantId: string) =>
    tx.catalogItem.groupBy({ by: ['dimension'], where: { tenantId }, _count: true }),

  insert: (tx: Tx, data: Prisma.CatalogItemUncheckedCreateInput) => tx.catalogItem.create({ data }),

  insertAll: (tx: Tx, data: Prisma.CatalogItemCreateManyInput[]) => tx.catalogItem.createMany({ data }),

  update: (tx: Tx, id: string, data: Prisma.CatalogItemUncheckedUpdateInput) =>
    tx.catalogItem.update({ where: { id }, data }),

  /** Writes the fields of items, from the JSON of a list of rows. */
  rewrite: (tx: Tx, rows: string) => runIn(tx, rewriteItems, { rows }),

  /** One transaction at a time changes the global catalog. */
  lockGlobal: (tx: Tx) => takeLock(tx, lockNumbers.globalCatalog),

  /** Visible items, each with whether the policies allow it to a member and whether it can be combined with the situation. */
  judge: (tx: Tx, judged: Judged) => runIn(tx, judge, judged),
};

export const catalogRules = {
  ofMember: (tx: Tx, tenantId: string, memberId: string) => runIn(tx, rulesOfMember, { tenantId, memberId }),

  /** An owner's rules with their items; null: the global ones. */
  withItems: (tx: Tx, tenantId: string | null) =>
    tx.catalogRule.findMany({
      where: { tenantId },
      include: { situation: true, item: true },
      orderBy: [
        { situation: { position: 'asc' } },
        { situationId: 'asc' },
        { item: { position: 'asc' } },
        { itemId: 'asc' },
      ],
    }),

  /** An owner's rules for these situations. */
  about: (tx: Tx, tenantId: string | null, situationIds: string[]) =>
    tx.catalogRule.findMany({ where: { tenantId, situationId: { in: situationIds } } }),

  /** The oldest rules of an owner for a situation. */
  ofSituation: (tx: Tx, rule: { situationId: string; tenantId: string | null }, most: number) =>
    tx.catalogRule.findMany({ where: rule, orderBy: { id: 'asc' }, take: most }),

  /** Whether a team has more than `most` rules of its own for one of these situations. */
  hasMoreThan: async (tx: Tx, tenantId: string, situationIds: string[], most: number) => {
    const crowded = await tx.catalogRule.groupBy({
      by: ['situationId'],
      where: { tenantId, situationId: { in: situationIds } },
      having: { situationId: { _count: { gt: most } } },
    });
    return crowded.length > 0;
  },

  count: (tx: Tx, tenantId: string) => tx.catalogRule.count({ where: { tenantId } }),

  insertAll: (tx: Tx, data: Prisma.CatalogRuleCreateManyInput[]) => tx.catalogRule.createMany({ data }),

  remove: (tx: Tx, ids: string[]) => runIn(tx, deleteRules, { ids }),
};

/** The items that the team's policy (null) or a member's own blocks. */
export const policyBlocks = {
  of: async (tx: Tx, tenantId: string, memberId: string | null) => {
    const rows = await (memberId === null
      ? runIn(tx, blockedByTeam, { tenantId })
      : runIn(tx, blockedByMember, { tenantId, memberId }));
    return rows.map(({ id }) => id);
  },

  insert: (tx: Tx, tenantId: string, memberId: string | null, { items, now }: { items: string[]; now: Date }) =>
    memberId === null
      ? runIn(tx, blockForTeam, { tenantId, items, now })
      : runIn(tx, blockForMember, { tenantId, memberId, items, now }),

  remove: (tx: Tx, tenantId: string, memberId: string | null, items: string[]) =>
    memberId === null
      ? runIn(tx, releaseForTeam, { tenantId, items })
      : runIn(tx, releaseForMember, { tenantId, memberId, items }),

  removeOfMember: (tx: Tx, tenantId: string, memberId: string) =>
    tx.memberPolicyBlock.deleteMany({ where: { tenantId, memberId } }),
};

/** The team's own catalog and its policies, as the team's export and the erasure of a person have them. */
export const itemData = teamTable({
  module: 'catalog',
  rows: 'from catalog_item',
  file: 'catalog_items.json',
  key: { id: 'uuid' },
  values: ['id', 'dimension', 'key', 'icon', 'published', 'position'],
  times: ['created_at'],
  texts: ['name_de', 'name_en'],
});

export const ruleData = teamTable({
  module: 'catalog',
  rows: 'from catalog_rule',
  file: 'catalog_rules.json',
  key: { id: 'uuid' },
  values: ['id', 'kind', 'situation_id', 'item_id'],
  times: ['created_at'],
});

export const teamPolicyData = teamTable({
  module: 'catalog',
  rows: 'from team_policy_block',
  file: 'team_policy.json',
  key: { item_id: 'uuid' },
  values: ['item_id'],
  times: ['created_at'],
});

export const memberPolicyData = teamTable({
  module: 'catalog',
  rows: 'from member_policy_block',
  file: 'member_policies.json',
  key: { member_id: 'uuid', item_id: 'uuid' },
  values: ['member_id', 'item_id'],
  times: ['created_at'],
});

export const removeMemberPolicies = async (tx: Tx, tenantId: string, memberIds: string[]): Promise<number> =>
  (await tx.memberPolicyBlock.deleteMany({ where: { tenantId, memberId: { in: memberIds } } })).count;
