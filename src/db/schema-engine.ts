import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { isDriverAdapterError } from '@prisma/driver-adapter-utils';
import type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import { z } from 'zod';
import { ConfigError } from '../core/config-error.ts';
import { PrimaryClient } from './hosts.ts';
import type { EngineMessage, EngineReply, EngineStatement, EngineTask } from './schema-engine-process.ts';
import { isUnreachable } from './unavailable.ts';

// Prisma's schema engine. After a crash it may never answer again, so each call has a process of its own
// (schema-engine-process.ts) that is killed at the end. The engine's statements run in this process. So this process
// can tell the engine's time, which is limited, from PostgreSQL's: a statement may take hours.

const engineProgram = fileURLToPath(new URL('./schema-engine-process.ts', import.meta.url));

/** The name of all connections of a migration. */
export const migrationsName = 'team-customer-api migrate';

/** How long the engine may take for its start, between two statements, and for its answer. */
const answerWithinMs = 60_000;

/** PostgreSQL refused the script of a migration, so it was not applied, not even in part. */
export class RefusedScript extends Error {
  override readonly name = 'RefusedScript';
  override readonly cause: pg.DatabaseError;

  constructor(cause: pg.DatabaseError) {
    super(cause.message);
    this.cause = cause;
  }
}

/** Runs the script of a migration, all or nothing. */
export type RunScript = (client: pg.PoolClient, script: string) => Promise<unknown>;

/** PostgreSQL runs a whole script. Prisma's adapter would split it at every semicolon, even inside a function's body. */
export const runWhole: RunScript = (client, script) => client.query(script);

interface EngineOptions {
  program?: string | undefined;
  runScript?: RunScript;
}

/** Applies the missing migrations and returns their names, like `prisma migrate deploy` but without its binary. */
export const applyMigrations = async (
  databaseUrl: string,
  migrationsList: MigrationList,
  { program = engineProgram, runScript = runWhole }: EngineOptions = {},
): Promise<string[]> => {
  const session = await openSession(databaseUrl, runScript);
  try {
    return z.array(z.string()).parse(await callEngine({ kind: 'apply', migrationsList }, program, session.run));
  } catch (error) {
    const refusal = session.refusal();
    if (refusal) throw new RefusedScript(refusal);
    if (isUnreachable(error)) throw lostConnection(error);
    throw error;
  } finally {
    await session.end();
  }
};

/** The SQL that changes one schema (undefined: an empty database) to another; empty if they are equal. */
export const schemaDifference = async (
  from: string | undefined,
  to: string,
  program = engineProgram,
): Promise<string> => {
  const noDatabase = () => Promise.reject(new Error('There is no database here.'));
  return z.string().parse(await callEngine({ kind: 'compare', from, to }, program, noDatabase));
};

const lostConnection = (cause: unknown): ConfigError => {
  const [reason] = cause instanceof AggregateError ? cause.errors : [cause];
  return new ConfigError(
    `The connection to the database was lost during the migration: ${reason instanceof Error ? reason.message : String(reason)}
Run npm run migrate again when the database can be reached.`,
    { cause },
  );
};

// The process

const failure = (what: string): ConfigError =>
  new ConfigError(`Prisma's schema engine ${what}.\nRun the command again.`);

/** Starts the engine's process, runs its statements until it answers, and kills it. */
const callEngine = async (
  task: EngineTask,
  program: string,
  run: (statement: EngineStatement) => Promise<EngineReply>,
): Promise<unknown> => {
  const child = fork(program, {
    execArgv: [],
    serialization: 'advanced', // keeps bytes
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  // The end of the process is noticed below.
  const send = (message: EngineTask | EngineReply) => child.send(message, () => {});
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  let limit: NodeJS.Timeout | undefined;
  const expectMessage = () => {
    clearTimeout(limit);
    const giveUp = () =>
      reject(failure(`did not answer for ${answerWithinMs / 1_000} seconds, although no statement was running`));
    limit = setTimeout(giveUp, answerWithinMs).unref(); // while the child runs, this process does not end
  };
  child.on('error', ({ message }) => reject(failure(`can't be started: ${message}`)));
  // Comes after the last message, unlike `exit`.
  child.once('close', (code, signal) => reject(failure(`ended without an answer (${signal ?? `exit code ${code}`})`)));
  child.on('message', (message: EngineMessage) => {
    clearTimeout(limit);
    switch (message.kind) {
      case 'statement':
        run(message.statement).then((reply) => {
          send(reply);
          expectMessage();
        }, reject);
        break;
      case 'answer':
        resolve(message.answer);
        break;
      case 'refusal':
        reject(new ConfigError(`Prisma's schema engine: ${message.reason}`));
        break;
      case 'crash':
        reject(failure(`crashed: ${message.reason}`));
        break;
    }
  });
  expectMessage();
  send(task);
  try {
    return await promise;
  } finally {
    clearTimeout(limit);
    child.kill('SIGKILL');
  }
};

// Its statements

/** The connection for a call of the engine. */
const openSession = async (databaseUrl: string, runScript: RunScript) => {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    Client: PrimaryClient,
    max: 1,
    idleTimeoutMillis: 0, // the engine's lock belongs to this connection
    application_name: migrationsName,
    // Without the time limits that the role has for requests.
    options: '-c timezone=UTC -c statement_timeout=0 -c lock_timeout=0',
  });
  pool.on('error', () => {}); // the client's own event comes, too
  const client = await pool.connect();
  let lost: Error | undefined;
  client.on('error', (error) => (lost ??= error));
  client.release();
  const adapter = await new PrismaPg(pool).connect();
  let refusal: pg.DatabaseError | undefined;

  const run = async ({ method, argument }: EngineStatement): Promise<EngineReply> => {
    if (lost) throw lost; // another connection would not have the lock of the engine
    try {
      if (method === 'executeScript') return { value: await runOn(pool, (one) => runScript(one, argument)) };
      return { value: await adapter[method](argument) };
    } catch (error) {
      if (isRefusal(error)) {
        refusal = error;
        return { error: forEngine(error) };
      }
      if (isUnreachable(error) || !isDriverAdapterError(error)) throw error;
      return { error: error.cause };
    }
  };

  const end = async (): Promise<void> => {
    await client.end(); // the pool would wait for the running statement, although the engine may no longer wait for it
    await pool.end();
  };
  return { run, end, refusal: () => refusal };
};

/** PostgreSQL ended the connection. Whether it has committed the statement before is unknown. */
const endsConnection = /^(08|57P0)/;

const isRefusal = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && !endsConnection.test(error.code ?? '');

const forEngine = ({ code = '', severity = '', message, detail, column, hint }: pg.DatabaseError) =>
  ({ kind: 'postgres', code, severity, message, detail, column, hint }) as const;

const runOn = async (pool: pg.Pool, action: (client: pg.PoolClient) => Promise<unknown>): Promise<void> => {
  const client = await pool.connect();
  try {
    await action(client);
  } finally {
    client.release();
  }
};
