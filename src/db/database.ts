import { PrismaPg } from '@prisma/adapter-pg';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { FairSemaphore } from '../core/fair-semaphore.ts';
import { isoTimes } from './iso-time.ts';
import { nameOfPrisma } from './statement.ts';
import type { Statement } from './statement.ts';
import { transact, TransactionPool } from './transaction.ts';
import type { Tx } from './transaction.ts';
import { PrismaClient } from './generated/client.ts';
import { examineRows, valuesOf } from './query.ts';
import type { ParametersOf, Query, RowOf } from './query.ts';

export { afterCommit, rowsIn, runIn } from './transaction.ts';
export type { Tx } from './transaction.ts';

/** The way to PostgreSQL: one pool, used by Prisma and by the named queries. */
export interface Database {
  readonly prisma: PrismaClient;
  /** Runs a named query in one round trip. Times come as answers write them: UTC with milliseconds. */
  run<Parameters extends Query['parameters'], Columns extends Query['row']>(
    query: Query<Parameters, Columns>,
    parameters: ParametersOf<Parameters>,
  ): Promise<RowOf<Columns>[]>;
  /** Runs a statement that is not a named query yet. */
  rows<Row extends object, Values extends unknown[]>(
    statement: Statement<Row, Values>,
    ...values: Values
  ): Promise<Row[]>;
  /** Runs the reads of a request when it is its team's turn: what one team reads at once leaves connections to the others. */
  reading<T>(teamId: string, action: () => Promise<T>): Promise<T>;
  /** All or nothing. */
  transaction<T>(action: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Whether it answers right now. */
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

export interface TransactionOptions {
  /** Milliseconds after which it is undone. */
  timeout?: number;
  /** Whose transaction it is: a team's id. Connections are shared among the groups; all that name none are one group. */
  group?: string;
}

export interface DatabaseOptions {
  poolSize: number;
  /** Told of connections lost while idle; they are replaced by themselves. */
  onLostConnection?: (error: Error) => void;
  /** Milliseconds without a byte after which a connection is given up. */
  silence?: number;
  /** Milliseconds that a statement waits for a lock. Whoever waits keeps a place in the pool from everybody else. */
  lockWait?: number;
  /**
   * For a queue, whose tables are empty at one moment and full at the next: plans go by indexes alone, since yesterday's
   * statistics, and a plan kept since then, would read everything for each row. Commits don't wait for the disk: what a crash
   * of PostgreSQL itself forgets is done again.
   */
  queue?: boolean;
}

const queueSettings =
  '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off -c synchronous_commit=off';

const statementTimeout = 30_000;
/** How long a request may wait before it gets a connection at all. */
const beginWithin = 5_000;
const reachableWithin = 2_000;
const transactionTimeout = 20_000;
/** Transactions of one team that wait to begin, in one process. */
const maxWaitingPerGroup = 200;
/**
 * Connections for requests that read, and for transactions. One team gets at most half of each, so that some are always left
 * for others and for what every request needs first: the look at its key.
 */
const shares = { reading: 0.6, transactions: 0.75 };

/** Prisma's own code for a transaction that could not begin in time: the request is 503. */
const noConnection = (): Error =>
  Object.assign(new Error('no connection was free in time for this group'), { code: 'P2028' });

/** A server that went silent must not hold a request, nor its place in the pool, until TCP notices. */
const giveUpOnSilence = ({ connection }: pg.PoolClient, milliseconds: number): void => {
  const { stream } = connection;
  if (!(stream instanceof Socket)) return;
  const silent = () => stream.destroy(Object.assign(new Error('the database went silent'), { code: 'ETIMEDOUT' }));
  stream.setTimeout(milliseconds, silent);
};

export const openDatabase = (
  url: string,
  {
    poolSize,
    onLostConnection = () => {},
    silence = statementTimeout + 5_000,
    lockWait = 5_000,
    queue = false,
  }: DatabaseOptions,
): Database => {
  const pool = new TransactionPool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: beginWithin,
    keepAlive: true,
    statement_timeout: statementTimeout,
    lock_timeout: lockWait,
    options: queue ? `-c timezone=UTC ${queueSettings}` : '-c timezone=UTC',
    application_name: 'team-customer-api',
  });
  pool.on('error', onLostConnection);
  pool.on('connect', (client) => {
    giveUpOnSilence(client, silence);
    // Whoever uses a connection learns of its loss. Lost while it is being closed, it is nobody's any more.
    client.on('error', () => {});
  });

  // Transactions that wait for one team's lock must leave connections to the reads and to the transactions of other teams.
  const transactions = new FairSemaphore({
    places: Math.max(1, Math.ceil(poolSize * shares.transactions)),
    perGroup: 'half',
    waitingPerGroup: maxWaitingPerGroup,
    patienceMs: beginWithin,
    refusal: noConnection,
  });
  const reads = new FairSemaphore({
    places: Math.max(1, Math.ceil(poolSize * shares.reading)),
    perGroup: 'half',
    patienceMs: beginWithin,
    refusal: noConnection,
  });

  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool, { statementNameGenerator: nameOfPrisma }),
    transactionOptions: { maxWait: beginWithin, timeout: transactionTimeout },
  });

  return {
    prisma,
    async run<Parameters extends Query['parameters'], Columns extends Query['row']>(
      query: Query<Parameters, Columns>,
      parameters: ParametersOf<Parameters>,
    ) {
      const statement = { name: query.statement, text: query.text };
      const rows = await this.rows<RowOf<Columns>, unknown[]>(statement, ...valuesOf(query, parameters));
      return examineRows(query, rows);
    },
    rows: async <Row extends object, Values extends unknown[]>(
      { name, text }: Statement<Row, Values>,
      ...values: Values
    ) => (await pool.query<Row, unknown[]>({ name, text, values, types: isoTimes })).rows,
    reading: (teamId, action) => reads.run(teamId, action),
    transaction: (action, { group = '', timeout = transactionTimeout } = {}) =>
      transactions.run(group, () => transact(prisma, action, { timeout })),
    isReachable: () =>
      Promise.race([
        pool.query('select 1').then(
          () => true,
          () => false,
        ),
        sleep(reachableWithin, false, { ref: false }),
      ]),
    close: async () => {
      await prisma.$disconnect();
      await pool.end();
    },
  };
};
