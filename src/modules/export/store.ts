import { runIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { query } from '../../db/query.ts';

// An export has no table. It reads the tables of the other stores.

const begin = query({
  name: 'export.beginSnapshot',
  why: 'Prisma sets no transaction to read only',
  sql: 'set transaction isolation level repeatable read, read only',
  parameters: {},
  row: {},
});

/** Gives a transaction a snapshot: all its reads see the database at one moment. It must be the transaction's first statement. */
export const beginSnapshot = (tx: Tx) => runIn(tx, begin, {});
