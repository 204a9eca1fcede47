import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { changesOf } from '../../core/changes.ts';
import { makeId } from '../../core/ids.ts';
import { english, forDevelopers, saying } from '../../core/language.ts';
import { catalogMessages } from '../../core/messages/trainings.ts';
import { flawsOf } from '../../core/flaws.ts';
import { fail, type SpokenFlaw } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import type { CatalogItem } from '../../db/generated/client.ts';
import { inTransaction, type Platform, type Team } from '../../platform/team.ts';
import { inLockedTeam } from '../../platform/team-row.ts';
import { boundedText } from '../../platform/values.ts';
import { recordAll } from '../audit/service.ts';
import { byDimension, changeAction, contentOf, itemAction, keepWithinMax, type ItemContent } from './service.ts';
import { keepRulesWithinMax, replaceRules, rulesAction, type Rule } from './rules.ts';
import { Icon, ItemPosition, Name, ruledDimensions, dimensions, type Dimension } from './schema.ts';
import { catalogItems, catalogRules } from './store.ts';

// The file that `catalog import` reads and `catalog export` writes. docs/catalog.md describes it.

const key = /^[a-z0-9]+([_-][a-z0-9]+)*$/;

const Key = boundedText(100).regex(key, 'It is small letters, digits, _ and -, like cold_call');

/** The prefix of a global item's key in a team's file. */
const globalMark = 'global:';

const Reference = boundedText(100 + globalMark.length).refine(
  (text) => key.test(text.startsWith(globalMark) ? text.slice(globalMark.length) : text),
  'It is the key of an item, in a team’s file also global:key',
);

const splitReference = (reference: string): { global: boolean; key: string } => {
  const global = reference.startsWith(globalMark);
  return { global, key: global ? reference.slice(globalMark.length) : reference };
};

const writeReference = (global: boolean, name: string): string => `${global ? globalMark : ''}${name}`;

/** A list whose entries have different names. */
const unique = <Entry extends z.ZodType>(entry: Entry, max: number, nameOf: (value: z.output<Entry>) => string) =>
  z
    .array(entry)
    .max(max)
    .superRefine((values, context) => {
      const seen = new Set<string>();
      for (const [index, value] of values.entries()) {
        const name = nameOf(value);
        if (seen.has(name)) context.addIssue({ code: 'custom', path: [index], message: `${name} stands here twice` });
        seen.add(name);
      }
    });

const DocumentItem = z.strictObject({
  key: Key,
  name: z
    .strictObject({ de: Name.optional(), en: Name.optional() })
    .refine(({ de, en }) => (de ?? en) !== undefined, saying(catalogMessages.nameNeeded)),
  icon: Icon.optional(),
  published: z.boolean().default(true),
  position: ItemPosition.default(0),
});

const Items = unique(DocumentItem, 1_000, (item) => item.key).default([]);

const References = unique(Reference, 1_000, (reference) => reference).min(1, 'It names no item: leave it out');
const ByDimension = z.strictObject({
  personality: References.optional(),
  industry: References.optional(),
  role: References.optional(),
});

const DocumentRule = z
  .strictObject({ situation: Reference, only: ByDimension.default({}), never: ByDimension.default({}) })
  .superRefine(({ only, never }, context) => {
    for (const dimension of ruledDimensions) {
      for (const [index, reference] of (never[dimension] ?? []).entries()) {
        if (!only[dimension]?.includes(reference)) continue;
        const message = `${reference} can't be both in only and in never`;
        context.addIssue({ code: 'custom', path: ['never', dimension, index], message });
      }
    }
  });

type DocumentItem = z.output<typeof DocumentItem>;
type DocumentRule = z.output<typeof DocumentRule>;

export const CatalogDocument = z.strictObject({
  items: z
    .strictObject({ situation: Items, personality: Items, industry: Items, role: Items, methodology: Items })
    .prefault({}),
  rules: unique(DocumentRule, 1_000, (rule) => rule.situation).default([]),
});
export type CatalogDocument = z.output<typeof CatalogDocument>;

