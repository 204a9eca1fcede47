import { randomUUID, hash } from 'node:crypto';
import pg from 'pg';
import { afterAll, inject, onTestFinished, vi } from 'vitest';
import { Cells } from '../../src/db/cells/cells.ts';
import { openDatabase, type Database, type Tx, runOn } from '../../src/db/database.ts';
import { onEach, type DatabasePart } from '../../src/db/parts.ts';
import { dropFromMachines, addMachine, createOnMachines, machinesOf } from '../../scripts/kit/citus.ts';
import type { Query } from '../../src/db/query.ts';
import { connectTo } from '../../scripts/kit/database.ts';
import { distribute, migrateWithCells } from '../../src/db/cells/distribute.ts';
import { urlsOfNodes } from '../../src/db/cells/make-cells.ts';
import { chooseConnections } from '../../src/run/database.ts';
import { urlOf } from './throw-away-postgres.ts';
import { patience } from './patience.ts';

/** Provided by the global set-up: the run's throw-away server and a migrated database to copy. */
export interface DatabaseServer {
  /** The URL of the server's default database, for statements like CREATE DATABASE. */
  readonly adminUrl: string;
  readonly template: string;
  /**
   * In `npm run test:citus`: a database of the coordinator, which knows all machines, and how the names of this run's
   * databases begin.
   */
  readonly citus?: {
    readonly url: string;
    readonly beginning: string;
    /** Whether every second cell is closed, so that Citus' own planner runs the statements of its teams. */
    readonly closesHalf: boolean;
  };
}

declare module 'vitest' {
  export interface ProvidedContext {
    databaseServer: DatabaseServer;
    /** The path of the browser; empty if there is none. */
    chromium: string;
  }
}

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** A new copy of the migrated database, in `npm run test:citus` a distributed one: make one per test file. */
export const createDatabase = async (): Promise<TestDatabase> => {
  const { template, citus } = inject('databaseServer');
  if (citus === undefined) return createFrom(template);
  const name = makeName();
  return { url: await createDistributed(citus.url, name, citus), drop: () => dropFromMachines(citus.url, name) };
};

/** Whether `createDatabase` makes distributed databases. */
export const isDistributed = (): boolean => inject('databaseServer').citus !== undefined;

/** Whether some of their cells are closed. */
export const hasClosedCells = (): boolean => inject('databaseServer').citus?.closesHalf === true;

/** An empty database without our tables. */
export const createEmptyDatabase = (): Promise<TestDatabase> => createFrom('template1');

const makeName = (): string => {
  const { citus } = inject('databaseServer');
  return `${citus?.beginning ?? 'test_'}${randomUUID().replaceAll('-', '')}`;
};

const createFrom = async (template: string): Promise<TestDatabase> => {
  const { adminUrl } = inject('databaseServer');
  const name = makeName();
  // Copied file by file: the usual way also writes each page into the write-ahead log.
  await execute(adminUrl, `create database ${name} template ${template} strategy file_copy`);
  return {
    url: urlOf(adminUrl, name),
    drop: () => execute(adminUrl, `drop database if exists ${name} with (force)`),
  };
};

/** A new copy for the whole test file, with so many connections; dropped at its end. */
export const useDatabase = async (poolSize = 4): Promise<Database & { url: string }> => {
  const { url, drop } = await createDatabase();
  const { open, close } = await chooseConnections(isDistributed() ? url : undefined);
  const database = openDatabase(url, { poolSize, open });
  afterAll(async () => {
    await database.close();
    await close();
    await drop();
  });
  return { ...database, url };
};

const execute = async (databaseUrl: string, sql: string): Promise<void> =>
  withSql({ databaseUrl }, async (client) => void (await client.query(sql)));

const connect = async (databaseUrl: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  return client;
};

/** A connection for the whole test file. */
export const useConnection = async (databaseUrl: string): Promise<pg.Client> => {
  const client = await connect(databaseUrl);
  afterAll(() => client.end());
  return client;
};

/** A connection until the end of the test. */
export const aConnection = async (databaseUrl: string): Promise<pg.Client> => {
  const client = await connect(databaseUrl);
  onTestFinished(() => client.end());
  return client;
};

