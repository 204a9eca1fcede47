import { AsyncLocalStorage } from 'node:async_hooks';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { FairSemaphore } from '../core/fair-semaphore.ts';
import { PrismaClient, type Prisma } from './generated/client.ts';
import { PrimaryClient } from './hosts.ts';
import { isoTimes, examineRows, valuesOf, nameOfPrisma, type ParametersOf, type Query, type RowOf } from './query.ts';
import { sessionLimits } from './pooler.ts';
import { beginInTeam, beyondTeams, currentTeam, prepareTeams, TeamQuery } from './row-security.ts';
import { isReadOnly } from './unavailable.ts';

/** Access to PostgreSQL: one pool for Prisma and the named queries. */
export interface Database {
  readonly prisma: PrismaClient;
  /** Runs a named query in one round trip. Times are texts as answers write them: UTC with milliseconds. */
  run<Parameters extends Query['parameters'], Columns extends Query['row']>(
    query: Query<Parameters, Columns>,
    parameters: ParametersOf<Parameters>,
  ): Promise<RowOf<Columns>[]>;
  /** Runs the reads of a request when it is the team's turn, so that the reads of one team leave connections for others. */
  reading<T>(teamId: string, action: () => Promise<T>): Promise<T>;
  /** Runs an action in a transaction. */
  transaction<T>(action: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Whether the database answers now and accepts writes, which a standby does not. */
  acceptsWrites(): Promise<boolean>;
  close(): Promise<void>;
}

interface TransactionOptions {
  /** Milliseconds after which the transaction is rolled back. */
  timeout?: number;
  /** The id of the team whose transaction it is. Groups share the connections; all transactions without a team are one group. */
  group?: string;
  /** `RepeatableRead`: all reads see the database at the moment of the first one. */
  isolationLevel?: 'RepeatableRead';
}

interface DatabaseOptions {
  poolSize: number;
  /** Called when an idle connection is lost. The pool replaces it. */
  onLostConnection?: (error: Error) => void;
  /** Milliseconds without any data after which a connection is closed. */
  silenceMs?: number;
  /** Milliseconds that a statement waits for a lock. While it waits, it occupies a connection. */
  lockWaitMs?: number;
  /** Commits do not wait for the disk: work that a crash of PostgreSQL forgets is done again. */
  relaxed?: boolean;
  /** Whether a pooler is between, which refuses start-up parameters. Then the settings are those of the role, see `pooler.ts`. */
  pooled?: boolean;
  /** Whether what a request runs is held to the rows of its team. */
  rowSecurity?: boolean;
}

const { statementTimeoutMs, lockTimeoutMs } = sessionLimits;
/** How long a request waits for a connection. */
const beginWithinMs = 5_000;
const answerWithinMs = 2_000;
const transactionTimeoutMs = 20_000;
/** How many transactions of one team may wait in this process. */
const maxWaitingPerGroup = 200;
/**
 * The shares of connections for reads and for transactions. One team gets at most half of each, so that some are left for others and for
 * the check of the key, which every request needs first.
 */
const shares = { reading: 0.6, transactions: 0.75 };

/** The error has Prisma's code for a transaction that could not start in time: the request gets 503. */
const noConnection = (): Error =>
  Object.assign(new Error('no connection was free in time for this group'), { code: 'P2028' });

/** A database that stops answering must not block a request and its connection until TCP notices. */
const giveUpOnSilence = ({ connection }: pg.PoolClient, milliseconds: number): void => {
  const { stream } = connection;
  if (!(stream instanceof Socket)) return;
  const silent = () => stream.destroy(Object.assign(new Error('the database went silent'), { code: 'ETIMEDOUT' }));
  stream.setTimeout(milliseconds, silent);
};

type Verified = (error?: Error) => void;

/** Refuses a new connection to a standby: its reads would be old, and it might stay there although there is a primary again. */
export const refuseStandby = (client: pg.PoolClient, done: Verified): void => {
  client.query<{ isStandby: boolean }>('select pg_is_in_recovery() as "isStandby"', (error, result) => {
    if (error) done(error);
    else if (!result.rows[0]?.isStandby) done();
    else done(Object.assign(new Error('the server is a standby'), { code: '25006' }));
  });
};

/** Closes a connection once its server refuses writes, because the next one may reach another server. */
export const leaveReadOnly = (client: pg.PoolClient): void => {
  client.connection.on('errorMessage', (error: pg.DatabaseError) => {
    if (isReadOnly(error)) void client.end();
  });
};

const isWritable = async (pool: pg.Pool): Promise<boolean> => {
  const client = await pool.connect();
  let writable = false;
  try {
    const { rows } = await client.query<{ readOnly: string }>(
      `select current_setting('transaction_read_only') as "readOnly"`,
    );
    writable = rows[0]?.readOnly === 'off';
    return writable;
  } finally {
    client.release(!writable); // closes it: see leaveReadOnly
  }
};

export const openDatabase = (
  url: string,
  {
    poolSize,
    onLostConnection = () => {},
    silenceMs = statementTimeoutMs + 5_000,
    lockWaitMs = lockTimeoutMs,
    relaxed = false,
    pooled = false,
    rowSecurity = true,
  }: DatabaseOptions,
): Database => {
  const pool = new pg.Pool({
    connectionString: url,
    Client: PrimaryClient,
    max: poolSize,
    connectionTimeoutMillis: beginWithinMs,
    keepAlive: true,
    ...(!pooled && {
      statement_timeout: statementTimeoutMs,
      lock_timeout: lockWaitMs,
      options: `-c timezone=UTC${relaxed ? ' -c synchronous_commit=off' : ''}`,
    }),
    application_name: 'team-customer-api',
    verify: (client: pg.PoolClient, done: Verified) =>
      refuseStandby(client, (error) => (error || !rowSecurity ? done(error) : prepareTeams(client, done))),
  });
  watchPool(pool, { rowSecurity });
  pool.on('error', onLostConnection);
  pool.on('connect', (client) => {
    giveUpOnSilence(client, silenceMs);
    leaveReadOnly(client);
    // The statement that uses a lost connection fails. This handler is for a connection that is lost while it is being closed, which
    // nothing uses.
    client.on('error', () => {});
  });

  // Transactions that wait for a team's lock must leave connections for reads and for transactions of other teams.
  const transactions = new FairSemaphore({
    slots: Math.max(1, Math.ceil(poolSize * shares.transactions)),
    perGroup: 'half',
    waitingPerGroup: maxWaitingPerGroup,
    timeoutMs: beginWithinMs,
    refusal: noConnection,
  });
  const reads = new FairSemaphore({
    slots: Math.max(1, Math.ceil(poolSize * shares.reading)),
    perGroup: 'half',
    timeoutMs: beginWithinMs,
    refusal: noConnection,
  });

  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool, { statementNameGenerator: nameOfPrisma }),
    transactionOptions: { maxWait: beginWithinMs, timeout: transactionTimeoutMs },
  });

  return {
    prisma,
    run: async <Parameters extends Query['parameters'], Columns extends Query['row']>(
      query: Query<Parameters, Columns>,
      parameters: ParametersOf<Parameters>,
    ) => {
      const statement = {
        name: query.statement,
        text: query.text,
        values: valuesOf(query, parameters),
        types: isoTimes,
      };
      return examineRows(query, (await pool.query<RowOf<Columns>, unknown[]>(statement)).rows);
    },
    reading: (teamId, action) => reads.run(teamId, action),
    transaction: (action, { group = '', timeout = transactionTimeoutMs, ...options } = {}) =>
      transactions.run(group, () => transact(prisma, action, { ...options, timeout })),
    acceptsWrites: () =>
      Promise.race([
        beyondTeams('health', () => isWritable(pool)).catch(() => false),
        sleep(answerWithinMs, false, { ref: false }),
      ]),
    close: async () => {
      await prisma.$disconnect();
      await pool.end();
    },
  };
};

