import { makeId } from '../../src/core/ids.ts';
import type { CatalogItem, CatalogRule } from '../../src/db/generated/client.ts';
import type { TestService } from './service.ts';

type Wanted = Partial<Pick<CatalogItem, 'nameDe' | 'nameEn' | 'icon' | 'published' | 'position' | 'key'>> &
  Pick<CatalogItem, 'dimension'> & {
    /** The team of the item; without one it is global. */
    tenantId?: string;
  };

/** An item of the catalog that no other test uses. */
export const aCatalogItem = async (
  { database, clock }: TestService,
  { tenantId, ...wanted }: Wanted,
): Promise<string> => {
  const id = makeId();
  await database.prisma.catalogItem.create({
    data: { id, tenantId: tenantId ?? null, key: id, nameDe: 'Ein Eintrag', createdAt: clock.now(), ...wanted },
  });
  return id;
};

interface WantedRule {
  kind: CatalogRule['kind'];
  situation: string;
  item: string;
  /** The team of the rule; without one it is global. */
  tenantId?: string;
}

export const aRule = async (
  { database, clock }: TestService,
  { kind, situation, item, tenantId }: WantedRule,
): Promise<void> => {
  await database.prisma.catalogRule.create({
    data: {
      id: makeId(),
      tenantId: tenantId ?? null,
      kind,
      situationId: situation,
      itemId: item,
      createdAt: clock.now(),
    },
  });
};

/** Blocks an item by the team's policy, or by the policy of one member. */
export const block = async (
  { database, clock }: TestService,
  { tenantId, itemId, memberId }: { tenantId: string; itemId: string; memberId?: string },
): Promise<void> => {
  const createdAt = clock.now();
  if (memberId === undefined) await database.prisma.teamPolicyBlock.create({ data: { tenantId, itemId, createdAt } });
  else await database.prisma.memberPolicyBlock.create({ data: { tenantId, memberId, itemId, createdAt } });
};
