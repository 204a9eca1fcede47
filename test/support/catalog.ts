import { newId } from '../../src/core/ids.ts';
import type { CatalogItem } from '../../src/db/generated/client.ts';
import type { TestService } from './service.ts';

type Wanted = Partial<Pick<CatalogItem, 'nameDe' | 'nameEn' | 'icon' | 'published' | 'position' | 'key'>> &
  Pick<CatalogItem, 'dimension'> & {
    /** Whose it is; without one it is global. */
    tenantId?: string;
  };

/** An item of the catalog that no other test uses. */
export const aCatalogItem = async (
  { database, clock }: TestService,
  { tenantId, ...wanted }: Wanted,
): Promise<string> => {
  const id = newId();
  await database.prisma.catalogItem.create({
    data: { id, tenantId: tenantId ?? null, key: id, nameDe: 'Ein Eintrag', createdAt: clock.now(), ...wanted },
  });
  return id;
};
