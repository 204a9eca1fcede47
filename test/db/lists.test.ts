import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { createDatabase } from '../support/postgres.ts';
import type { TestDatabase } from '../support/postgres.ts';

const connect = async ({ url, drop }: TestDatabase): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await drop();
  });
  return client;
};

it('no array column is nullable', async () => {
  const client = await connect(await createDatabase());
  const { rows } = await client.query(
    `select table_name, column_name from information_schema.columns
      where table_schema = 'public' and data_type = 'ARRAY' and is_nullable = 'YES'
        and table_name in (select tablename from pg_tables where schemaname = 'public')`,
  );
  expect(rows).toEqual([]);
});
