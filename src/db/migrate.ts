import { readFile, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg, { type Client } from 'pg';
import { ConfigError } from '../core/config-error.ts';
import { hostUrls, PrimaryClient, withDatabase } from './hosts.ts';
import { lockNumbers } from './lock-numbers.ts';
import { refusePooler } from './pooler.ts';
import { prepareRequestRole, requestRoleIsReady, requireRequestRole } from './request-role.ts';
import { refuseChangedMigrations } from './migration-checksums.ts';
import { applyMigrations, migrationsName, RefusedScript, runWhole, type RunScript } from './schema-engine.ts';
import { isLockTimeout } from './unavailable.ts';
import { sqlState } from './sqlstate.ts';

/** The steps of a migration that differ for a database with several parts. */
export interface MigrationMeans {
  /** Calls `apply`, which applies our migrations. No other process migrates meanwhile. */
  around(apply: () => Promise<void>): Promise<void>;
  readonly runScript: RunScript;
  /** Options of the connections that make graphile-worker's tables. */
  queueOptions(client: pg.Client): Promise<string | undefined>;
  /** Begins the transaction that gives the role of requests its rights. */
  readonly beginGrants: (client: pg.Client) => Promise<unknown>;
}

const plainMeans: MigrationMeans = {
  around: (apply) => apply(),
  runScript: runWhole,
  queueOptions: async () => undefined,
  beginGrants: (client) => client.query('begin'),
};

/**
 * Migrates our tables and graphile-worker's, and returns the names of our migrations that were applied. Creates the
 * database if it does not exist. Any number of processes may call it at once.
 */
export const migrate = async (
  databaseUrl: string,
  report: (line: string) => void = () => {},
  means = plainMeans,
): Promise<string[]> => {
  await ensureDatabase(databaseUrl);
  await refusePooler(databaseUrl); // a pooler would keep the lock, and pass it on to other clients
  return withClient(databaseUrl, async (client) => {
    if (await isThere(client, '_prisma_migrations')) await refuseChangedMigrations(client, migrationsFolder);
    if (await isCurrent(client)) return [];
    await lock(client);
    const applied = await pendingIn(client);
    if (applied.length > 0) await means.around(() => applyWithRetries(client, { databaseUrl, report, means }));
    for (const name of applied) report(`Applied migration ${name}`);
    await prepareWorkerTables(client, { databaseUrl, report, means });
    await prepareRequestRole(client, report, means.beginGrants);
    return applied;
  });
};

/** The migrations that are not applied yet, oldest first; all of them if the database does not exist. */
export const pendingMigrations = async (databaseUrl: string): Promise<string[]> => {
  try {
    return await withClient(databaseUrl, pendingIn);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === sqlState.noSuchDatabase) return migrationNames();
    throw error;
  }
};

/** Throws if the database lacks migrations. */
export const requireMigrated = async (databaseUrl: string): Promise<void> => {
  const pending = await pendingMigrations(databaseUrl);
  if (pending.length > 0)
    throw new ConfigError(`The database lacks migrations: run npm run migrate (${pending.join(', ')})`);
};

/** Throws if the database can't keep the rows of teams apart for requests. */
export const requireRowSecurity = (databaseUrl: string): Promise<void> => withClient(databaseUrl, requireRequestRole);

const isCurrent = async (client: pg.Client): Promise<boolean> =>
  (await pendingIn(client)).length === 0 &&
  !(await workerTablesArePending(client)) &&
  (await requestRoleIsReady(client));

interface Migration {
  readonly databaseUrl: string;
  readonly report: (line: string) => void;
  readonly means: MigrationMeans;
}

const prepareWorkerTables = async (client: pg.Client, { databaseUrl, report, means }: Migration): Promise<void> => {
  if (!(await workerTablesArePending(client))) return;
  await prepareQueue(databaseUrl, await means.queueOptions(client));
  report('Prepared the job queue');
};

/** `options`: options of the connections. */
export const prepareQueue = async (databaseUrl: string, options?: string): Promise<void> => {
  const { Logger, runMigrations } = await import('graphile-worker');
  const pgPool = new pg.Pool({ connectionString: databaseUrl, Client: PrimaryClient, ...(options && { options }) });
  pgPool.on('error', () => {}); // the statement that needs the connection fails
  pgPool.on('connect', (client) => client.on('error', () => {}));
  try {
    await runMigrations({ pgPool, logger: new Logger(() => () => {}) });
  } finally {
    await pgPool.end();
  }
};

