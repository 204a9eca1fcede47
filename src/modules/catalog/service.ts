import { changesOf, valuesOf } from '../../core/changes.ts';
import { isId, makeId } from '../../core/ids.ts';
import type { Language } from '../../core/language.ts';
import { catalogMessages, trainingMessages } from '../../core/messages/trainings.ts';
import { fail } from '../../core/problem.ts';
import type { Camel } from '../../core/spelling.ts';
import { catalogLimits } from '../../core/limits.ts';
import type { Tx } from '../../db/database.ts';
import type { Prisma, CatalogItem } from '../../db/generated/client.ts';
import type { Page } from '../../platform/paging.ts';
import { inTransaction, type Team } from '../../platform/team.ts';
import { inLockedTeam } from '../../platform/team-row.ts';
import { record, type AuditAction } from '../audit/service.ts';
import { findMember } from '../membership/service.ts';
import * as schema from './schema.ts';
import { catalogItems, catalogRules, policyBlocks, type EntryRow, type ManagedRow, type PolicyOwner } from './store.ts';

/** The name in the requested language, or else in the other one. */
const nameIn = (language: Language, { nameDe, nameEn }: EntryRow): string | null =>
  language === 'en' ? (nameEn ?? nameDe) : (nameDe ?? nameEn);

const presentEntry = (row: EntryRow, language: Language): schema.CatalogEntry => ({
  id: row.id,
  name: nameIn(language, row),
  icon: row.icon,
});

export const byDimension = <Value>(of: (dimension: schema.Dimension) => Value): Record<schema.Dimension, Value> => ({
  situation: of('situation'),
  personality: of('personality'),
  industry: of('industry'),
  role: of('role'),
  methodology: of('methodology'),
});

const catalogOf = (rows: readonly EntryRow[], language: Language): schema.Catalog =>
  byDimension((wanted) =>
    rows.filter(({ dimension }) => dimension === wanted).map((row) => presentEntry(row, language)),
  );

/** The items that the team's policy allows. */
export const getCatalog = async (team: Team, language: Language): Promise<schema.Catalog> =>
  catalogOf(await catalogItems.ofTeam(team.platform.database.prisma, team.id), language);

/**
 * The names of items to which trainings or assignments refer. A past training keeps the name of its situation even if
 * the situation is no longer published or allowed. Unknown ids are left out.
 */
export const namesOf = async (team: Team, ids: readonly string[], language: Language): Promise<schema.NamedItem[]> => {
  const rows = await catalogItems.named(team.platform.database.prisma, team.id, ids.filter(isId));
  return rows.map((row) => ({ ...presentEntry(row, language), dimension: row.dimension }));
};

interface OfItems {
  situationId: string | null;
  personalityId: string | null;
  industryId: string | null;
  roleId?: string | null;
}

/** Adds the names of their items to the rows of a page. */
export const withItemNames = async <Row extends OfItems>(team: Team, page: Promise<Page<Row>>, language: Language) => {
  const { data, ...rest } = await page;
  const ids = data.flatMap((row) => [row.situationId, row.personalityId, row.industryId, row.roleId ?? null]);
  const found = await namesOf(team, [...new Set(ids.filter((id) => id !== null))], language);
  const names = new Map(found.map(({ id, name }) => [id, name]));
  const nameOf = (id: string | null = null): string | null => (id === null ? null : (names.get(id) ?? null));
  return {
    ...rest,
    data: data.map((row) => ({
      ...row,
      situation: nameOf(row.situationId),
      personality: nameOf(row.personalityId),
      industry: nameOf(row.industryId),
      role: nameOf(row.roleId),
    })),
  };
};

/** Whether an id belongs to a methodology that the team's policy allows. */
export const isAllowedMethodology = async (tx: Tx, team: Team, id: string): Promise<boolean> =>
  isId(id) && (await catalogItems.isAllowedMethodology(tx, team.id, id));

const presentItem = ({ nameDe, nameEn, tenantId, teamBlocks, ...row }: ManagedRow): schema.ManagedItem => ({
  ...row,
  name: { de: nameDe, en: nameEn },
  own: tenantId !== null,
  blocked: teamBlocks.length > 0,
});

/** All items that the team's admins can allow or block. */
export const listItems = (team: Team): Promise<schema.ManagedItem[]> =>
  inTransaction(team, async (tx) => (await catalogItems.managed(tx, team.id)).map(presentItem));

/** The items with these ids; `not_found` if the team's admins can't manage one of them. */
export const managedItems = async (
  tx: Tx,
  team: Team,
  ids: readonly string[],
): Promise<Map<string, schema.ManagedItem>> => {
  const wanted = [...new Set(ids)];
  if (!wanted.every(isId)) fail('not_found');
  const rows = await catalogItems.managed(tx, team.id, wanted);
  if (rows.length < wanted.length) fail('not_found');
  return new Map(rows.map((row) => [row.id, presentItem(row)]));
};

