import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConfigError } from '../../src/core/config-error.ts';
import { migrate, migrationNames, migrationsFolder, pendingMigrations, schemaFile } from '../../src/db/migrate.ts';
import { schemaDifference } from '../../src/db/schema-engine.ts';
import { startServiceProcess } from '../support/production-service.ts';
import { aConnection, createDatabase, createEmptyDatabase, type TestDatabase } from '../support/postgres.ts';
import { kindsBeyondPrisma, thingsBeyondPrisma } from './beyond-prisma.ts';
import { readCatalogue, type Catalogue } from './catalogue.ts';

const connect = async (made: Promise<TestDatabase>): Promise<{ client: pg.Client; url: string }> => {
  const { url, drop } = await made;
  onTestFinished(drop);
  return { client: await aConnection(url), url };
};

const migratedCatalogue = async (): Promise<Catalogue> => readCatalogue((await connect(createDatabase())).client);

const schemaCatalogue = async (): Promise<Catalogue> => {
  const { client } = await connect(createEmptyDatabase());
  await client.query(await schemaDifference(undefined, await readFile(schemaFile, 'utf8')));
  return readCatalogue(client);
};

/** Both catalogues, read once. They are read by a test, because databases are dropped at its end. */
let catalogues: Promise<readonly [Catalogue, Catalogue]> | undefined;
const bothCatalogues = () => (catalogues ??= Promise.all([schemaCatalogue(), migratedCatalogue()]));

/** `-` is only in schema.prisma, `+` only in the migrated database; a thing that differs has both. */
const differences = (schema: Catalogue, migrated: Catalogue): { key: string; line: string }[] => [
  ...[...schema]
    .filter(([key, value]) => migrated.get(key) !== value)
    .map(([key, value]) => ({ key, line: `- ${key}: ${value}` })),
  ...[...migrated]
    .filter(([key, value]) => schema.get(key) !== value)
    .map(([key, value]) => ({ key, line: `+ ${key}: ${value}` })),
];

const tables = '20261124180000_tables';
const handwritten = '20261124180100_beyond_prisma';

/** Leaves the database as it was before the handwritten migration. */
const takeBack = async (client: pg.Client): Promise<void> => {
  await client.query(`
    create schema kept;
    alter table _prisma_migrations set schema kept;
    drop schema public cascade;
    create schema public;
    alter table kept._prisma_migrations set schema public`);
  await client.query(await readFile(join(migrationsFolder, tables, 'migration.sql'), 'utf8'));
};

/** Whether the database has what the handwritten migration adds. */
const hasIt = async (client: pg.Client): Promise<boolean> => {
  const { rows } = await client.query(`select from pg_proc where proname = 'gate'`);
  return rows.length === 1;
};

describe('migrations and schema.prisma', () => {
  it('agree about tables, columns, keys, indexes and enums', async () => {
    const allowed = new Set(thingsBeyondPrisma);
    const found = differences(...(await bothCatalogues()));
    const unexpected = found.filter(
      ({ key }) => !allowed.has(key) && !kindsBeyondPrisma.some((kind) => key.startsWith(`${kind} `)),
    );
    expect(unexpected.map(({ line }) => line)).toEqual([]);
  });

  it('differ only as the list of exceptions says', async () => {
    const found = new Set(differences(...(await bothCatalogues())).map(({ key }) => key));
    expect(thingsBeyondPrisma.filter((key) => !found.has(key))).toEqual([]);
  });
});

