import type { Tx } from '../../db/database.ts';
import type { CatalogItem } from '../../db/generated/client.ts';
import type { Platform } from '../../platform/platform.ts';
import { inTransaction } from '../../platform/team.ts';
import type { Team } from '../../platform/team.ts';
import { writeReference } from './document.ts';
import type { CatalogDocument } from './document.ts';
import { ruledDimensions } from './schema.ts';
import type { Dimension } from './schema.ts';
import { catalogItems, catalogRules } from './store.ts';

type DocumentItem = CatalogDocument['items'][Dimension][number];
type DocumentRule = CatalogDocument['rules'][number];

const itemOf = ({ key, nameDe, nameEn, icon, published, position }: CatalogItem): DocumentItem => ({
  key,
  name: { ...(nameDe !== null && { de: nameDe }), ...(nameEn !== null && { en: nameEn }) },
  ...(icon !== null && { icon }),
  published,
  position,
});

/** Everything that an owner has, as a file says it. */
const read = async (tx: Tx, tenantId: string | null): Promise<CatalogDocument> => {
  const rules = await catalogRules.withItems(tx, tenantId);
  const items = await catalogItems.ownedBy(tx, tenantId);

  const of = (dimension: Dimension) => items.filter((item) => item.dimension === dimension).map(itemOf);
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
    items: {
      situation: of('situation'),
      personality: of('personality'),
      industry: of('industry'),
      role: of('role'),
      methodology: of('methodology'),
    },
    rules: [...bySituation].map(([situation, those]): DocumentRule => ({
      situation,
      only: listsOf(those, 'only'),
      never: listsOf(those, 'never'),
    })),
  };
};

/** Everybody's items and rules. */
export const exportGlobalCatalog = ({ database }: Platform): Promise<CatalogDocument> =>
  database.transaction((tx) => read(tx, null));

/** A team's own items and rules. */
export const exportTeamCatalog = (team: Team): Promise<CatalogDocument> =>
  inTransaction(team, (tx) => read(tx, team.id));
