import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import { offlineAdapter } from './offline-adapter.ts';

/** Nothing in the database is managed by somebody else as far as Prisma is concerned. */
const filters = { externalTables: [], externalEnums: [] };

/** Applies what the database lacks and returns the names: what `prisma migrate deploy` does, without its binary. */
export const applyMigrations = async (databaseUrl: string, migrationsList: MigrationList): Promise<string[]> => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1, application_name: 'team-customer-api migrate' });
  pool.on('error', () => {}); // the engine's next statement says it better
  const scripts = new WholeScripts(pool);
  try {
    const engine = await loadEngine(scripts);
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters });
    engine.free();
    return appliedMigrationNames;
  } catch (error) {
    // Of PostgreSQL's own refusal the engine says nothing.
    if (scripts.refusal === undefined || !(error instanceof Error)) throw error;
    // oxlint-disable-next-line eslint/preserve-caught-error -- the cause is what PostgreSQL said; the engine's message is in the text
    throw new Error(`${scripts.refusal.message}\n${error.message}`, { cause: scripts.refusal });
  } finally {
    await pool.end(); // the engine itself never lets go of its connections
  }
};

/**
 * The adapter cuts a script at every semicolon, also inside a function's body. PostgreSQL takes the script as it is, and
 * runs it all or not at all.
 */
class WholeScripts extends PrismaPg {
  /** Why PostgreSQL refused a script. */
  refusal: Error | undefined;

  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    adapter.executeScript = async (script) => {
      try {
        await adapter.underlyingDriver().query(script);
      } catch (error) {
        if (error instanceof Error) this.refusal = error;
        throw error;
      }
    };
    return adapter;
  }
}

/** The SQL that leads from one schema (none: an empty database) to another; empty when there is no difference. */
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

/** Once per process: its bindings keep state and can't stand a second instance. */
let program: ReturnType<typeof loadProgram> | undefined;

/** The engine never clears the timer of a time limit that it did not reach: a process would end only 10 seconds after it migrated. */
const importsOf = (bindings: object) =>
  Object.fromEntries(
    Object.entries(bindings).map(([name, binding]) => [
      name,
      name.startsWith('__wbg_setTimeout_')
        ? (...given: unknown[]): NodeJS.Timeout => binding(...given).unref()
        : binding,
    ]),
  );

/** Prisma's schema engine as WebAssembly. It weighs 5 MB, so it is loaded only when there is work for it. */
const loadProgram = async () => {
  const bindings = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const code = await readFile(join(dirname(entry), 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(code, { './schema_engine_bg.js': importsOf(bindings) });
  bindings.__wbg_set_wasm(instance.exports);
  const { __wbindgen_start: start } = instance.exports;
  if (typeof start === 'function') start();
  // Where the engine leaves its last words before it aborts; without it they are a TypeError that says nothing.
  Reflect.set(globalThis, 'PRISMA_WASM_PANIC_REGISTRY', {
    set_message: (message: string) => console.error(`Prisma's schema engine: ${message}`),
  });
  return bindings;
};
