import { isId } from '../../core/ids.ts';
import type { Language } from '../../core/language.ts';
import { fail } from '../../core/problem.ts';
import type { Tx } from '../../db/database.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import type { Catalog, Dimension, Entry, Item, NamedItem } from './schema.ts';
import { catalogItems } from './store.ts';
import type { EntryRow, ManagedRow } from './store.ts';

/** In the language asked for, else in the other one. */
const nameIn = (language: Language, { name_de, name_en }: EntryRow): string | null =>
  language === 'en' ? (name_en ?? name_de) : (name_de ?? name_en);

export const catalogOf = (rows: readonly EntryRow[], language: Language): Catalog => {
  const of = (wanted: Dimension): Entry[] =>
    rows
      .filter(({ dimension }) => dimension === wanted)
      .map((row) => ({ id: row.id, name: nameIn(language, row), icon: row.icon }));
  return {
    situation: of('situation'),
    personality: of('personality'),
    industry: of('industry'),
    role: of('role'),
    methodology: of('methodology'),
  };
};

/** What the team's policy releases. */
export const getCatalog = async (team: Team, language: Language): Promise<Catalog> =>
  catalogOf(await catalogItems.ofTeam(team.platform.database, team.id), language);

/**
 * What items are called that something refers to: what was once practised keeps its name, also when it is no longer published
 * or released. An id of nothing that the team has is left out.
 */
export const namesOf = async (team: Team, ids: readonly string[], language: Language): Promise<NamedItem[]> => {
  const rows = await catalogItems.named(team.platform.database, team.id, ids.filter(isId));
  return rows.map((row) => ({
    id: row.id,
    dimension: row.dimension,
    name: nameIn(language, row),
    icon: row.icon,
  }));
};

/** Whether an id is that of a methodology that the team's policy releases. */
export const isMethodology = async (tx: Tx, team: Team, id: string): Promise<boolean> =>
  isId(id) && (await catalogItems.isMethodology(tx, team.id, id));

const presentItem = ({ name_de, name_en, ...row }: ManagedRow): Item => ({
  ...row,
  name: { de: name_de, en: name_en },
});

/** Everything that the team's admins decide about. */
export const listItems = (team: Team): Promise<Item[]> =>
  inTransaction(team, async (tx) => (await catalogItems.managed(tx, team.id)).map(presentItem));

/** Those of the ids that the team's admins decide about; `not_found` if one is missing. */
export const managedItems = async (tx: Tx, team: Team, ids: readonly string[]): Promise<Map<string, Item>> => {
  const wanted = [...new Set(ids)];
  if (!wanted.every(isId)) fail('not_found');
  const rows = await catalogItems.managedAmong(tx, team.id, wanted);
  if (rows.length < wanted.length) fail('not_found');
  return new Map(rows.map((row) => [row.id, presentItem(row)]));
};

export const managedItem = async (tx: Tx, team: Team, id: string): Promise<Item> =>
  (await managedItems(tx, team, [id])).get(id) ?? fail('not_found');