export const managedItem = async (tx: Tx, team: Team, id: string): Promise<schema.ManagedItem> =>
  (await managedItems(tx, team, [id])).get(id) ?? fail('not_found');

/**
 * The items that a member can choose or be assigned, and the rules for combining them. Without a member (null): the
 * items that the team's policy allows.
 */
export const choicesOf = (team: Team, memberId: string | null, language: Language): Promise<Camel<schema.Choices>> =>
  inTransaction(team, async (tx) => {
    if (memberId !== null) await findMember(tx, team, memberId);
    const rows = await catalogItems.ofMember(tx, team.id, memberId);
    const rules = await catalogRules.ofMember(tx, team.id, memberId);
    const groups = Map.groupBy(rules, ({ situationId, item }) => `${situationId} ${item.dimension}`);
    const situations = rows.filter(({ dimension }) => dimension === 'situation');
    const ruled = situations.flatMap(({ id: situationId }) =>
      schema.ruledDimensions.map((dimension) => {
        const group = groups.get(`${situationId} ${dimension}`) ?? [];
        const offered = (kind: 'only' | 'never') => {
          const named = new Set(group.filter((rule) => rule.kind === kind).map(({ itemId }) => itemId));
          return rows.flatMap(({ id }) => (named.has(id) ? [id] : []));
        };
        const isRestricted = group.some(({ kind }) => kind === 'only');
        return { situationId, dimension, only: isRestricted ? offered('only') : null, never: offered('never') };
      }),
    );
    return {
      ...catalogOf(rows, language),
      rules: ruled.filter(({ only, never }) => only !== null || never.length > 0),
    };
  });

/** The combination to practise. The ids are those of the request and may have any form. */
export interface Combination {
  situationId?: string | null;
  personalityId?: string | null;
  industryId?: string | null;
  roleId?: string | null;
}

/**
 * Looks a combination up with the transaction's next statement. The returned function refuses it if it is not possible
 * for the member: `kombination_ungueltig` for items that are unknown, invisible or excluded by the catalog's rules,
 * `vorgabe_gesperrt` for items that the team's or the member's policy blocks.
 */
export const combinationCheck = (
  tx: Tx,
  team: Team,
  memberId: string,
  { situationId, personalityId, industryId, roleId }: Combination,
): (() => Promise<void>) => {
  const wanted = [
    { dimension: 'situation', id: situationId },
    { dimension: 'personality', id: personalityId },
    { dimension: 'industry', id: industryId },
    { dimension: 'role', id: roleId },
  ].flatMap(({ dimension, id }) => (typeof id === 'string' ? [{ dimension, id }] : []));

  const ids = wanted.map(({ id }) => id).filter(isId);
  const situation = ids.find((id) => id === situationId) ?? null;
  const judged = { tenantId: team.id, memberId, situationId: situation, ids };
  // A `memberId` that is no id names no member: the caller refuses it.
  const judge = ids.length === 0 || !isId(memberId) ? async () => [] : catalogItems.judgeLater(tx, judged);

  return async () => {
    const found = await judge();
    const items = wanted.map(
      ({ dimension, id }) =>
        found.find((item) => item.id === id && item.dimension === dimension) ??
        fail('kombination_ungueltig', { dimension, id }),
    );
    const blocked = items.find(({ released }) => !released);
    if (blocked) fail('vorgabe_gesperrt', { detail: trainingMessages.blocked(blocked.dimension) });
    const misfit = items.find(({ fits }) => !fits);
    if (misfit) fail('kombination_ungueltig', { dimension: misfit.dimension });
  };
};

/** Checks like `combinationCheck`, with a statement of its own. */
export const checkCombination = async (...examined: Parameters<typeof combinationCheck>): Promise<void> =>
  combinationCheck(...examined)();

// Policies: which items are blocked. A change names the items to block and to allow, and leaves all others unchanged.
// So two admins who change different items at the same time do not undo each other's changes.

/** The items that the team's policy blocks. */
export const teamPolicy = (team: Team): Promise<schema.Policy> =>
  inTransaction(team, async (tx) => ({ blocked: await policyBlocks.of(tx, team.id, null) }));

/** The items that a member's own policy blocks in addition to the team's. */
export const memberPolicy = (team: Team, memberId: string): Promise<schema.Policy> =>
  inTransaction(team, async (tx) => {
    await findMember(tx, team, memberId);
    return { blocked: await policyBlocks.of(tx, team.id, memberId) };
  });

/**
 * Deletes the policy of a removed member. A person who joins again is a new member, so the policy would stay forever.
 */