// Named queries can run in Prisma's transactions, on the same connection, and never after the transaction's end.
//
// A statement after COMMIT or ROLLBACK would run outside of any transaction and would not be undone. So the connection is forgotten
// before Prisma can send either: when the action ends, or when its time is over. That time is measured here; Prisma's own limit is later.

export type Tx = Prisma.TransactionClient;

/** The connection of a transaction until its action ends. */
interface TransactionState {
  client?: pg.PoolClient | undefined;
  readonly afterCommit: (() => void)[];
}

const starting = new AsyncLocalStorage<TransactionState>();
const states = new WeakMap<Tx, TransactionState>();

/**
 * Has a pool record which connection a starting transaction gets, and hold statements and transactions of requests to the rows of their team.
 */
const watchPool = (pool: pg.Pool, { rowSecurity }: { rowSecurity: boolean }): void => {
  const connect = pool.connect.bind(pool);
  const query: (statement: pg.QueryConfig | TeamQuery) => unknown = pool.query.bind(pool);
  const teamOfRequest = () => (rowSecurity ? currentTeam() : undefined);
  Object.assign(pool, {
    query: (config: pg.QueryConfig) => {
      const teamId = teamOfRequest();
      return query(teamId === undefined ? config : new TeamQuery(config, teamId));
    },
    connect: async (callback?: Parameters<typeof connect>[0]) => {
      if (callback) return connect(callback); // `pool.query` does
      const client = await connect();
      const state = starting.getStore();
      if (state) state.client = client;
      const teamId = teamOfRequest();
      if (teamId !== undefined) beginInTeam(client, teamId);
      return client;
    },
  });
};