/** Refuses a file and lists all its flaws. */
const refuse = (flaws: SpokenFlaw[]): never =>
  fail('validation_error', {
    errors: flaws,
    detail: english(
      flaws
        .map(({ path, message }) => `\n  ${z.core.toDotPath(path) || 'the file'}: ${forDevelopers(message)}`)
        .join(''),
    ),
  });

const parse = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const message = error instanceof SyntaxError ? `It is not JSON: ${error.message}` : 'It is not UTF-8';
    return refuse([{ path: [], code: 'invalid_json', message: english(message) }]);
  }
};

/** Reads a catalog from a file's bytes. All flaws are reported together. */
export const readDocument = (bytes: Buffer): CatalogDocument => {
  const read = CatalogDocument.safeParse(parse(bytes));
  return read.success ? read.data : refuse(flawsOf(read.error));
};

/** The key of an item in the maps below: whether the item is global, its dimension, and its own key. */
const label = (global: boolean, dimension: Dimension, key: string): string => `${global} ${dimension} ${key}`;

/** Finds the id of every item that the file's rules name. All unknown names are refused together. */
const resolveRules = (
  { rules }: CatalogDocument,
  tenantId: string | null,
  ids: ReadonlyMap<string, string>,
): Map<string, Rule[]> => {
  const flaws: SpokenFlaw[] = [];
  const resolve = (dimension: Dimension, reference: string, path: SpokenFlaw['path']): string[] => {
    const { global, key } = splitReference(reference);
    const id = global && tenantId === null ? undefined : ids.get(label(global || tenantId === null, dimension, key));
    if (id !== undefined) return [id];
    const message = english(`There is no ${dimension} with the key ${reference}`);
    flaws.push({ path, code: 'unknown_key', message });
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
  /** The team; null for the global catalog. */
  tenantId: string | null;
  now: Date;
}

/**
 * Creates and changes an owner's items so that they are as in the document, and replaces the rules of the situations
 * that its rules name. All other items and rules stay. The caller must hold the owner's lock.
 */
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
  // Items are created in the order of the file: if two have the same position, the one with the smaller id comes first.
  const created = fresh.map(({ dimension, key, content }) => ({ id: makeId(), dimension, key, ...content }));
  const changed = wanted.flatMap(({ before, content }) => {
    if (!before) return [];
    const changes = changesOf<ItemContent>(before, content);
    return Object.keys(changes).length > 0 ? [{ id: before.id, before, changes }] : [];
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
  for (const { id, changes } of changed) await catalogItems.update(tx, id, changes);
  const ruled = await replaceRules(tx, { tenantId, now }, rules);
  return { created, changed, ruled, unchanged: wanted.length - created.length - changed.length };
};

const countsOf = ({ created, changed, unchanged, ruled }: Awaited<ReturnType<typeof write>>) => ({
  itemsCreated: created.length,
  itemsChanged: changed.length,
  itemsUnchanged: unchanged,
  rulesCreated: [...ruled.values()].reduce((sum, { added }) => sum + added.length, 0),
  rulesRemoved: [...ruled.values()].reduce((sum, { removed }) => sum + removed.length, 0),
});

/** Writes a document to the global catalog, as a part of a larger transaction. */
const writeGlobalCatalog = async (tx: Tx, platform: Platform, document: CatalogDocument) => {
  await catalogItems.lockGlobal(tx);
  return countsOf(await write(tx, { tenantId: null, now: platform.clock.now() }, document));
};

/** Writes a document to the global catalog, all or nothing. */
export const importGlobalCatalog = (platform: Platform, document: CatalogDocument) =>
  platform.database.transaction((tx) => writeGlobalCatalog(tx, platform, document));

/** Writes a document to a team's own catalog, all or nothing. */
export const importTeamCatalog = (caller: Team, document: CatalogDocument) =>
  inLockedTeam(caller, async (tx, team) => {
    const written = await write(tx, { tenantId: team.id, now: team.platform.clock.now() }, document);
    const { created, changed, ruled } = written;
    if (created.length > 0) await keepWithinMax(tx, team);
    await keepRulesWithinMax(tx, team, ruled);
    recordAll(tx, team, [
      ...created.map(({ id, ...item }) => itemAction('catalog.item_created', id, item)),
      ...changed.map(({ id, before, changes }) => changeAction(id, before, changes)),
      ...[...ruled].map(([id, change]) => rulesAction(id, change)),
    ]);
    return countsOf(written);
  });

/**
 * The starter catalog gives no positions. Its items get 10, 20, 30 … in the order of the file, so that an operator can
 * put other items between them.
 */
const inFileOrder = (items: readonly DocumentItem[]): DocumentItem[] =>
  items.map((item, index) => ({ ...item, position: (index + 1) * 10 }));

/** The part of a document that the database does not have yet: items with new keys, and the rules of new situations. */
const missing = async (tx: Tx, { items, rules }: CatalogDocument): Promise<CatalogDocument> => {
  const present = await catalogItems.inReachOf(tx, null);
  const known = new Set(present.map(({ dimension, key }) => `${dimension} ${key}`));
  const left = byDimension((dimension) =>
    inFileOrder(items[dimension]).filter(({ key }) => !known.has(`${dimension} ${key}`)),
  );
  return { items: left, rules: rules.filter(({ situation }) => !known.has(`situation ${situation}`)) };
};

/** Imports the parts of the starter catalog that are missing. Items that an operator has changed are kept. */
export const importStarterCatalog = async (tx: Tx, platform: Platform): Promise<void> => {
  const starter = readDocument(await readFile(new URL('starter-catalog.json', import.meta.url)));
  await catalogItems.lockGlobal(tx);
  await writeGlobalCatalog(tx, platform, await missing(tx, starter));
};

const itemOf = ({ key, nameDe, nameEn, icon, published, position }: CatalogItem): DocumentItem => ({
  key,
  name: { ...(nameDe !== null && { de: nameDe }), ...(nameEn !== null && { en: nameEn }) },
  ...(icon !== null && { icon }),
  published,
  position,
});

/** All items and rules of an owner, in the form of the file. */
const readCatalog = async (tx: Tx, tenantId: string | null): Promise<CatalogDocument> => {
  const rules = await catalogRules.withItems(tx, tenantId);
  const items = (await catalogItems.inReachOf(tx, tenantId)).filter((item) => item.tenantId === tenantId);

  const refer = (item: CatalogItem) => writeReference(tenantId !== null && item.tenantId === null, item.key);
  const bySituation = Map.groupBy(rules, ({ situation }) => refer(situation));
  const listsOf = (those: typeof rules, kind: 'only' | 'never') =>
    Object.fromEntries(
      ruledDimensions.flatMap((dimension) => {
        const list = those.filter((rule) => rule.kind === kind && rule.item.dimension === dimension);
        return list.length === 0 ? [] : [[dimension, list.map(({ item }) => refer(item))]];
      }),
    );
  return {
    items: byDimension((dimension) => items.filter((item) => item.dimension === dimension).map(itemOf)),
    rules: [...bySituation].map(([situation, those]): DocumentRule => ({
      situation,
      only: listsOf(those, 'only'),
      never: listsOf(those, 'never'),
    })),
  };
};

export const exportGlobalCatalog = ({ database }: Platform): Promise<CatalogDocument> =>
  database.transaction((tx) => readCatalog(tx, null));

/** The team's own items and rules. */
export const exportTeamCatalog = (team: Team): Promise<CatalogDocument> =>
  inTransaction(team, (tx) => readCatalog(tx, team.id));
