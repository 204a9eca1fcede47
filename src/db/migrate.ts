import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, runMigrations } from 'graphile-worker';
import pg from 'pg';
import { ensureDatabase } from './ensure-database.ts';
import { migrationNames, readMigrations } from './migration-files.ts';
import { isLockTimeout } from './unavailable.ts';
import { workerTablesArePending } from './worker-tables.ts';
import { applyMigrations } from './schema-engine.ts';

/**
 * Brings the database up to date, ours and graphile-worker's tables, and returns the names of our migrations that were
 * applied. Creates the database if it does not exist. Any number of processes may call it at once.
 */
export const migrate = async (databaseUrl: string, report: (line: string) => void = () => {}): Promise<string[]> => {
  await ensureDatabase(databaseUrl);
  return withClient(databaseUrl, async (client) => {
    if (await isCurrent(client)) return [];
    await lock(client);
    return apply(client, databaseUrl, report);
  });
};

/** The migrations that the database lacks, oldest first: all of them if the database itself does not exist. */
export const pendingMigrations = async (databaseUrl: string): Promise<string[]> => {
  try {
    return await withClient(databaseUrl, pendingIn);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === NO_SUCH_DATABASE) return migrationNames();
    throw error;
  }
};

const NO_SUCH_DATABASE = '3D000';

const isCurrent = async (client: pg.Client): Promise<boolean> =>
  (await pendingIn(client)).length === 0 && !(await workerTablesArePending(client));

const apply = async (client: pg.Client, databaseUrl: string, report: (line: string) => void): Promise<string[]> => {
  const applied = await pendingIn(client);
  if (applied.length > 0) await applyPatiently(client, databaseUrl, report);
  for (const name of applied) report(`Applied migration ${name}`);
  if (await workerTablesArePending(client)) {
    await runMigrations({ connectionString: databaseUrl, logger: new Logger(() => () => {}) });
    report('Prepared the job queue');
  }
  return applied;
};

/** A migration gives up soon where it has to wait for a lock, since requests would wait behind it. Then it is tried again. */
const lockTries = 60;
const betweenTries = 1_000;

const applyPatiently = async (
  client: pg.Client,
  databaseUrl: string,
  report: (line: string) => void,
): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    try {
      await applyMigrations(databaseUrl, await readMigrations());
      return;
    } catch (error) {
      const isBusy = error instanceof Error && isLockTimeout(error.cause);
      if (!isBusy || tries === lockTries) throw error;
      // Nothing of it was done: a migration is one transaction. Without this the engine asks an operator to decide.
      await client.query(GIVEN_UP);
      report('A table is in use; the migration is tried again');
      await sleep(betweenTries);
    }
  }
};

const GIVEN_UP =
  'update _prisma_migrations set rolled_back_at = now() where finished_at is null and rolled_back_at is null';

const pendingIn = async (client: pg.Client): Promise<string[]> => {
  const { rows: tables } = await client.query("select to_regclass('_prisma_migrations') is not null as present");
  const done = tables[0]?.present ? await client.query(FINISHED) : { rows: [] };
  const finished = new Set(done.rows.map((row) => row.migration_name));
  return (await migrationNames()).filter((name) => !finished.has(name));
};

const FINISHED =
  'select migration_name from _prisma_migrations where finished_at is not null and rolled_back_at is null';

/** Any number that other users of the server are unlikely to take. */
const LOCK = 7_265_108_114;

/**
 * Held until the connection ends. Asked for again and again instead of waited for: a waiting statement would hold a
 * snapshot, and a migration that creates an index concurrently would wait for that in turn.
 */
const lock = async (client: pg.Client): Promise<void> => {
  for (;;) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as locked', [LOCK]);
    if (rows[0]?.locked) return;
    await sleep(100);
  }
};

const withClient = async <T>(databaseUrl: string, action: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'team-customer-api migrate' });
  let lost: Error | undefined;
  client.on('error', (error) => (lost = error));
  try {
    await client.connect();
    return await action(client);
  } catch (error) {
    throw lost ?? error;
  } finally {
    await client.end();
  }
};
