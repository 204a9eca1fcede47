import { Problem } from '../../src/core/problem.ts';
import { readDocument, type CatalogDocument } from '../../src/modules/catalog/document.ts';
import { useTestService, type TestService } from '../support/service.ts';

export const read = (document: unknown): CatalogDocument => readDocument(Buffer.from(JSON.stringify(document)));

/** The counts of an import that changes nothing. */
export const none = { itemsCreated: 0, itemsChanged: 0, itemsUnchanged: 0, rulesCreated: 0, rulesRemoved: 0 };

/** A service for the test file, and a function that empties its global catalog. */
export const useEmptyCatalog = async () => {
  const service = await useTestService({ own: true });
  return async (): Promise<TestService> => {
    await service.database.prisma.catalogRule.deleteMany();
    await service.database.prisma.catalogItem.deleteMany();
    return service;
  };
};

export const refusalOf = async (action: () => unknown): Promise<Problem> => {
  try {
    await action();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('it was not refused');
};
