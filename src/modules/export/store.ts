import { runIn } from '../../db/database.ts';
import type { Tx } from '../../db/database.ts';
import { query } from '../../db/query.ts';

// An export has no table of its own: it reads those of the other stores.

const begin = query({
  name: 'export.beginSnapshot',
  why: 'Prisma sets no transaction to read only',
  sql: 'set transaction isolation level repeatable read, read only',
  parameters: {},
  row: {},
});

/** From here on a transaction that has read nothing yet sees the database as it is now, whatever is committed meanwhile. */
export const beginSnapshot = (tx: Tx) => runIn(tx, begin, {});
