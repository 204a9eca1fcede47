import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlMigrationAwareDriverAdapterFactory,
  type SqlDriverAdapter,
} from '@prisma/driver-adapter-utils';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import { PrimaryClient } from './hosts.ts';
import { distributedStatements, hasPlacedTeams } from './distributed-tables.ts';

const description = { provider: 'postgres', adapterName: '@prisma/adapter-pg' } as const;

/** For Prisma, nothing in the database belongs to another tool. */
const filters = { externalTables: [], externalEnums: [] };

/** Applies the missing migrations and returns their names, like `prisma migrate deploy` but without its binary. */
export const applyMigrations = async (databaseUrl: string, migrationsList: MigrationList): Promise<string[]> => {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    Client: PrimaryClient,
    max: 1,
    application_name: 'team-customer-api migrate',
    // Without the limits that the role has for requests.
    options: '-c timezone=UTC -c statement_timeout=0 -c lock_timeout=0',
  });
  pool.on('error', () => {}); // the engine's next statement fails with a better message
  /** The error with which PostgreSQL refused a script. */
  let refusal: unknown;
  try {
    const engine = await loadEngine(adapterForWholeScripts(pool, (error) => (refusal = error)));
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters });
    engine.free();
    return appliedMigrationNames;
  } catch (error) {
    // The engine's error does not contain PostgreSQL's message.
    if (!(refusal instanceof Error && error instanceof Error)) throw error;
    // oxlint-disable-next-line eslint/preserve-caught-error -- the cause is what PostgreSQL said; the engine's message is in the text
    throw new Error(`${refusal.message}\n${error.message}`, { cause: refusal });
  } finally {
    await pool.end(); // the engine never closes its connections
  }
};

/**
 * Prisma's adapter around a pool, but PostgreSQL runs a whole script, all or nothing. The adapter by itself splits a
 * script at every semicolon, even inside a function's body.
 */
const adapterForWholeScripts = (
  pool: pg.Pool,
  onRefusal: (error: unknown) => void,
): SqlMigrationAwareDriverAdapterFactory => {
  const factory = new PrismaPg(pool);
  return {
    ...description,
    connect: async () => {
      const adapter = await factory.connect();
      return {
        ...description,
        queryRaw: (query) => adapter.queryRaw(query),
        executeRaw: (query) => adapter.executeRaw(query),
        startTransaction: (isolationLevel) => adapter.startTransaction(isolationLevel),
        getConnectionInfo: () => adapter.getConnectionInfo(),
        dispose: () => adapter.dispose(),
        executeScript: (script) =>
          runScript(pool, script).catch((error: unknown) => {
            onRefusal(error);
            throw error;
          }),
      };
    },
    connectToShadowDb: () => factory.connectToShadowDb(),
  };
};

const runScript = async (pool: pg.Pool, script: string): Promise<void> => {
  const client = await pool.connect();
  try {
    if (await hasPlacedTeams(client)) await runOneByOne(client, distributedStatements(script));
    else await client.query(script);
  } finally {
    client.release();
  }
};

const runOneByOne = async (client: pg.PoolClient, statements: readonly string[]): Promise<void> => {
  const [first, ...others] = statements;
  if (others.length === 0) {
    if (first !== undefined) await client.query(first); // CONCURRENTLY does not work in a transaction
    return;
  }
  await client.query('begin');
  try {
    // Without this setting, a reference is refused in the transaction that makes its table.
    await client.query(`set local citus.multi_shard_modify_mode = 'sequential'`);
    for (const statement of statements) await client.query(statement);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
};

/** The SQL that changes one schema (undefined: an empty database) to another; empty if they are equal. */
export const schemaDifference = async (from: string | undefined, to: string): Promise<string> => {
  const engine = await loadEngine(offlineAdapter);
  const { exitCode, stdout } = await engine.diff({
    from: from === undefined ? { tag: 'empty' } : { tag: 'schemaDatamodel', ...files(from) },
    to: { tag: 'schemaDatamodel', ...files(to) },
    script: true,
    exitCode: true,
    filters,
  });
  engine.free();
  return exitCode === DIFFERENT ? (stdout ?? '') : '';
};

const DIFFERENT = 2;

const files = (content: string) => ({ files: [{ path: 'schema.prisma', content }] });

const loadEngine = async (adapter: SqlMigrationAwareDriverAdapterFactory): Promise<SchemaEngine> => {
  const { SchemaEngine } = await (program ??= loadProgram());
  return SchemaEngine.new({ datamodels: undefined }, () => {}, bindMigrationAwareSqlAdapterFactory(adapter));
};

/** Loaded once per process: the bindings have state and allow only one instance. */
let program: ReturnType<typeof loadProgram> | undefined;

/**
 * The engine does not clear the timer of a time limit, which would keep the process alive for 10 seconds after a
 * migration.
 */
const importsOf = (bindings: object) =>
  Object.fromEntries(
    Object.entries(bindings).map(([name, binding]) => [
      name,
      name.startsWith('__wbg_setTimeout_')
        ? (...given: unknown[]): NodeJS.Timeout => binding(...given).unref()
        : binding,
    ]),
  );

/** Prisma's schema engine as WebAssembly. It has 5 MB, so it is loaded only when it is needed. */
const loadProgram = async () => {
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const code = await readFile(join(dirname(entry), 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(code, { './schema_engine_bg.js': importsOf(bindings) });
  bindings.__wbg_set_wasm(instance.exports);
  const { __wbindgen_start: start } = instance.exports;
  if (typeof start === 'function') start();
  // The engine writes the message of a crash here. Without it, the error would be a TypeError without a reason.
  Reflect.set(globalThis, 'PRISMA_WASM_PANIC_REGISTRY', {
    set_message: (message: string) => console.error(`Prisma's schema engine: ${message}`),
  });
  return bindings;
};

const nothing: SqlDriverAdapter = {
  ...description,
  queryRaw: () => Promise.resolve({ columnNames: [], columnTypes: [], rows: [] }),
  executeRaw: () => Promise.resolve(0),
  executeScript: () => Promise.resolve(),
  startTransaction: () => Promise.reject(new Error('There is no database here.')),
  dispose: () => Promise.resolve(),
};

/** The schema engine wants a database connection even if it needs no database. This one is empty. */
const offlineAdapter: SqlMigrationAwareDriverAdapterFactory = {
  ...description,
  connect: () => Promise.resolve(nothing),
  connectToShadowDb: () => Promise.resolve(nothing),
};
