import { expect, it } from 'vitest';
import { useConnection, useDatabase } from '../support/postgres.ts';

const client = await useConnection((await useDatabase()).url);

it('no array column is nullable', async () => {
  const { rows } = await client.query(
    `select table_name, column_name from information_schema.columns
      where table_schema = 'public' and data_type = 'ARRAY' and is_nullable = 'YES'
        and table_name in (select tablename from pg_tables where schemaname = 'public')`,
  );
  expect(rows).toEqual([]);
});
