import type { Database } from '../../src/db/database.ts';

/** Runs something on each machine of the database; a plain one is one machine. */
export const onEachNode = <T>(database: Database, action: () => Promise<T>): Promise<T[]> =>
  Promise.all(database.nodes().map(({ run }) => run(action)));