/** Prisma's code for the same errors of its own statements. */
const transactionError = (message: string) => Object.assign(new Error(message), { code: 'P2028' });

/** Prisma's own time limit must never come before ours. */
const prismasDelayMs = 5_000;

/** Runs an action in a transaction of Prisma in which named queries can run too. */
const transact = async <T>(
  prisma: PrismaClient,
  action: (tx: Tx) => Promise<T>,
  { timeout, ...options }: Pick<TransactionOptions, 'isolationLevel'> & { timeout: number },
): Promise<T> => {
  const state: TransactionState = { afterCommit: [] };
  const limited = async (tx: Tx): Promise<T> => {
    states.set(tx, state);
    const { promise: timeUp, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      state.client = undefined;
      reject(transactionError(`the transaction took longer than ${timeout} ms`));
    }, timeout);
    try {
      return await Promise.race([starting.exit(() => action(tx)), timeUp]);
    } finally {
      clearTimeout(timer);
      state.client = undefined;
    }
  };
  const result = await starting.run(state, () =>
    prisma.$transaction(limited, { ...options, timeout: timeout + prismasDelayMs }),
  );
  for (const act of state.afterCommit) act();
  return result;
};

/** Runs `act` after the transaction is committed, and not if it is rolled back. */
export const afterCommit = (tx: Tx, act: () => void): void => {
  states.get(tx)?.afterCommit.push(act);
};

const connectionOf = (tx: Tx): pg.PoolClient => {
  const client = states.get(tx)?.client;
  if (!client) throw transactionError('the transaction is over');
  return client;
};

/** Runs a named query in a transaction. */
export const runIn = async <Parameters extends Query['parameters'], Columns extends Query['row']>(
  tx: Tx,
  query: Query<Parameters, Columns>,
  parameters: ParametersOf<Parameters>,
): Promise<RowOf<Columns>[]> => {
  const { rows } = await connectionOf(tx).query<RowOf<Columns>, unknown[]>({
    name: query.statement,
    text: query.text,
    values: valuesOf(query, parameters),
    types: isoTimes,
  });
  return examineRows(query, rows);
};

/** Runs a named query in a transaction, or outside of one. */
export const runOn = <Parameters extends Query['parameters'], Columns extends Query['row']>(
  connection: Tx | Database,
  query: Query<Parameters, Columns>,
  parameters: ParametersOf<Parameters>,
): Promise<RowOf<Columns>[]> =>
  'run' in connection ? connection.run(query, parameters) : runIn(connection, query, parameters);
