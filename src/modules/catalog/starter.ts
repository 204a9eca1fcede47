import { readFile } from 'node:fs/promises';
import type { Tx } from '../../db/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { readDocument } from './document.ts';
import type { CatalogDocument } from './document.ts';
import { lockGlobalCatalog, writeGlobalCatalog } from './import.ts';
import { dimensions } from './schema.ts';
import { catalogItems } from './store.ts';

/** What everybody's catalog starts with; an operator can import it like any other file. */
export const readStarterCatalog = async (): Promise<CatalogDocument> =>
  readDocument(await readFile(new URL('starter-catalog.json', import.meta.url)));

/** What of a document is not there yet: items by their keys, and the rules of situations that are new. */
const missing = async (tx: Tx, { items, rules }: CatalogDocument): Promise<CatalogDocument> => {
  const present = await catalogItems.globalKeys(tx);
  const known = new Set(present.map(({ dimension, key }) => `${dimension} ${key}`));
  const left = { ...items };
  for (const dimension of dimensions) {
    left[dimension] = items[dimension].filter(({ key }) => !known.has(`${dimension} ${key}`));
  }
  return { items: left, rules: rules.filter(({ situation }) => !known.has(`situation ${situation}`)) };
};

const isEmpty = ({ items }: CatalogDocument): boolean => dimensions.every((dimension) => items[dimension].length === 0);

/** Sees to it that the starter catalog is there. What an operator has changed since stays as it is. */
export const importStarterCatalog = async (tx: Tx, platform: Platform): Promise<void> => {
  const starter = await readStarterCatalog();
  if (isEmpty(await missing(tx, starter))) return;
  await lockGlobalCatalog(tx);
  await writeGlobalCatalog(tx, platform, await missing(tx, starter));
};
