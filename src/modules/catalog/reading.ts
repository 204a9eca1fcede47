import { isId } from '../../core/ids.ts';
import type { Language } from '../../core/language.ts';
import { fail } from '../../core/problem.ts';
import { rowsIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { inReach, manageable, releasedByTeam, visible } from './policy.ts';
import type { Catalog, Dimension, Entry, Item, NamedItem } from './schema.ts';

export interface EntryRow {
  id: string;
  dimension: Dimension;
  name_de: string | null;
  name_en: string | null;
  icon: string | null;
}

const inOrder = 'order by item.dimension, item.position, item.id';

/** What is released, by dimension and in its order there. */
export const entries = (released: string): string =>
  `select item.id, item.dimension::text, item.name_de, item.name_en, item.icon
     from catalog_item item where ${visible} and ${released} ${inOrder}`;

const ofTeam = statement<EntryRow, [tenantId: string]>(entries(releasedByTeam));

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
  catalogOf(await team.platform.database.rows(ofTeam, team.id), language);

const byIds = statement<EntryRow, [tenantId: string, ids: string[]]>(
  `select item.id, item.dimension::text, item.name_de, item.name_en, item.icon
     from catalog_item item where item.id = any($2::uuid[]) and ${inReach}`,
);

/**
 * What items are called that something refers to: what was once practised keeps its name, also when it is no longer published
 * or released. An id of nothing that the team has is left out.
 */
export const namesOf = async (team: Team, ids: readonly string[], language: Language): Promise<NamedItem[]> => {
  const rows = await team.platform.database.rows(byIds, team.id, ids.filter(isId));
  return rows.map((row) => ({
    id: row.id,
    dimension: row.dimension,
    name: nameIn(language, row),
    icon: row.icon,
  }));
};

const methodology = statement<{ id: string }, [tenantId: string, id: string]>(
  `select item.id from catalog_item item
    where item.id = $2 and item.dimension = 'methodology' and ${visible} and ${releasedByTeam}`,
);

/** Whether an id is that of a methodology that the team's policy releases. */
export const isMethodology = async (tx: Tx, team: Team, id: string): Promise<boolean> =>
  isId(id) && (await rowsIn(tx, methodology, team.id, id)).length > 0;

interface ItemRow extends EntryRow {
  key: string;
  own: boolean;
  published: boolean;
  position: number;
  blocked: boolean;
}

const managed = `
  select item.id, item.dimension::text, item.key, item.name_de, item.name_en, item.icon, item.published, item.position,
         item.tenant_id is not null as own, not (${releasedByTeam}) as blocked
    from catalog_item item where ${manageable}`;

const items = statement<ItemRow, [tenantId: string]>(`${managed} ${inOrder}`);

const presentItem = ({ name_de, name_en, ...row }: ItemRow): Item => ({ ...row, name: { de: name_de, en: name_en } });

/** Everything that the team's admins decide about. */
export const listItems = (team: Team): Promise<Item[]> =>
  inTransaction(team, async (tx) => (await rowsIn(tx, items, team.id)).map(presentItem));

/** Those of the ids that the team's admins decide about; `not_found` if one is missing. */
export const managedItems = async (tx: Tx, team: Team, ids: readonly string[]): Promise<Map<string, Item>> => {
  const wanted = [...new Set(ids)];
  if (!wanted.every(isId)) fail('not_found');
  const rows = await tx.$queryRawUnsafe<ItemRow[]>(`${managed} and item.id = any($2::uuid[])`, team.id, wanted);
  if (rows.length < wanted.length) fail('not_found');
  return new Map(rows.map((row) => [row.id, presentItem(row)]));
};

export const managedItem = async (tx: Tx, team: Team, id: string): Promise<Item> =>
  (await managedItems(tx, team, [id])).get(id) ?? fail('not_found');
