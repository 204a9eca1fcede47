import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { migrationNames } from '../../src/db/migrate.ts';
import { createDatabase, createEmptyDatabase } from '../support/postgres.ts';
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

it('its migration reads no row, so it holds its locks only for a moment, however many rows there are', async () => {
  const client = await connect(await createEmptyDatabase());
  const names = await migrationNames();
  const first = names.findIndex((name) => name.endsWith('_corrections'));
  const run = async (name = '') =>
    client.query(await readFile(new URL(`../../prisma/migrations/${name}/migration.sql`, import.meta.url), 'utf8'));
  for (const name of names.slice(0, first)) await run(name);
  await client.query(`
    insert into team (id, name, plan, seats, created_at)
    values ('00000000-0000-7000-8000-000000000001', 'Team', 'team', 10, now());
    insert into member (tenant_id, id, email, role, status, rights, invited_at, listed_at, created_at)
    select id, id, 'a@example.com', 'admin', 'invited', '{schnittstellen}', now(), now(), now() from team;
    insert into webhook_endpoint (tenant_id, id, url, events, api_version, secret, created_at)
    select id, id, 'https://example.com/', '{member.joined}', '2026-11', '', now() from team`);
  const notices: string[] = [];
  client.on('notice', ({ message }) => notices.push(message ?? ''));
  await client.query('set client_min_messages = debug1');
  await run(names[first]);
  await client.query('reset client_min_messages');
  const proven = notices.flatMap((notice) => /column "(\S+)" are sufficient to prove/.exec(notice)?.[1] ?? []);
  expect(proven.toSorted()).toEqual([
    'api_key.allowed_ips',
    'api_key.scopes',
    'member.rights',
    'training_week.total',
    'training_week.totalled',
    'webhook_endpoint.events',
  ]);
  expect(notices.filter((notice) => notice.includes('verifying table'))).toEqual([]);
  for (const name of names.slice(first + 1)) await run(name);
  const { rows } = await client.query('select rights, events from member join webhook_endpoint using (tenant_id)');
  expect(rows).toEqual([{ rights: ['schnittstellen'], events: ['member.joined'] }]);
});
