import { makeId } from '../../src/core/ids.ts';
import type { Prisma } from '../../src/db/generated/client.ts';
import { aCatalogItem } from './catalog.ts';
import type { TestService } from './service.ts';

type Wanted = Omit<Prisma.AssignmentUncheckedCreateInput, 'tenantId' | 'id' | 'createdAt' | 'updatedAt'> & {
  createdAt?: Date;
};

/** Inserts an assignment into the database without checking any rule. */
export const anAssignment = async (
  { database, clock }: TestService,
  team: { id: string },
  wanted: Wanted,
): Promise<string> => {
  const id = makeId();
  await database.prisma.assignment.create({
    data: { tenantId: team.id, id, title: 'Practise', createdAt: clock.now(), updatedAt: clock.now(), ...wanted },
  });
  return id;
};

/** A combination of global items that no other test uses and that every team may use. */
export const aCombination = async (service: TestService) => ({
  situation_id: await aCatalogItem(service, { dimension: 'situation' }),
  personality_id: await aCatalogItem(service, { dimension: 'personality' }),
  industry_id: await aCatalogItem(service, { dimension: 'industry' }),
});

/** A combination of the team's own items, with names. */
export const anOwnCombination = async (service: TestService, team: { id: string }) => {
  const own = (dimension: 'situation' | 'personality' | 'industry', name: string) =>
    aCatalogItem(service, { tenantId: team.id, dimension, nameDe: name, nameEn: name });
  return {
    situation_id: await own('situation', 'Price talk'),
    personality_id: await own('personality', 'Sceptic'),
    industry_id: await own('industry', 'Energy'),
  };
};
