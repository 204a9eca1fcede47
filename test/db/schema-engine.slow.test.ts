import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type pg from 'pg';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConfigError } from '../../src/core/config-error.ts';
import { withDatabase } from '../../src/db/hosts.ts';
import {
  ensureDatabase,
  migrate,
  migrationNames,
  pendingMigrations,
  prepareQueue,
  requireRowSecurity,
} from '../../src/db/migrate.ts';
import { refusePooler } from '../../src/db/pooler.ts';
import { applyMigrations, schemaDifference } from '../../src/db/schema-engine.ts';
import { isUnavailable } from '../../src/db/unavailable.ts';
import { isAlive } from '../../src/run/process.ts';
import { childrenOf } from '../support/production-service.ts';
import { listen } from '../support/ports.ts';
import { aConnection, createEmptyDatabase, withSql } from '../support/postgres.ts';
import { openWire } from '../support/wire.ts';

const anEmptyDatabase = async (): Promise<string> => {
  const { url, drop } = await createEmptyDatabase();
  onTestFinished(drop);
  return url;
};

/** One migration. */
const migrationOf = (value: string) => ({
  baseDir: '',
  lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"' },
  shadowDbInitScript: '',
  migrationDirectories: [
    { path: '20990101000000_one', migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value } } },
  ],
});

const schema = `model Note {\n  id Int @id\n}\n\ndatasource db {\n  provider = "postgresql"\n}\n`;

interface Call {
  readonly name: string;
  run(program?: string): Promise<unknown>;
  readonly answer: unknown;
}

const aMigration: Call = {
  name: 'a migration',
  run: async (program) => applyMigrations(await anEmptyDatabase(), migrationOf('select 1'), { program }),
  answer: ['20990101000000_one'],
};

const aComparison: Call = {
  name: 'a comparison of schemas',
  run: (program) => schemaDifference(undefined, schema, program),
  answer: expect.stringContaining('CREATE TABLE "Note"'),
};

/** Makes the first migration wait until the transaction of this connection ends: both make the same type. */
const makeItWait = async (url: string): Promise<pg.Client> => {
  const other = await aConnection(url);
  other.on('error', () => {}); // one test drops the database
  await other.query(`begin; create type plan as enum ('mine')`);
  return other;
};

const ofThisDatabase = 'datname = current_database()';
/** SQL: the sessions of the database that wait for a lock. */
const waitsForLock = `from pg_stat_activity where ${ofThisDatabase} and wait_event_type = 'Lock'`;

/** Another connection, because a transaction does not see what has happened since. */
const untilItWaits = async (url: string): Promise<pg.Client> => {
  const observer = await aConnection(url);
  observer.on('error', () => {}); // one test drops the database
  await expect.poll(async () => (await observer.query(`select ${waitsForLock}`)).rows).toHaveLength(1);
  return observer;
};