/**
 * How often a migration is tried if it can't get a lock. Each try soon gives up, because requests would wait behind it.
 */
const lockTries = 60;
const betweenTries = 1_000;

const applyWithRetries = async (client: pg.Client, { databaseUrl, report, means }: Migration): Promise<void> => {
  await refuseInterrupted(client);
  for (let tries = 1; ; tries += 1) {
    try {
      await applyMigrations(databaseUrl, await readMigrations(), means);
      return;
    } catch (error) {
      if (!(error instanceof RefusedScript)) throw error;
      // A migration is one transaction, so a failed one had no effect. Without this statement the engine would refuse
      // to apply it again.
      const { rows } = await client.query(GIVEN_UP);
      if (!isLockTimeout(error.cause) || tries === lockTries) {
        const message = `Migration ${rows[0]?.migration_name} failed, and nothing of it was applied: ${error.message}
Remove the cause, then run npm run migrate again.`;
        throw new ConfigError(message, { cause: error.cause });
      }
      report('A table is in use; the migration is tried again');
      await sleep(betweenTries);
    }
  }
};

const UNFINISHED = 'finished_at is null and rolled_back_at is null';
const GIVEN_UP = `update _prisma_migrations set rolled_back_at = now() where ${UNFINISHED} returning migration_name`;

/** If a migration's process or connection was lost, only an operator can see whether it has committed. */
const refuseInterrupted = async (client: pg.Client): Promise<void> => {
  if (!(await isThere(client, '_prisma_migrations'))) return;
  const { rows } = await client.query(`select migration_name from _prisma_migrations where ${UNFINISHED}`);
  if (rows.length === 0) return;
  throw new ConfigError(`Migration ${rows[0]?.migration_name} was interrupted. It was applied completely or not at all: see whether the database has the changes of its migration.sql.
Run one of these statements on the database, then npm run migrate again.
  If it has the changes: update _prisma_migrations set finished_at = now() where ${UNFINISHED};
  If not:                update _prisma_migrations set rolled_back_at = now() where ${UNFINISHED};`);
};

export const isThere = async (client: pg.Client, name: string): Promise<boolean> => {
  const { rows } = await client.query('select to_regclass($1) is not null as present', [name]);
  return rows[0]?.present === true;
};

const pendingIn = async (client: pg.Client): Promise<string[]> => {
  const done = (await isThere(client, '_prisma_migrations')) ? await client.query(FINISHED) : { rows: [] };
  const finished = new Set(done.rows.map((row) => row.migration_name));
  const names = await migrationNames();
  // The first release replaced the migrations of the unreleased versions before it. Later releases only add migrations,
  // so each of their databases has the first one.
  if (finished.size > 0 && !finished.has(names[0])) throw new ConfigError(UNRELEASED);
  return names.filter((name) => !finished.has(name));
};

const UNRELEASED =
  "The database was made by an unreleased version and can't be migrated: remove the database, or the folder .data (DATA_DIR) of the embedded PostgreSQL, and start again.";

const FINISHED =
  'select migration_name from _prisma_migrations where finished_at is not null and rolled_back_at is null';

/** Takes the lock of migrations until the connection ends, unless another process has it. */
export const tryLock = async (client: pg.Client): Promise<boolean> => {
  const { rows } = await client.query('select pg_try_advisory_lock($1) as locked', [lockNumbers.migration]);
  return rows[0]?.locked === true;
};

/**
 * Takes the lock of migrations until the connection ends. This function tries again instead of waiting: a waiting
 * statement would hold a snapshot, and a migration that creates an index concurrently would have to wait for this
 * snapshot.
 */
export const lock = async (client: pg.Client): Promise<void> => {
  while (!(await tryLock(client))) await sleep(100);
};

