import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import {
  bindMigrationAwareSqlAdapterFactory,
  DriverAdapterError,
  type Error as AdapterError,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
  type SqlQuery,
} from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';

// The process of Prisma's schema engine, which is WebAssembly. schema-engine.ts starts it for one call and kills it after
// the answer. It has no connection to the database: it sends each statement to schema-engine.ts, which runs it.

/** The first message that the process gets. */
export type EngineTask =
  | { kind: 'apply'; migrationsList: MigrationList }
  /** From undefined: from an empty database. */
  | { kind: 'compare'; from: string | undefined; to: string };

/** A method of Prisma's adapter, and the argument with which the engine calls it. */
export type EngineStatement =
  | { method: 'queryRaw' | 'executeRaw'; argument: SqlQuery }
  | { method: 'executeScript'; argument: string };

/** The messages that the process gets after its task: the results of its statements. */
export type EngineReply = { value: unknown } | { error: AdapterError };

/** The messages that the process sends. */
export type EngineMessage =
  | { kind: 'statement'; statement: EngineStatement }
  /** Names of migrations, or SQL. */
  | { kind: 'answer'; answer: string[] | string }
  | { kind: 'refusal' | 'crash'; reason: string };

/** A message can't be sent if the other process has ended, which is no error. */
const send = (message: EngineMessage): void => void process.send?.(message, () => {});

// The other process handles a stop signal. Once it has ended, this process is not needed any more.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.once('disconnect', () => process.exit());

// Statements

const description = { provider: 'postgres', adapterName: '@prisma/adapter-pg' } as const;

/** The statement that has no reply yet. The engine runs one statement after the other. */
let running: PromiseWithResolvers<unknown> | undefined;

const run = <Result>(statement: EngineStatement): Promise<Result> => {
  if (running) return Promise.reject(new Error('Another statement is running.'));
  running = Promise.withResolvers<unknown>();
  send({ kind: 'statement', statement });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/consistent-type-assertions -- it is the result of the adapter's method
  return running.promise as Promise<Result>;
};

const onReply = (reply: EngineReply): void => {
  const { resolve, reject } = running ?? {};
  running = undefined;
  if ('value' in reply) resolve?.(reply.value);
  else reject?.(new DriverAdapterError(reply.error));
};

const noTransactions = () => Promise.reject(new Error('The engine begins no transaction here.'));

const elsewhere: SqlDriverAdapter = {
  ...description,
  queryRaw: (argument) => run({ method: 'queryRaw', argument }),
  executeRaw: (argument) => run({ method: 'executeRaw', argument }),
  executeScript: (argument) => run({ method: 'executeScript', argument }),
  startTransaction: noTransactions,
  dispose: () => Promise.resolve(),
};

/** The engine requires a database even for a task that needs none, so it gets an empty one. */
const nowhere: SqlDriverAdapter = {
  ...description,
  queryRaw: () => Promise.resolve({ columnNames: [], columnTypes: [], rows: [] }),
  executeRaw: () => Promise.resolve(0),
  executeScript: () => Promise.resolve(),
  startTransaction: noTransactions,
  dispose: () => Promise.resolve(),
};

// The engine

const makeEngine = async (adapter: SqlDriverAdapter): Promise<bindings.SchemaEngine> => {
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const code = await readFile(join(dirname(entry), 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(code, { './schema_engine_bg.js': { ...bindings } });
  bindings.__wbg_set_wasm(instance.exports);
  const { __wbindgen_start: start } = instance.exports;
  if (typeof start === 'function') start();
  // The engine writes the message of a crash here.
  Reflect.set(globalThis, 'PRISMA_WASM_PANIC_REGISTRY', {
    set_message: (reason: string) => send({ kind: 'crash', reason }),
  });
  const factory: SqlMigrationAwareDriverAdapterFactory = {
    ...description,
    connect: () => Promise.resolve(adapter),
    connectToShadowDb: () => Promise.resolve(adapter),
  };
  return bindings.SchemaEngine.new({ datamodels: undefined }, () => {}, bindMigrationAwareSqlAdapterFactory(factory));
};

/** For Prisma, nothing in the database belongs to another tool. */
const filters = { externalTables: [], externalEnums: [] };

const files = (content: string) => ({ files: [{ path: 'schema.prisma', content }] });

const DIFFERENT = 2;

const answerTo = async (task: EngineTask): Promise<string[] | string> => {
  if (task.kind === 'apply') {
    const engine = await makeEngine(elsewhere);
    return (await engine.applyMigrations({ migrationsList: task.migrationsList, filters })).appliedMigrationNames;
  }
  const engine = await makeEngine(nowhere);
  const { exitCode, stdout } = await engine.diff({
    from: task.from === undefined ? { tag: 'empty' } : { tag: 'schemaDatamodel', ...files(task.from) },
    to: { tag: 'schemaDatamodel', ...files(task.to) },
    script: true,
    exitCode: true,
    filters,
  });
  return exitCode === DIFFERENT ? (stdout ?? '') : '';
};

process.once('message', (task: EngineTask) => {
  process.on('message', onReply);
  answerTo(task).then(
    (answer) => send({ kind: 'answer', answer }),
    (error: unknown) => send({ kind: 'refusal', reason: error instanceof Error ? error.message : String(error) }),
  );
});
