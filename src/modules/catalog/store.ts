import { takeLock } from '../../db/advisory-lock.ts';
import { lockNumbers } from '../../db/lock-numbers.ts';
import { runLater, writeLater, type Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { CatalogDimension } from '../../db/generated/enums.ts';
import { bool, listOf, oneOf, query, uuid, type ParametersOf } from '../../db/query.ts';
import { teamTable } from '../../platform/team-table.ts';

// The tables `catalog_item`, `catalog_rule`, `team_policy_block` and `member_policy_block`.

/** The global items or rules, and the team's own. */
const inReach = (tenantId: string) => ({ OR: [{ tenantId: null }, { tenantId }] });

/** The items that a team's policy allows. */
const ofTeam = (tenantId: string) =>
  ({
    published: true,
    ...inReach(tenantId),
    teamBlocks: { none: { tenantId } },
  }) satisfies Prisma.CatalogItemWhereInput;

/**
 * The items that both the team's policy and the member's own policy allow; a member's policy can only block more. Null:
 * the items that the team's policy allows.
 */
const ofMember = (tenantId: string, memberId: string | null) => ({
  ...ofTeam(tenantId),
  ...(memberId !== null && { memberBlocks: { none: { tenantId, memberId } } }),
});

/** The items that a team's admins manage: all visible items, and the team's own unpublished ones. */
const managed = (tenantId: string) =>
  ({ OR: [{ tenantId }, { tenantId: null, published: true }] }) satisfies Prisma.CatalogItemWhereInput;

const entryColumns = {
  id: true,
  dimension: true,
  nameDe: true,
  nameEn: true,
  icon: true,
} satisfies Prisma.CatalogItemSelect;

export type EntryRow = Prisma.CatalogItemGetPayload<{ select: typeof entryColumns }>;

const managedColumns = (tenantId: string) =>
  ({
    ...entryColumns,
    key: true,
    published: true,
    position: true,
    tenantId: true,
    teamBlocks: { where: { tenantId }, select: { itemId: true } },
  }) satisfies Prisma.CatalogItemSelect;

export type ManagedRow = Prisma.CatalogItemGetPayload<{ select: ReturnType<typeof managedColumns> }>;

const inOrder = [
  { dimension: 'asc' },
  { position: 'asc' },
  { id: 'asc' },
] satisfies Prisma.CatalogItemOrderByWithRelationInput[];

const ruled = (kind: 'only' | 'never', more: string): string =>
  `exists (select from catalog_rule rule where rule.situation_id = :situationId::uuid and rule.kind = '${kind}'
                   and (rule.tenant_id is null or rule.tenant_id = :tenantId::uuid) and ${more})`;
const ofTheItem = 'rule.item_id = item.id';
const ofItsDimension = `exists (
  select from catalog_item other where other.id = rule.item_id and other.dimension = item.dimension)`;

// An `only` rule whose items are all invisible still restricts. The array is wrapped in a subquery so that the planner
// ignores its length: otherwise it would plan the statement anew at every execution.
const judge = query({
  name: 'catalog.judge',
  why: 'judges a combination by policies and rules in one round trip of POST /assignments',
  sql: `select item.id, item.dimension,
               not exists (select from team_policy_block block where block.tenant_id = :tenantId::uuid and block.item_id = item.id)
                 and not exists (
                   select from member_policy_block block
                    where block.tenant_id = :tenantId::uuid and block.member_id = :memberId::uuid and block.item_id = item.id)
                 as released,
               not ${ruled('never', ofTheItem)}
                 and (${ruled('only', ofTheItem)} or not ${ruled('only', ofItsDimension)}) as fits
          from catalog_item item
         where item.id = any((select :ids::uuid[])::uuid[]) and item.published
           and (item.tenant_id is null or item.tenant_id = :tenantId::uuid)`,
  parameters: { tenantId: uuid, memberId: uuid, situationId: uuid.orNull, ids: listOf(uuid) },
  row: {
    id: uuid,
    dimension: oneOf('catalog_dimension', CatalogDimension),
    released: bool.checked,
    fits: bool.checked,
  },
});

export const catalogItems = {
  ofTeam: (prisma: Tx, tenantId: string) =>
    prisma.catalogItem.findMany({ where: ofTeam(tenantId), select: entryColumns, orderBy: inOrder }),

  ofMember: (tx: Tx, tenantId: string, memberId: string | null) =>
    tx.catalogItem.findMany({ where: ofMember(tenantId, memberId), select: entryColumns, orderBy: inOrder }),

  /** The items with these ids that are global or the team's own, published or not. */
  named: (prisma: Tx, tenantId: string, ids: string[]) =>
    prisma.catalogItem.findMany({ where: { id: { in: ids }, ...inReach(tenantId) }, select: entryColumns }),

  isAllowedMethodology: async (tx: Tx, tenantId: string, id: string) =>
    (await tx.catalogItem.count({ where: { id, dimension: 'methodology', ...ofTeam(tenantId) } })) > 0,

  /** The items that the team's admins manage: all, or those with these ids. */
  managed: (tx: Tx, tenantId: string, ids?: string[]) =>
    tx.catalogItem.findMany({
      where: { ...managed(tenantId), ...(ids && { id: { in: ids } }) },
      select: managedColumns(tenantId),
      orderBy: inOrder,
    }),

  /** The global items and the team's own, as they are stored; null: only the global ones. */
  inReachOf: (tx: Tx, tenantId: string | null) =>
    tx.catalogItem.findMany({ where: tenantId === null ? { tenantId } : inReach(tenantId), orderBy: inOrder }),

  count: (tx: Tx, tenantId: string) => tx.catalogItem.count({ where: { tenantId } }),

  insertAll: (tx: Tx, data: Prisma.CatalogItemCreateManyInput[]) => tx.catalogItem.createMany({ data }),

  update: (tx: Tx, id: string, data: Omit<Prisma.CatalogItemUncheckedUpdateInput, 'id' | 'tenantId'>) =>
    tx.catalogItem.update({ where: { id }, data }),

  /** Only one transaction at a time can change the global catalog. */
  lockGlobal: (tx: Tx) => takeLock(tx, lockNumbers.globalCatalog),

  /**
   * Finds visible items, and says of each whether the policies allow it to the member, and whether the rules allow it
   * with the situation.
   */
  judgeLater: (tx: Tx, judged: ParametersOf<typeof judge.parameters>) => runLater(tx, judge, judged),
};

export const catalogRules = {
  /**
   * The rules of the situations that a member can choose. They may name items that the member can't choose: if the
   * member can choose no item of an `only` rule, nothing can be combined.
   */
  ofMember: (tx: Tx, tenantId: string, memberId: string | null) =>
    tx.catalogRule.findMany({
      where: { ...inReach(tenantId), situation: ofMember(tenantId, memberId) },
      select: { situationId: true, kind: true, itemId: true, item: { select: { dimension: true } } },
    }),

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

  /** The rules for a situation that hold for a team, the oldest first. */
  ofSituation: (tx: Tx, tenantId: string, situationId: string) =>
    tx.catalogRule.findMany({ where: { situationId, ...inReach(tenantId) }, orderBy: { id: 'asc' } }),

  count: (tx: Tx, tenantId: string) => tx.catalogRule.count({ where: { tenantId } }),

  insertAll: (tx: Tx, data: Prisma.CatalogRuleCreateManyInput[]) => tx.catalogRule.createMany({ data }),

  remove: (tx: Tx, tenantId: string | null, ids: string[]) =>
    tx.catalogRule.deleteMany({ where: { tenantId, id: { in: ids } } }),
};

/** The team's policy (null), or a member's own. */
export type PolicyOwner = string | null;

/** The items that a policy blocks. */
export const policyBlocks = {
  of: async (tx: Tx, tenantId: string, memberId: PolicyOwner) => {
    const selected = {
      select: { itemId: true },
      orderBy: [{ item: { dimension: 'asc' } }, { item: { position: 'asc' } }, { itemId: 'asc' }],
    } satisfies Prisma.TeamPolicyBlockFindManyArgs & Prisma.MemberPolicyBlockFindManyArgs;
    const item = managed(tenantId);
    const rows =
      memberId === null
        ? await tx.teamPolicyBlock.findMany({ where: { tenantId, item }, ...selected })
        : await tx.memberPolicyBlock.findMany({ where: { tenantId, memberId, item }, ...selected });
    return rows.map(({ itemId }) => itemId);
  },

  insert: (tx: Tx, tenantId: string, memberId: PolicyOwner, { items, now }: { items: string[]; now: Date }) =>
    memberId === null
      ? tx.teamPolicyBlock.createMany({ data: items.map((itemId) => ({ tenantId, itemId, createdAt: now })) })
      : tx.memberPolicyBlock.createMany({
          data: items.map((itemId) => ({ tenantId, memberId, itemId, createdAt: now })),
        }),

  remove: (tx: Tx, tenantId: string, memberId: PolicyOwner, items: string[]) =>
    memberId === null
      ? tx.teamPolicyBlock.deleteMany({ where: { tenantId, itemId: { in: items } } })
      : tx.memberPolicyBlock.deleteMany({ where: { tenantId, memberId, itemId: { in: items } } }),

  /** Deletes the members' own policies, and returns how many blocks they had. */
  removeOfMembers: (tx: Tx, tenantId: string, memberIds: string[]) =>
    writeLater(tx, () => tx.memberPolicyBlock.deleteMany({ where: { tenantId, memberId: { in: memberIds } } })),
};

/** The team's own catalog and its policies, as the team's export and the erasure of a person have them. */
export const itemData = teamTable({
  table: 'catalog_item',
  values: ['id', 'dimension', 'key', 'icon', 'published', 'position'],
  times: ['createdAt'],
  texts: ['nameDe', 'nameEn'],
});

export const ruleData = teamTable({
  table: 'catalog_rule',
  values: ['id', 'kind', 'situationId', 'itemId'],
  times: ['createdAt'],
});

export const teamPolicyData = teamTable({
  table: 'team_policy_block',
  file: 'team_policy.json',
  key: { itemId: 'uuid' },
  values: ['itemId'],
  times: ['createdAt'],
});

export const memberPolicyData = teamTable({
  table: 'member_policy_block',
  file: 'member_policies.json',
  key: { memberId: 'uuid', itemId: 'uuid' },
  values: ['memberId', 'itemId'],
  times: ['createdAt'],
});