export const withClient = async <T>(
  databaseUrl: string,
  action: (client: pg.Client) => Promise<T>,
  limits: Pick<pg.ClientConfig, 'connectionTimeoutMillis' | 'statement_timeout' | 'query_timeout'> = {},
): Promise<T> => {
  const client = new PrimaryClient({
    connectionString: databaseUrl,
    application_name: migrationsName,
    options: '-c timezone=UTC',
    ...limits,
  });
  let lost: Error | undefined;
  client.on('error', (error) => (lost = error));
  try {
    await client.connect();
    await requireUtc(client);
    return await action(client);
  } catch (error) {
    throw error instanceof ConfigError ? error : (lost ?? error);
  } finally {
    // A server that hangs never answers that the connection has ended.
    const leaving = setTimeout(() => client.connection.stream.destroy(), leaveAfterMs);
    await client.end();
    clearTimeout(leaving);
  }
};

const leaveAfterMs = 2_000;

/**
 * Throws unless the session has the time zone UTC, in which all times are read. Every connection asks for it by an
 * option, but a pooler or `options` in the URL may drop this option.
 */
const requireUtc = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query(`select current_setting('timezone') as zone, quote_ident(current_user) as role`);
  const { zone, role } = rows[0] ?? {};
  if (zone === 'UTC' || zone === 'Etc/UTC') return;
  throw new ConfigError(`The time zone of database sessions is ${zone}, but it must be UTC: every time would be wrong.
The setting "-c timezone=UTC" of this process does not arrive, because of a connection pooler or of "options" in DATABASE_URL.
Run this on the database: ALTER ROLE ${role} SET timezone = 'UTC';`);
};

/** Two processes may create the database at the same moment. */
const alreadyThere = new Set<string>([sqlState.databaseExists, sqlState.uniqueViolation]);

/** Creates the database of the URL if it does not exist, through the `postgres` database of the same server. */
export const ensureDatabase = async (databaseUrl: string): Promise<void> => {
  const refusal = await refusalOf(databaseUrl, 'select 1');
  if (refusal === undefined) return;
  if (refusal.code !== sqlState.noSuchDatabase) throw refusal;

  const name = decodeURIComponent(new URL(hostUrls(databaseUrl)[0]).pathname.slice(1));
  const failure = await refusalOf(
    withDatabase(databaseUrl, 'postgres'),
    `create database ${pg.escapeIdentifier(name)}`,
  );
  if (failure && !alreadyThere.has(failure.code ?? '')) {
    throw new ConfigError(`The database "${name}" does not exist and could not be created: ${failure.message}`, {
      cause: failure,
    });
  }
};

/** Returns the error with which the server refuses a statement. Throws all other errors. */
const refusalOf = async (url: string, sql: string): Promise<pg.DatabaseError | undefined> => {
  const client = new PrimaryClient({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(sql);
    return undefined;
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error;
    throw error;
  } finally {
    await client.end();
  }
};

const prismaFolder = join(import.meta.dirname, '..', '..', 'prisma');

export const schemaFile = join(prismaFolder, 'schema.prisma');
export const migrationsFolder = join(prismaFolder, 'migrations');

/** The names of our migrations, oldest first: a name begins with its time. */
export const migrationNames = async (): Promise<string[]> => {
  const entries = await readdir(migrationsFolder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
};

const readMigrations = async (): Promise<MigrationList> => ({
  baseDir: migrationsFolder,
  lockfile: {
    path: 'migration_lock.toml',
    content: await readFile(join(migrationsFolder, 'migration_lock.toml'), 'utf8'),
  },
  shadowDbInitScript: '',
  migrationDirectories: await Promise.all((await migrationNames()).map(readMigration)),
});

const readMigration = async (name: string) => {
  const value = await readFile(join(migrationsFolder, name, 'migration.sql'), 'utf8');
  return { path: name, migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value } } };
};

/** Whether graphile-worker has migrations to apply. Asking is cheaper than starting it. */
const workerTablesArePending = async (client: Client): Promise<boolean> => {
  if (!(await isThere(client, 'graphile_worker.migrations'))) return true;
  const { rows } = await client.query('select max(id) as newest from graphile_worker.migrations');
  return Number(rows[0]?.newest ?? 0) < (await newestMigration());
};

/**
 * graphile-worker's package has its migrations as numbered files (`000018.sql`); its table has the numbers of those
 * that were applied.
 */
const newestMigration = async (): Promise<number> => {
  const entry = createRequire(import.meta.url).resolve('graphile-worker');
  const files = await readdir(join(dirname(entry), '..', 'sql'));
  return Math.max(...files.map((file) => Number.parseInt(file, 10)));
};