const folder = mkdtempSync(join(tmpdir(), 'team-customer-api-engine-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A program in place of the engine's. Its `ready()` writes its process id beside it. */
const aProgram = (source: string) => {
  const file = join(mkdtempSync(join(folder, 'program-')), 'program.mjs');
  const pidFile = `${file}.pid`;
  writeFileSync(
    file,
    `import { writeFileSync } from 'node:fs';
     const ready = () => writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));
     ${source}`,
  );
  return { file, pid: () => (existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0) };
};

const urlOf = (path: string): string => JSON.stringify(pathToFileURL(path).href);
const bindings = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
const realProgram = join(import.meta.dirname, '..', '..', 'src', 'db', 'schema-engine-process.ts');

/** The real engine, which panics. */
const panics = `ready();
  import { SchemaEngine } from ${urlOf(bindings)};
  SchemaEngine.prototype.applyMigrations = SchemaEngine.prototype.diff = function () { this.debugPanic(); };
  await import(${urlOf(realProgram)});`;

/** What a program says to have a statement run. */
const asks = (sql: string): string =>
  `process.send({ kind: 'statement', statement: { method: 'queryRaw', argument: { sql: '${sql}', args: [], argTypes: [] } } })`;

const ends = [
  ['panics', panics, /^Prisma's schema engine crashed: .*debugPanic/s],
  ['ends', 'ready(); process.exit(3)', /^Prisma's schema engine ended without an answer \(exit code 3\)/],
  [
    'is killed',
    `ready(); process.kill(process.pid, 'SIGKILL')`,
    /^Prisma's schema engine ended without an answer \(SIGKILL\)/,
  ],
] as const;

const hangs = [
  ['never answers', `ready(); process.on('SIGTERM', () => {}); setInterval(() => {}, 1_000)`],
  ['computes without end', 'ready(); for (;;);'],
] as const;

const silentAfterwards = `process.once('message', () => { ${asks('select 1')}; process.on('message', ready); })`;

const each = <Row extends readonly unknown[]>(rows: readonly Row[]) =>
  [aMigration, aComparison].flatMap((call) => rows.map((row) => [call.name, ...row, call] as const));

describe('an engine', () => {
  it.each(each(ends))('that, for %s, %s ends the call with the reason, and the next call works', async (...row) => {
    const [, , source, message, call] = row;
    const { file, pid } = aProgram(source);
    const failure = await call.run(file).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigError);
    expect(failure).toHaveProperty('message', expect.stringMatching(message));
    await expect.poll(() => isAlive(pid())).toBe(false);
    expect(await call.run()).toEqual(call.answer);
  });

  it.each([...each(hangs), [aMigration.name, 'is silent after a statement', silentAfterwards, aMigration] as const])(
    'that, for %s, %s is killed after a minute, and the next call works',
    async (...row) => {
      const [, , source, call] = row;
      const { file, pid } = aProgram(source);
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const failing = call.run(file).catch((error: unknown) => error);
      await expect.poll(() => pid()).toBeGreaterThan(0);
      expect(isAlive(pid())).toBe(true);
      await vi.advanceTimersByTimeAsync(60_000);
      const failure = await failing;
      vi.useRealTimers();
      expect(failure).toBeInstanceOf(ConfigError);
      expect(failure).toHaveProperty('message', expect.stringMatching(/did not answer for 60 seconds/));
      await expect.poll(() => isAlive(pid())).toBe(false);
      expect(await call.run()).toEqual(call.answer);
    },
  );

  it('that gives up waiting for a statement ends the call, which does not wait for the statement either', async () => {
    const url = await anEmptyDatabase();
    const other = await aConnection(url);
    await other.query('select pg_advisory_lock(1)');
    const { file } = aProgram(`process.on('message', () => {
      ${asks('select pg_advisory_lock(1)')};
      process.send({ kind: 'refusal', reason: 'It takes too long.' });
    });`);
    await expect(applyMigrations(url, migrationOf('select 1'), { program: file })).rejects.toThrow(
      new ConfigError("Prisma's schema engine: It takes too long."),
    );
  });

  it('that can not be started ends the call with the reason', async () => {
    const { execPath } = process;
    onTestFinished(() => void (process.execPath = execPath));
    process.execPath = join(folder, 'no-node');
    await expect(schemaDifference(undefined, schema)).rejects.toThrow(
      /^Prisma's schema engine can't be started: .*ENOENT/,
    );
  });

  it('gets the error of a statement of its own, and says it', async () => {
    const url = await anEmptyDatabase();
    await withSql({ databaseUrl: url }, (sql) => sql.query('create view _prisma_migrations as select 1'));
    const applying = applyMigrations(url, migrationOf('select 1'));
    await expect(applying).rejects.toThrow(/^Prisma's schema engine: .*relation "_prisma_migrations" already exists/);
  });

  it('may wait hours for a statement', async () => {
    const url = await anEmptyDatabase();
    const other = await makeItWait(url);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const applying = applyMigrations(url, migrationOf(`create type plan as enum ('ours')`));
    await untilItWaits(url);
    await vi.advanceTimersByTimeAsync(5 * 3_600_000);
    await other.query('rollback');
    expect(await applying).toEqual(['20990101000000_one']);
  });

  it('has none of the limits of time that the database sets for others, and the time zone UTC', async () => {
    const url = await anEmptyDatabase();
    const name = new URL(url).pathname.slice(1);
    await withSql({ databaseUrl: url }, async (sql) => {
      for (const setting of [`statement_timeout = '30s'`, `lock_timeout = '5s'`, `timezone = 'Asia/Tokyo'`])
        await sql.query(`alter database "${name}" set ${setting}`);
    });
    const settings = ['statement_timeout', 'lock_timeout', 'timezone'].map((one) => `current_setting('${one}')`);
    await applyMigrations(
      url,
      migrationOf(`create table settings as select ${settings.map((one, at) => `${one} as s${at}`).join()}`),
    );
    await withSql({ databaseUrl: url }, async (sql) => {
      expect((await sql.query('select * from settings')).rows).toEqual([{ s0: '0', s1: '0', s2: 'UTC' }]);
    });
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('goes on after a %s, which is for its parent', async (signal) => {
    const url = await anEmptyDatabase();
    const other = await makeItWait(url);
    const before = childrenOf(process.pid);
    const migrating = migrate(url);
    await untilItWaits(url);
    const started = childrenOf(process.pid).filter((pid) => !before.includes(pid));
    expect(started).toHaveLength(1);
    for (const pid of started) process.kill(pid, signal);
    await other.query('rollback');
    expect(await migrating).toEqual(await migrationNames());
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)('ends with its parent, after a %s', async (signal) => {
    const url = await anEmptyDatabase();
    await makeItWait(url);
    const script = join(import.meta.dirname, '..', '..', 'scripts', 'migrate.ts');
    const env = { PATH: process.env['PATH'], DATABASE_URL: url };
    const { pid = 0 } = spawn(process.execPath, [script], { stdio: 'ignore', env });
    await untilItWaits(url);
    const [engine = 0] = childrenOf(pid);
    expect(isAlive(engine)).toBe(true);
    process.kill(pid, signal);
    await expect.poll(() => isAlive(engine)).toBe(false);
  });
});

describe('a migration whose connection is lost', () => {
  /** Migrates again, as an operator would: an interrupted migration wants to know whether the database has its changes. */
  const migrateAgain = async (url: string): Promise<void> => {
    await ensureDatabase(url);
    const sql = await aConnection(url);
    const left = `select from pg_stat_activity where ${ofThisDatabase} and application_name like '%migrate'`;
    await expect.poll(async () => (await sql.query(left)).rows).toEqual([]);
    const failure = await migrate(url).catch((error: unknown) => error);
    if (failure instanceof ConfigError) {
      const { rows } = await sql.query(`select to_regclass('team') is not null as applied`);
      const answer = rows[0]?.applied ? 'If it has the changes:' : 'If not:';
      const [, statement = ''] = new RegExp(`was interrupted[^]*${answer} *(update .*;)`).exec(failure.message) ?? [];
      await sql.query(statement);
      await migrate(url);
    }
    expect(await pendingMigrations(url)).toEqual([]);
  };

  it.each([
    ['select pg_try_advisory_lock'],
    ['SELECT EXISTS(SELECT 1 FROM pg_namespace'],
    ['SELECT pg_advisory_lock('],
    ['AS table_name, namespace.nspname'],
    ['CREATE TABLE _prisma_migrations'],
    ['FROM "_prisma_migrations" ORDER BY'],
    ['INSERT INTO "_prisma_migrations"'],
    ['CREATE TYPE "plan"'],
    ['SET "applied_steps_count"'],
    ['SET "finished_at"'],
    ['create schema if not exists "graphile_worker"'],
    ['grant usage on schema public'],
  ])('at %s ends with the reason, and goes on in the next run', async (statement) => {
    const wire = await openWire(await anEmptyDatabase());
    onTestFinished(() => wire.close());
    const isCut = wire.cutAt(statement);
    const failure = await migrate(wire.url).catch((error: unknown) => error);
    await isCut;
    expect(isUnavailable(failure)).toBe(true);
    expect(failure).toHaveProperty('message', expect.stringMatching(/connection .*(lost|terminated)/i));
    expect(await schemaDifference(undefined, schema)).toContain('CREATE TABLE "Note"');
    await migrateAgain(wire.url);
  });

  const end = 'select pg_terminate_backend(pid)';

  it.each<[string, (place: { url: string; observer: pg.Client; close: () => Promise<void> }) => Promise<unknown>]>([
    ['PostgreSQL ends the connection', ({ observer }) => observer.query(`${end} ${waitsForLock}`)],
    [
      'PostgreSQL ends all connections',
      ({ observer }) =>
        observer.query(`${end} from pg_stat_activity where ${ofThisDatabase} and application_name like '%migrate'`),
    ],
    [
      'the database is dropped',
      ({ url }) =>
        withSql({ databaseUrl: withDatabase(url, 'postgres') }, (admin) =>
          admin.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`),
        ),
    ],
    ['the network ends all connections', ({ close }) => close()],
  ])('while its script runs, because %s, does not say that it was applied or not', async (_why, lose) => {
    const url = await anEmptyDatabase();
    const wire = await openWire(url);
    const other = await makeItWait(url);
    const migrating = migrate(wire.url).catch((error: unknown) => error);
    const observer = await untilItWaits(url);
    await lose({ url, observer, close: () => wire.close() });
    const failure = await migrating;
    expect(failure).toBeInstanceOf(ConfigError);
    expect(failure).toHaveProperty(
      'message',
      expect.stringMatching(
        /^The connection to the database was lost during the migration: .+\nRun npm run migrate again when the database can be reached\.$/,
      ),
    );
    await other.query('rollback').catch(() => {}); // it was lost, too, if the database was dropped
    expect(await schemaDifference(undefined, schema)).toContain('CREATE TABLE "Note"');
    await migrateAgain(url);
  });

  it('between two statements does not go on with another connection, which would not have the lock', async () => {
    const { file, pid } = aProgram(`
      ready();
      process.on('SIGUSR2', () => ${asks('select 1')});
      process.once('message', () => {
        ${asks('select 1')};
        process.once('message', () => process.once('message', () => process.send({ kind: 'answer', answer: [] })));
      });`);
    const url = await anEmptyDatabase();
    const other = await aConnection(url);
    const applying = applyMigrations(url, migrationOf('select 1'), { program: file }).catch((error: unknown) => error);
    const endIdle = `${end} from pg_stat_activity where ${ofThisDatabase} and state = 'idle' and query = 'select 1'`;
    await expect.poll(async () => (await other.query(endIdle)).rows).toHaveLength(1);
    process.kill(pid(), 'SIGUSR2');
    expect(String(await applying)).toContain('The connection to the database was lost during the migration: ');
  });
});

describe('a database that does not answer', () => {
  it.each<[string, (url: string) => Promise<unknown>]>([
    ['migrate', migrate],
    ['ensureDatabase', ensureDatabase],
    ['refusePooler', refusePooler],
    ['pendingMigrations', pendingMigrations],
    ['requireRowSecurity', requireRowSecurity],
    ['prepareQueue', prepareQueue],
    ['applyMigrations', (url) => applyMigrations(url, migrationOf('select 1'))],
  ])('ends %s after ten seconds', async (_name, act) => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => {});
      onTestFinished(() => void socket.destroy());
    });
    onTestFinished(() => void server.close());
    const port = await listen(server);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const acting = act(`postgresql://someone@127.0.0.1:${port}/any`).catch((error: unknown) => error);
    await expect.poll(() => connections).toBe(1);
    await vi.advanceTimersByTimeAsync(10_000);
    const failure = await acting;
    expect(isUnavailable(failure)).toBe(true);
    expect(String(failure)).toContain('timeout expired');
  });

  it('is noticed by each connection of a migration while that waits for an answer', async () => {
    const url = await anEmptyDatabase();
    const connects = vi.spyOn(Socket.prototype, 'connect');
    const keepAlives = vi.spyOn(Socket.prototype, 'setKeepAlive');
    await migrate(url);
    const kept = keepAlives.mock.calls.flatMap(([isOn, after = 0], index) =>
      isOn && after > 0 && after <= 60_000 ? [keepAlives.mock.contexts[index]] : [],
    );
    expect(connects.mock.contexts.length).toBeGreaterThan(3);
    expect(new Set(kept)).toEqual(new Set(connects.mock.contexts));
  });
});
