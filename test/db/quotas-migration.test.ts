import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { migrationNames } from '../../src/db/migrate.ts';
import { createEmptyDatabase } from '../support/postgres.ts';

it('the migration that added quotas counts what teams had stored before', async () => {
  const { url, drop } = await createEmptyDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await drop();
  });
  const names = await migrationNames();
  const quotas = names.findIndex((name) => name.endsWith('_quotas'));
  const run = async (name: string) =>
    client.query(await readFile(new URL(`../../prisma/migrations/${name}/migration.sql`, import.meta.url), 'utf8'));
  for (const name of names.slice(0, quotas)) await run(name);

  await client.query(`
    insert into team (id, name, plan, seats, created_at)
    select ('00000000-0000-7000-8000-00000000000' || n)::uuid, 'Team', 'team', 10, now() from generate_series(1, 3) n;
    insert into person (id, email, updated_at, created_at) select id, id || '@example.com', now(), now() from team;
    insert into team_user (tenant_id, id, person_id) select id, id, id from team;
    insert into member (tenant_id, id, user_id, email, role, status, joined_at, listed_at, created_at)
    select id, id, id, id || '@example.com', 'owner', 'active', now(), now(), now() from team;
    insert into assignment (tenant_id, id, member_id, title, note, created_at)
    select id, gen_random_uuid(), id, 'Übung', null, now() from team, generate_series(1, 3) where id::text like '%1';
    insert into "case" (tenant_id, id, user_id, title, fields, created_at)
    select id, gen_random_uuid(), id, null, '{"a": 1}', now() from team where id::text like '%1' or id::text like '%2';
    insert into "case" (tenant_id, id, user_id, private, created_at)
    select id, gen_random_uuid(), id, true, now() from team where id::text like '%3';
    insert into training (tenant_id, id, user_id, status, source, external_ref, created_at, finished_at, evaluated_at)
    select id, id, id, 'scored', 'app', '{"a": 1}', now(), now(), now() from team where id::text like '%2';
    insert into evaluation (tenant_id, training_id, closing, conversation_control, needs_analysis, objection_handling,
                            value_argument, tips, strongest, created_at)
    select id, id, 1, 1, 1, 1, 1, '[]', 'ä', now() from team where id::text like '%2';
    insert into idempotency_record (tenant_id, key, fingerprint, answer, created_at, expires_at)
    select id, 'key', '', 'answer', now(), now() from team where id::text like '%2'`);
  for (const name of names.slice(quotas)) await run(name);

  const { rows } = await client.query<{ kind: string; bytes: string }>(
    'select kind, bytes from team_usage order by tenant_id, kind',
  );
  expect(rows.map(({ kind, bytes }) => [kind, Number(bytes)])).toEqual([
    ['stored', 3 * (512 + Buffer.byteLength('Übung')) + 512 + '{"a": 1}'.length],
    ['answers', 0],
    // A case, a training and its evaluation.
    ['stored', 512 + '{"a": 1}'.length + 512 + '{"a": 1}'.length + 512 + '[]'.length + Buffer.byteLength('ä')],
    ['answers', 512 + 'key'.length + 'answer'.length],
    ['stored', 512],
    ['answers', 0],
  ]);
  const { rows: users } = await client.query<{ bytes: string }>(
    'select private_bytes as bytes from team_user order by tenant_id',
  );
  expect(users.map(({ bytes }) => Number(bytes))).toEqual([0, 0, 512]);
});