export const deleteMemberPolicy = async (tx: Tx, team: Team, memberId: string): Promise<void> => {
  await policyBlocks.removeOfMembers(tx, team.id, [memberId]);
};

/** Blocks and allows items, and records those whose state changed. The team must be locked. */
const changePolicy = async (
  tx: Tx,
  team: Team,
  whose: PolicyOwner,
  { block, release }: schema.PolicyChange,
): Promise<schema.Policy> => {
  if (block.some((id) => release.includes(id))) {
    fail('validation_error', { field: 'release', detail: catalogMessages.blockedAndReleased });
  }
  await managedItems(tx, team, [...block, ...release]);
  const before = new Set(await policyBlocks.of(tx, team.id, whose));
  const blocked = [...new Set(block)].filter((id) => !before.has(id));
  const released = [...new Set(release)].filter((id) => before.has(id));
  if (blocked.length + released.length > 0) {
    await policyBlocks.insert(tx, team.id, whose, { items: blocked, now: team.platform.clock.now() });
    await policyBlocks.remove(tx, team.id, whose, released);
    const data = { blocked, released };
    record(
      tx,
      team,
      whose === null
        ? { action: 'policy.team_changed', target: { type: 'team', id: team.id }, data }
        : { action: 'policy.member_changed', target: { type: 'member', id: whose }, data },
    );
  }
  return { blocked: await policyBlocks.of(tx, team.id, whose) };
};

export const setTeamPolicy = (caller: Team, change: schema.PolicyChange): Promise<schema.Policy> =>
  inLockedTeam(caller, (tx, team) => changePolicy(tx, team, null, change));

export const setMemberPolicy = (caller: Team, memberId: string, change: schema.PolicyChange): Promise<schema.Policy> =>
  inLockedTeam(caller, async (tx, team) => {
    await findMember(tx, team, memberId);
    return changePolicy(tx, team, memberId, change);
  });

/** Refuses the items just added if the team now has too many of its own. The team must be locked. */
export const keepWithinMax = async (tx: Tx, team: Team): Promise<void> => {
  const { ownItems } = catalogLimits;
  if ((await catalogItems.count(tx, team.id)) > ownItems) {
    fail('validation_error', { field: 'dimension', detail: catalogMessages.items(ownItems) });
  }
};

export const itemAction = (
  action: 'catalog.item_created' | 'catalog.item_changed',
  id: string,
  data: Prisma.InputJsonObject,
): AuditAction => ({ action, target: { type: 'catalog_item', id }, data });

/** The audit entry of a changed item, with the former and the new values. */
export const changeAction = (id: string, before: ItemContent, changes: Partial<ItemContent>): AuditAction =>
  itemAction('catalog.item_changed', id, valuesOf(before, changes));

/** The fields of an item that can change. */
export type ItemContent = Pick<CatalogItem, 'nameDe' | 'nameEn' | 'icon' | 'published' | 'position'>;

export const contentOf = ({
  name,
  icon = null,
  published,
  position,
}: Omit<schema.NewItem, 'dimension'>): ItemContent => ({
  nameDe: name.de ?? null,
  nameEn: name.en ?? null,
  icon,
  published,
  position,
});

/** Adds an item to the team's catalog. Its id is also its key, by which files name it. */
export const createItem = (caller: Team, { dimension, ...wanted }: schema.NewItem): Promise<schema.ManagedItem> =>
  inLockedTeam(caller, async (tx, team) => {
    const id = makeId();
    const content = contentOf(wanted);
    const createdAt = team.platform.clock.now();
    await catalogItems.insertAll(tx, [{ id, tenantId: team.id, dimension, key: id, ...content, createdAt }]);
    await keepWithinMax(tx, team);
    record(tx, team, itemAction('catalog.item_created', id, { dimension, key: id, ...content }));
    return managedItem(tx, team, id);
  });

/** Changes an item of the team. Global items are changed by the operator. */
export const changeItem = (
  caller: Team,
  { itemId: id, ...change }: Camel<schema.ItemChange>,
): Promise<schema.ManagedItem> =>
  inLockedTeam(caller, async (tx, team) => {
    const item = await managedItem(tx, team, id);
    if (!item.own) fail('not_found');
    const before = contentOf(item);
    const { name, icon, published, position } = change;
    const changes = changesOf(before, { nameDe: name?.de, nameEn: name?.en, icon, published, position });
    if (Object.keys(changes).length === 0) return item;
    const { nameDe, nameEn } = { ...before, ...changes };
    if (nameDe === null && nameEn === null) {
      fail('validation_error', { field: 'name', detail: catalogMessages.nameNeeded });
    }
    await catalogItems.update(tx, id, changes);
    record(tx, team, changeAction(id, before, changes));
    return managedItem(tx, team, id);
  });
