import type { SqlDriverAdapter, SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';

const description = { provider: 'postgres', adapterName: '@prisma/adapter-pg' } as const;

const nothing: SqlDriverAdapter = {
  ...description,
  queryRaw: () => Promise.resolve({ columnNames: [], columnTypes: [], rows: [] }),
  executeRaw: () => Promise.resolve(0),
  executeScript: () => Promise.resolve(),
  startTransaction: () => Promise.reject(new Error('There is no database here.')),
  dispose: () => Promise.resolve(),
};

/** The schema engine greets a database even for work that needs none; this one answers the greeting and has nothing. */
export const offlineAdapter: SqlMigrationAwareDriverAdapterFactory = {
  ...description,
  connect: () => Promise.resolve(nothing),
  connectToShadowDb: () => Promise.resolve(nothing),
};
