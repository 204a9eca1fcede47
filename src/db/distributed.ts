import type { Database } from './database.ts';
import { bool, query } from './query.ts';

// A distributed PostgreSQL (the extension Citus) has all rows of a team on one machine. Nearly all statements are the same there. The
// exceptions ask here.

const findExtension = query({
  name: 'database.isDistributed',
  why: 'reads a table of PostgreSQL itself',
  sql: `select exists (select from pg_extension where extname = 'citus') as distributed`,
  parameters: {},
  row: { distributed: bool.checked },
});

type Runner = Pick<Database, 'run'>;

const known = new WeakMap<Runner, boolean>();

/** Whether the database is distributed. Asks once. */
export const isDistributed = async (database: Runner): Promise<boolean> => {
  const answer = known.get(database) ?? (await database.run(findExtension, {}))[0]?.distributed === true;
  known.set(database, answer);
  return answer;
};
