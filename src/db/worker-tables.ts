import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Client } from 'pg';

/** Whether graphile-worker would change its tables; asking is cheaper than starting it. */
export const workerTablesArePending = async (client: Client): Promise<boolean> => {
  const { rows: tables } = await client.query(
    "select to_regclass('graphile_worker.migrations') is not null as present",
  );
  if (!tables[0]?.present) return true;
  const { rows } = await client.query('select max(id) as newest from graphile_worker.migrations');
  return Number(rows[0]?.newest ?? 0) < (await newestMigration());
};

/** Its package carries its migrations as numbered files (`000018.sql`), and its tables remember the numbers. */
const newestMigration = async (): Promise<number> => {
  const entry = createRequire(import.meta.url).resolve('graphile-worker');
  const files = await readdir(join(dirname(entry), '..', 'sql'));
  return Math.max(...files.map((file) => Number.parseInt(file, 10)));
};
