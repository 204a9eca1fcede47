import { newId } from '../../core/ids.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { record } from '../audit/service.ts';
import type { Deed } from '../audit/service.ts';
import { lockTeam } from '../teams/service.ts';
import { changesOf } from './content.ts';
import type { Content } from './content.ts';
import { managedItem } from './reading.ts';
import type { Dimension, Item, ItemChange, NewItem } from './schema.ts';

/** A team's own items in one dimension: every read of the catalog reads them all. */
const mostOwn = 500;

/** Refuses to have given the team more items of its own than that. Only right while the team is locked. */
export const keepWithinMost = async (tx: Tx, team: Team, dimension: Dimension): Promise<void> => {
  const owned = await tx.catalogItem.count({ where: { tenantId: team.id, dimension } });
  if (owned <= mostOwn) return;
  const detail = `A team has at most ${mostOwn} items of its own in the dimension ${dimension}.`;
  fail('validation_error', { field: 'dimension', detail });
};

export const itemDeed = (
  action: 'catalog.item_created' | 'catalog.item_changed',
  id: string,
  data: Prisma.InputJsonObject,
): Deed => ({ action, target: { type: 'catalog_item', id }, data });

/** Adds an item of the team's own. Its key, by which files name it, is its id. */
export const createItem = (caller: Team, { dimension, ...wanted }: NewItem): Promise<Item> =>
  inTransaction(caller, async (tx) => {
    const team = await lockTeam(tx, caller);
    const id = newId();
    const { name, icon = null, published, position } = wanted;
    const content: Content = { nameDe: name.de ?? null, nameEn: name.en ?? null, icon, published, position };
    await tx.catalogItem.create({
      data: { id, tenantId: team.id, dimension, key: id, ...content, createdAt: team.platform.clock.now() },
    });
    await keepWithinMost(tx, team, dimension);
    await record(tx, team, itemDeed('catalog.item_created', id, { dimension, key: id, ...content }));
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
    await tx.catalogItem.update({ where: { id }, data: changes });
    await record(tx, team, itemDeed('catalog.item_changed', id, changes));
    return managedItem(tx, team, id);
  });
