import type { CatalogItem } from '../../db/generated/client.ts';

/** What an item says, and what of it can change. */
export type Content = Pick<CatalogItem, 'nameDe' | 'nameEn' | 'icon' | 'published' | 'position'>;

/** What must be written to make the one into the other; undefined: nothing. */
export const changesOf = (before: Content, wanted: Content): Partial<Content> | undefined => {
  const changes: Partial<Content> = {
    ...(before.nameDe !== wanted.nameDe && { nameDe: wanted.nameDe }),
    ...(before.nameEn !== wanted.nameEn && { nameEn: wanted.nameEn }),
    ...(before.icon !== wanted.icon && { icon: wanted.icon }),
    ...(before.published !== wanted.published && { published: wanted.published }),
    ...(before.position !== wanted.position && { position: wanted.position }),
  };
  return Object.keys(changes).length > 0 ? changes : undefined;
};