describe('the migration of a database', () => {
  it('creates it, applies everything once, and has nothing to do the second time', async () => {
    const { url, drop } = await createEmptyDatabase();
    onTestFinished(drop);
    await drop();
    expect(await pendingMigrations(url)).toEqual(await migrationNames());
    expect(await migrate(url)).toEqual(await migrationNames());
    expect(await migrate(url)).toEqual([]);
    expect(await pendingMigrations(url)).toEqual([]);
  });

  it('applies every migration once when many start at the same time', async () => {
    const { url } = await connect(createEmptyDatabase());
    const applied = await Promise.all([migrate(url), migrate(url), migrate(url), migrate(url)]);
    expect(applied.flat()).toEqual(await migrationNames());
  });

  it('leaves no timer that would keep its process alive', async () => {
    const { url } = await connect(createEmptyDatabase());
    const timers = vi.spyOn(globalThis, 'setTimeout');
    await migrate(url);
    const started = timers.mock.results.flatMap(({ type, value }) => (type === 'return' ? [value] : []));
    // Node has no public function to find out whether a timer is active.
    const pending = started.filter((timer) => timer.hasRef() && Reflect.get(timer, '_destroyed') === false);
    expect(started).not.toEqual([]);
    expect(pending).toEqual([]);
  });

  it('leaves no function whose body PostgreSQL has parsed for a table’s rows: it would refuse to add columns to the table', async () => {
    const { client } = await connect(createDatabase());
    const { rows } = await client.query(`
      select p.oid::regprocedure::text as name from pg_proc p join pg_class c on c.reltype = any (p.proargtypes)
       where p.prosqlbody is not null and c.relnamespace = 'public'::regnamespace`);
    expect(rows).toEqual([]);
  });

  it('leaves no array column that may be null', async () => {
    const { client } = await connect(createDatabase());
    const { rows } = await client.query(
      `select table_name, column_name from information_schema.columns
        where table_schema = 'public' and data_type = 'ARRAY' and is_nullable = 'YES'
          and table_name in (select tablename from pg_tables where schemaname = 'public')`,
    );
    expect(rows).toEqual([]);
  });

  it('leaves a database to which jobs can be added', async () => {
    const { client } = await connect(createDatabase());
    const { rows } = await client.query("select id from graphile_worker.add_job('anything')");
    expect(rows).toHaveLength(1);
  });

  it('gives up on a lock before requests wait behind it, and tries again', async () => {
    const { client, url } = await connect(createDatabase());
    const traffic = await aConnection(url);
    await takeBack(client);
    await client.query(`delete from _prisma_migrations where migration_name = '${handwritten}'`);
    await traffic.query('begin; lock table rate_window in row exclusive mode');
    const said: string[] = [];
    // This migration sets no limit itself, as newer ones must.
    const options = encodeURIComponent('-c timezone=UTC -c lock_timeout=100');
    const migrating = migrate(`${url}?options=${options}`, (line) => said.push(line));
    await expect.poll(() => said).toContain('A table is in use; the migration is tried again');
    await traffic.query('commit');
    expect(await migrating).toEqual([handwritten]);
    expect(await pendingMigrations(url)).toEqual([]);
    expect(await hasIt(client)).toBe(true);
  });

  it('that fails names the migration and the reason, and can be repeated once the cause is removed', async () => {
    const { client, url } = await connect(createDatabase());
    await takeBack(client);
    await client.query(`delete from _prisma_migrations where migration_name = '${handwritten}'`);
    await client.query('create table member_list_idx ()');
    const failure = await migrate(url).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigError);
    expect(failure).toHaveProperty(
      'message',
      `Migration ${handwritten} failed, and nothing of it was applied: relation "member_list_idx" already exists
Remove the cause, then run npm run migrate again.`,
    );
    const { rows } = await client.query('select logs from _prisma_migrations where rolled_back_at is not null');
    expect(rows).toEqual([{ logs: expect.stringContaining('relation "member_list_idx" already exists') }]);
    await client.query('drop table member_list_idx');
    expect(await migrate(url)).toEqual([handwritten]);
  });

  it.each([
    ['it was applied', async () => {}, 'If it has the changes: '],
    ['it was not', takeBack, 'If not: '],
  ])('that was interrupted goes on with a statement of its message: %s', async (_what, prepare, answer) => {
    const { client, url } = await connect(createDatabase());
    await prepare(client);
    await client.query(`update _prisma_migrations set finished_at = null where migration_name = '${handwritten}'`);
    const failure = await migrate(url).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigError);
    expect(String(failure)).toContain(`Migration ${handwritten} was interrupted.`);
    const [, statement = ''] = new RegExp(`${answer} *(update .*;)`).exec(String(failure)) ?? [];
    await client.query(statement);
    await migrate(url);
    expect(await pendingMigrations(url)).toEqual([]);
    expect(await hasIt(client)).toBe(true);
  });

  it('is refused, and so is every start, if an unreleased version with other migrations made it', async () => {
    const { client, url } = await connect(createDatabase());
    await client.query(
      `update _prisma_migrations set migration_name = '20261120000000_domain' where migration_name = '${tables}'`,
    );
    const refusal = /^The database was made by an unreleased version .*: remove the database, or the folder \.data/;
    const failure = await migrate(url).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigError);
    expect(failure).toHaveProperty('message', expect.stringMatching(refusal));
    await expect(startServiceProcess({ databaseUrl: url, role: 'api' })).rejects.toThrow(
      /made by an unreleased version/,
    );
  });

  it('has nothing to do if a newer version added migrations', async () => {
    const { client, url } = await connect(createDatabase());
    await client.query(`
      insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
      values ('newer', '', '20991231000000_newer', now(), 1)`);
    expect(await pendingMigrations(url)).toEqual([]);
    expect(await migrate(url)).toEqual([]);
  });
});
