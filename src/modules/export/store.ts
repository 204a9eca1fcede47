import { runIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { bool, query } from '../../db/query.ts';

// An export has no table. It reads the tables of the other stores.

const begin = query({
  name: 'export.beginSnapshot',
  why: 'Prisma sets no transaction to read only',
  sql: 'set transaction isolation level repeatable read, read only',
  parameters: {},
  row: {},
});

const take = query({
  name: 'export.takeSnapshot',
  why: 'Prisma has no query that reads no table',
  sql: 'select true as taken',
  parameters: {},
  row: { taken: bool.checked },
});

/**
 * Gives a transaction a snapshot: all its reads see the database at this moment. It must be the transaction's first statement. PostgreSQL
 * takes the snapshot with the first query after it, so one follows at once.
 */
export const beginSnapshot = async (tx: Tx): Promise<void> => {
  await runIn(tx, begin, {});
  await runIn(tx, take, {});
};
