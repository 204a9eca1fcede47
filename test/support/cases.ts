import { newId } from '../../src/core/ids.ts';
import type { Prisma } from '../../src/db/generated/client.ts';
import type { TestService } from './service.ts';

type Wanted = Omit<Prisma.CaseUncheckedCreateInput, 'tenantId' | 'id' | 'createdAt'> & { createdAt?: Date };

/** Inserts a case into the database without checking any rule. */
export const aCase = async (
  { database, clock }: TestService,
  team: { id: string },
  wanted: Wanted,
): Promise<string> => {
  const id = newId();
  await database.prisma.case.create({ data: { tenantId: team.id, id, createdAt: clock.now(), ...wanted } });
  return id;
};