/** Runs SQL directly on a database, on a connection that is closed afterwards. */
export const withSql = async <T>(
  { databaseUrl }: { databaseUrl: string },
  work: (client: pg.Client) => Promise<T>,
): Promise<T> => {
  const client = await connect(databaseUrl);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/**
 * SQL: what waits for a lock; on a node of a distributed database also what waits for one of another node, and not what
 * Citus does for it.
 */
const waitsForLock = () =>
  isDistributed()
    ? `(wait_event_type = 'Lock'
        or pid in (select (waiting_gpid % 10000000000)::int from citus_lock_waits
                    where waiting_nodeid = citus_nodeid_for_gpid(citus_backend_gpid())))
       and application_name not like 'citus_internal%'`
    : `wait_event_type = 'Lock'`;

/** A process of PostgreSQL, and the machine that it runs on. */
export interface Backend extends Pick<DatabasePart, 'run'> {
  readonly pid: number;
}

/** Locks rows in a transaction of its own, until the returned function is called. */
export const holdRows = async (
  { database }: { database: Database },
  lock: (tx: Tx) => Promise<unknown>,
): Promise<() => Promise<void>> => {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  const holding = database.transaction(async (tx) => {
    await lock(tx);
    hold();
    await over;
  });
  await Promise.race([held, holding]);
  return () => {
    end();
    return holding;
  };
};

/** Waits until `count` backends wait for a lock with a statement like `query`, and returns them. */
export const untilLockWaits = (
  { database }: { database: Database },
  { count = 1, query = '%' }: { count?: number; query?: string } = {},
): Promise<Backend[]> =>
  vi.waitFor(async () => {
    const find = `select pid from pg_stat_activity where datname = current_database() and ${waitsForLock()} and query like $1`;
    const found = database.parts.all().map(async ({ run }) => {
      const waiting = await run(async () => database.prisma.$queryRawUnsafe<{ pid: number }[]>(find, query));
      return waiting.map(({ pid }) => ({ pid, run }));
    });
    const all = (await Promise.all(found)).flat();
    if (all.length !== count) throw new Error(`${all.length} wait for a lock, and not ${count}`);
    return all;
  }, patience);

/** An SQL statement of a test with the types of its rows and its values (`$1`, `$2` …). */
export interface Statement<Row extends object, Values extends unknown[]> {
  readonly text: string;
  /** Only for types. */
  readonly shape?: (values: Values) => Row;
}

export const statement = <Row extends object, Values extends unknown[]>(text: string): Statement<Row, Values> => ({
  text,
});

/** Runs it as a named query without declared columns, in a transaction or outside of one. */
export const rowsOf = async <Row extends object, Values extends unknown[]>(
  connection: Tx | Database,
  { text }: Statement<Row, Values>,
  ...values: Values
): Promise<Row[]> => {
  const order = values.map((_, index) => String(index));
  const name = `test_${hash('sha1', text)}`;
  const query: Query = { name, why: 'a test', text, statement: name, parameters: {}, order, row: {}, examined: [] };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/consistent-type-assertions -- the test says what rows it reads
  return (await runOn(connection, query, Object.fromEntries(values.entries()))) as Row[];
};

/** Runs something on each part of the database; a plain one is one part. */
export const onEachNode = <T>({ parts }: Database, action: () => Promise<T>): Promise<T[]> =>
  onEach(parts.all(), action);

/** The cells of a distributed database. */
export const cellsOf = ({ parts }: Database): Cells | undefined =>
  'cells' in parts && parts.cells instanceof Cells ? parts.cells : undefined;

/** A new distributed database with our tables. Few shards, because making them takes most of the time. */
export const createDistributed = async (
  citusUrl: string,
  name: string,
  { closesHalf }: { closesHalf: boolean },
): Promise<string> => {
  const machines = await machinesOf(citusUrl);
  const url = await createOnMachines(citusUrl, name, { machines, shards: 4 });
  for (const machine of machines) await addMachine(citusUrl, url, machine);
  await migrateWithCells(url);
  await distribute(url, () => {});
  if (closesHalf) await closeHalf(url);
  return url;
};

/** Closes every second cell of each node, as a move does. */
const closeHalf = async (url: string): Promise<void> => {
  for (const node of await urlsOfNodes(url)) {
    await using client = await connectTo(node);
    const { rows } = await client.query<{ cell: string }>(
      `select nspname::text as cell from pg_namespace where nspname like 'cell\\_%' order by 1`,
    );
    for (const [at, { cell }] of rows.entries()) if (at % 2 === 0) await client.query(`drop schema ${cell} cascade`);
  }
};
