import { newId } from '../../core/ids.ts';
import { catalogLimits } from '../../core/limits.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import type { AuditAction } from '../audit/service.ts';
import { lockTeam } from '../teams/service.ts';
import { changesOf } from './content.ts';
import type { Content } from './content.ts';
import { managedItem } from './reading.ts';
import type { Dimension, Item, ItemChange, NewItem } from './schema.ts';
import { catalogItems } from './store.ts';

const refuseItem = (detail: string): never => fail('validation_error', { field: 'dimension', detail });

/** Refuses what was just added where the team has too many items of its own now. Only right while the team is locked. */
export const keepWithinMost = async (tx: Tx, team: Team, dimensions: Iterable<Dimension>): Promise<void> => {
  const { ownItemsPerDimension, ownItems } = catalogLimits;
  const added = new Set(dimensions);
  if (added.size === 0) return;
  const counts = await catalogItems.countByDimension(tx, team.id);
  const crowded = counts.find(({ dimension, _count }) => added.has(dimension) && _count > ownItemsPerDimension);
  if (crowded) {
    refuseItem(`A team has at most ${ownItemsPerDimension} items of its own in the dimension ${crowded.dimension}.`);
  }
  if (counts.reduce((sum, { _count }) => sum + _count, 0) > ownItems) {
    refuseItem(`A team has at most ${ownItems} items of its own in all dimensions together.`);
  }
};

export const itemAction = (
  action: 'catalog.item_created' | 'catalog.item_changed',
  id: string,
  data: Prisma.InputJsonObject,
): AuditAction => ({ action, target: { type: 'catalog_item', id }, data });

/** Adds an item of the team's own. Its key, by which files name it, is its id. */
export const createItem = (caller: Team, { dimension, ...wanted }: NewItem): Promise<Item> =>
  inTransaction(caller, async (tx) => {
    const team = await lockTeam(tx, caller);
    const id = newId();
    const { name, icon = null, published, position } = wanted;
    const content: Content = { nameDe: name.de ?? null, nameEn: name.en ?? null, icon, published, position };
    const createdAt = team.platform.clock.now();
    await catalogItems.insert(tx, { id, tenantId: team.id, dimension, key: id, ...content, createdAt });
    await keepWithinMost(tx, team, [dimension]);
    await record(tx, team, itemAction('catalog.item_created', id, { dimension, key: id, ...content }));
    return managedItem(tx, team, id);
  });

/** Changes an item of the team's own; everybody's are the operator's business. */
export const changeItem = (caller: Team, { item_id: id, ...change }: ItemChange): Promise<Item> =>
  inTransaction(caller, async (tx) => {
    const team = await lockTeam(tx, caller);
    const item = await managedItem(tx, team, id);
    if (!item.own) fail('not_found');
    const { de: nameDe = item.name.de, en: nameEn = item.name.en } = change.name ?? {};
    if (nameDe === null && nameEn === null) fail('validation_error', { field: 'name' });
    const { icon = item.icon, published = item.published, position = item.position } = change;

    const before = { ...item, nameDe: item.name.de, nameEn: item.name.en };
    const changes = changesOf(before, { nameDe, nameEn, icon, published, position });
    if (!changes) return item;
    await catalogItems.update(tx, id, changes);
    await record(tx, team, itemAction('catalog.item_changed', id, changes));
    return managedItem(tx, team, id);
  });
