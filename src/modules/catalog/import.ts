import { newId } from '../../core/ids.ts';
import type { Flaw } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { recordAll } from '../audit/service.ts';
import { lockTeam } from '../teams/service.ts';
import { changesOf } from './content.ts';
import type { Content } from './content.ts';
import { refuse, splitReference } from './document.ts';
import type { CatalogDocument } from './document.ts';
import { itemAction, keepWithinMost } from './items.ts';
import { keepRulesWithinMost, replaceRules, rulesAction } from './rules.ts';
import type { Rule } from './rules.ts';
import { dimensions, ruledDimensions } from './schema.ts';
import type { Dimension } from './schema.ts';
import { catalogItems } from './store.ts';

export interface Imported {
  items_created: number;
  items_changed: number;
  items_unchanged: number;
  rules_created: number;
  rules_removed: number;
}

type DocumentItem = CatalogDocument['items'][Dimension][number];

const contentOf = ({ name, icon, published, position }: DocumentItem): Content => ({
  nameDe: name.de ?? null,
  nameEn: name.en ?? null,
  icon: icon ?? null,
  published,
  position,
});

/** What an item is known by: whether it is everybody's, its dimension and its key there. */
const label = (global: boolean, dimension: Dimension, key: string): string => `${global} ${dimension} ${key}`;

/** Every reference of the file's rules as an id; what names nothing is refused, all of it at once. */
const resolveRules = (
  { rules }: CatalogDocument,
  tenantId: string | null,
  ids: ReadonlyMap<string, string>,
): Map<string, Rule[]> => {
  const flaws: Flaw[] = [];
  const resolve = (dimension: Dimension, reference: string, path: Flaw['path']): string[] => {
    const { global, key } = splitReference(reference);
    const id = global && tenantId === null ? undefined : ids.get(label(global || tenantId === null, dimension, key));
    if (id !== undefined) return [id];
    flaws.push({ path, code: 'unknown_key', message: `There is no ${dimension} with the key ${reference}` });
    return [];
  };

  const resolved = new Map<string, Rule[]>();
  for (const [index, rule] of rules.entries()) {
    const [situationId] = resolve('situation', rule.situation, ['rules', index, 'situation']);
    const items = (['only', 'never'] as const).flatMap((kind) =>
      ruledDimensions.flatMap((dimension) =>
        (rule[kind][dimension] ?? []).flatMap((reference, place) =>
          resolve(dimension, reference, ['rules', index, kind, dimension, place]).map((itemId) => ({ kind, itemId })),
        ),
      ),
    );
    if (situationId !== undefined) resolved.set(situationId, items);
  }
  if (flaws.length > 0) refuse(flaws);
  return resolved;
};

interface Owner {
  /** Null: everybody. */
  tenantId: string | null;
  now: Date;
}

/** Writes all of them at once: a file may have thousands. */
const rewrite = async (tx: Tx, changed: readonly { id: string; content: Content }[]): Promise<void> => {
  const rows = JSON.stringify(changed.map(({ id, content }) => ({ id, ...content })));
  await catalogItems.rewrite(tx, rows);
};

/** Brings an owner's items and rules to what the document says of them. Only right while nobody else does. */
const write = async (tx: Tx, { tenantId, now }: Owner, document: CatalogDocument) => {
  const present = await catalogItems.inReachOf(tx, tenantId);
  const known = new Map(present.map((item) => [label(item.tenantId === null, item.dimension, item.key), item]));
  const wanted = dimensions.flatMap((dimension) =>
    document.items[dimension].map((item) => {
      const before = known.get(label(tenantId === null, dimension, item.key));
      return { before, dimension, key: item.key, content: contentOf(item) };
    }),
  );

  const fresh = wanted.filter(({ before }) => before === undefined);
  // In the order of the file: of items with the same position the smaller id comes first.
  const freshIds = fresh.map(newId).sort();
  const created = fresh.flatMap(({ dimension, key, content }, index) => {
    const id = freshIds[index];
    return id === undefined ? [] : [{ id, dimension, key, ...content }];
  });
  const changed = wanted.flatMap(({ before, content }) => {
    const changes = before && changesOf(before, content);
    return before && changes ? [{ id: before.id, content, changes }] : [];
  });
  const ids = new Map(
    [...present, ...created.map((item) => ({ ...item, tenantId }))].map((item) => [
      label(item.tenantId === null, item.dimension, item.key),
      item.id,
    ]),
  );
  const rules = resolveRules(document, tenantId, ids);

  await catalogItems.insertAll(
    tx,
    created.map((item) => ({ ...item, tenantId, createdAt: now })),
  );
  await rewrite(tx, changed);
  const ruled = await replaceRules(tx, { tenantId, now }, rules);
  return { created, changed, ruled, unchanged: wanted.length - created.length - changed.length };
};

type Written = Awaited<ReturnType<typeof write>>;

const countsOf = ({ created, changed, unchanged, ruled }: Written): Imported => ({
  items_created: created.length,
  items_changed: changed.length,
  items_unchanged: unchanged,
  rules_created: [...ruled.values()].reduce((sum, { added }) => sum + added.length, 0),
  rules_removed: [...ruled.values()].reduce((sum, { removed }) => sum + removed.length, 0),
});

/** Everybody's catalog is changed by one after the other. */
export const lockGlobalCatalog = async (tx: Tx): Promise<void> => {
  await catalogItems.lockGlobal(tx);
};

/** Brings everybody's items and rules to what a document says of them, as a part of something larger. */
export const writeGlobalCatalog = async (tx: Tx, platform: Platform, document: CatalogDocument): Promise<Imported> => {
  await lockGlobalCatalog(tx);
  return countsOf(await write(tx, { tenantId: null, now: platform.clock.now() }, document));
};

/** Brings everybody's items and rules to what a document says of them, all or nothing. */
export const importGlobalCatalog = (platform: Platform, document: CatalogDocument): Promise<Imported> =>
  platform.database.transaction((tx) => writeGlobalCatalog(tx, platform, document));

/** Brings a team's own items and rules to what a document says of them, all or nothing. */
export const importTeamCatalog = (caller: Team, document: CatalogDocument): Promise<Imported> =>
  inTransaction(caller, async (tx) => {
    const team = await lockTeam(tx, caller);
    const written = await write(tx, { tenantId: team.id, now: team.platform.clock.now() }, document);
    const { created, changed, ruled } = written;
    await keepWithinMost(
      tx,
      team,
      created.map((item) => item.dimension),
    );
    await keepRulesWithinMost(tx, team, ruled);
    await recordAll(tx, team, [
      ...created.map(({ id, ...item }) => itemAction('catalog.item_created', id, item)),
      ...changed.map(({ id, changes }) => itemAction('catalog.item_changed', id, changes)),
      ...[...ruled].map(([id, change]) => rulesAction(id, change)),
    ]);
    return countsOf(written);
  });
