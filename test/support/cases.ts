import { makeId } from '../../src/core/ids.ts';
import type { Prisma } from '../../src/db/generated/client.ts';
import type { TestService } from './service.ts';

interface Wanted extends Pick<Prisma.CaseUncheckedCreateInput, 'userId' | 'title' | 'personaId' | 'private'> {
  fields?: object | null;
  externalRef?: object | null;
  createdAt?: Date;
}

const textOf = (value: object | null | undefined) => (value ? JSON.stringify(value) : null);

/** Inserts a case into the database without checking any rule. */
export const aCase = async (
  { database, clock }: TestService,
  team: { id: string },
  { fields: fieldsAsValue, externalRef: refAsValue, ...wanted }: Wanted,
): Promise<string> => {
  const id = makeId();
  const [fields, externalRef] = [textOf(fieldsAsValue), textOf(refAsValue)];
  const bytes = Buffer.byteLength([wanted.title, wanted.personaId, fields, externalRef].join(''));
  await database.prisma.case.create({
    data: {
      tenantId: team.id,
      id,
      createdAt: clock.now(),
      updatedAt: clock.now(),
      ...wanted,
      fields,
      externalRef,
      bytes,
    },
  });
  return id;
};
