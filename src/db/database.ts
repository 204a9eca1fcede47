import { setTimeout as sleep } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import { FairSemaphore, type RefusedBecauseOf } from '../core/fair-semaphore.ts';
import {
  answerWithinMs,
  PlainConnections,
  type ConnectionCounts,
  type ConnectionOptions,
  type OpenConnections,
} from './connections.ts';
import { PrismaClient, type Prisma } from './generated/client.ts';
import { perPart, type DatabaseParts } from './parts.ts';
import { connectWithinMs } from './pool.ts';
import { PrismaPool } from './prisma-pool.ts';
import { isoTimes, examineRows, valuesOf, namesForPrisma, type ParametersOf, type Query, type RowOf } from './query.ts';
import type { StatementAnswer, Statement } from './round-trip.ts';
import { sqlState } from './sqlstate.ts';
import { inTransaction, transactionIsOver, type TransactionConnection } from './transaction-connection.ts';
import { openingSlot, TransactionSlots, type RunningTransaction } from './transaction-slots.ts';
import { NoConnection, NoConnectionOfShare } from './unavailable.ts';

/** Access to PostgreSQL. Prisma and the named queries share its connections. */
export interface Database extends Pick<DatabaseParts, 'ofTeam' | 'ofNoTeam'> {
  readonly prisma: PrismaClient;
  readonly parts: DatabaseParts;
  /** Runs a named query in one round trip. Times are texts in the form that answers have: UTC with milliseconds. */
  run<Parameters extends Query['parameters'], Columns extends Query['row']>(
    query: Query<Parameters, Columns>,
    parameters: ParametersOf<Parameters>,
  ): Promise<RowOf<Columns>[]>;
  /**
   * Runs the reads of a request when it is the team's turn, so that the reads of one team leave connections for others.
   */
  reading<T>(teamId: string, action: () => Promise<T>): Promise<T>;
  transaction<T>(action: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * For each part, how many connections are in use and how many are idle, and how many tasks wait for a connection or
   * for their team's turn.
   */
  connections(): readonly ConnectionCounts[];
  /** Whether the database answers now and accepts writes. A standby accepts none. */
  acceptsWrites(): Promise<boolean>;
  /** The same database with connections of its own. */
  openAnother(options: ConnectionOptions): Database;
  close(): Promise<void>;
}

interface DatabaseOptions extends ConnectionOptions {
  /** How connections are opened; those to a plain database by default. */
  open?: OpenConnections | undefined;
}

interface TransactionOptions {
  /** Milliseconds after which the transaction is rolled back. */
  timeout?: number;
  /**
   * The group of the transaction in `FairSemaphore`, which shares the connections among groups: the id of its team. All
   * transactions without a team are one more group.
   */
  group?: string;
  /** `RepeatableRead`: all reads see the database at the moment of the first one. */
  isolationLevel?: 'RepeatableRead';
}

const transactionTimeoutMs = 20_000;
/** How many transactions of one team may wait in this process; also how many without a team. */
const maxWaitingPerGroup = 200;
/**
 * The shares of connections for reads and for transactions. One team gets at most half of each share: together about
 * two thirds of the connections. So some are left for other teams, and for the check of the key, which comes first in
 * every request with a key.
 */
const shares = { reading: 0.6, transactions: 0.75 };

/** After this time, each request that waits now for its team's share either has it or was refused. */
const shareRetrySeconds = Math.ceil(connectWithinMs / 1000);

/** Work without a team is done for many callers, and none of them has a share of its own. */
const noConnection = (because: RefusedBecauseOf, group: string): NoConnection =>
  because === 'own share' && group !== '' ? new NoConnectionOfShare(shareRetrySeconds) : new NoConnection();

const openPlain: OpenConnections = (url, options) => new PlainConnections(url, options);

export const openDatabase = (url: string, { open = openPlain, ...options }: DatabaseOptions): Database => {
  const { poolSize } = options;
  const connections = open(url, options);
  const { parts } = connections;

  // Transactions that wait for a team's lock must leave connections for reads, and for transactions of other teams.
  const sharesOf = perPart(() => ({
    transactions: new FairSemaphore({
      slots: Math.max(1, Math.ceil(poolSize * shares.transactions)),
      perGroup: 'half',
      waitingPerGroup: maxWaitingPerGroup,
      timeoutMs: connectWithinMs,
      refusal: noConnection,
    }),
    reads: new FairSemaphore({
      slots: Math.max(1, Math.ceil(poolSize * shares.reading)),
      perGroup: 'half',
      timeoutMs: connectWithinMs,
      refusal: noConnection,
    }),
  }));

  const prisma = new PrismaClient({
    adapter: new PrismaPg(
      new PrismaPool({
        query: (statement) => connections.query(statement),
        connect: async () => openingSlot() ?? connections.connect(),
      }),
      { statementNameGenerator: namesForPrisma() },
    ),
    transactionOptions: { maxWait: connectWithinMs, timeout: transactionTimeoutMs },
  });
  const slots = new TransactionSlots(prisma);

  return {
    prisma,
    run: async (query, parameters) => rowsOf(query, await connections.query(statementOf(query, parameters))),
    parts,
    ofTeam: (teamId) => parts.ofTeam(teamId),
    ofNoTeam: parts.ofNoTeam,
    reading: async (teamId, action) => sharesOf.of(await parts.urlOf(teamId)).reads.run(teamId, action),
    transaction: async (action, { group = '', timeout = transactionTimeoutMs, ...rest } = {}) =>
      sharesOf
        .of(await connections.urlOfNext())
        .transactions.run(group, () =>
          connections.transact((connection) => transact({ connection, slots }, action, { ...rest, timeout })),
        ),
    connections: () =>
      connections.counts().map((counts) => {
        const { transactions, reads } = sharesOf.of(counts.url);
        return { ...counts, waiting: counts.waiting + transactions.waiting + reads.waiting };
      }),
    acceptsWrites: () =>
      Promise.race([connections.acceptWrites().catch(() => false), sleep(answerWithinMs, false, { ref: false })]),
    openAnother: (other) => openDatabase(url, { ...other, open }),
    close: async () => {
      await prisma.$disconnect();
      await connections.end();
    },
  };
};

// Prisma and named queries share the connection of a transaction, and never use it after the transaction's end.
//
// A statement after COMMIT or ROLLBACK would run outside of any transaction and would not be undone. So the connection
// is forgotten before either is sent: when the action ends, or when its time is over. If a statement runs when the time
// is over, ROLLBACK can be sent only after it has ended, at the latest at its own time limit.

/** An inner transaction would not be rolled back with the outer one. Use `setSavepoint`. */
export type Tx = Omit<Prisma.TransactionClient, '$transaction'>;

interface TransactionState extends RunningTransaction {
  readonly afterCommit: (() => void | Promise<void>)[];
}

const states = new WeakMap<Tx, TransactionState>();

/** A request treats this like a statement that took too long. */
const tookTooLong = (timeoutMs: number): Error =>
  Object.assign(new Error(`the transaction took longer than ${timeoutMs} ms`), { code: sqlState.queryCanceled });

/** Runs an action until it ends or is stopped: when its time is over, or the database is closed. */
const untilStopped = async <T>(state: TransactionState, action: () => Promise<T>, timeoutMs: number): Promise<T> => {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (error: Error) => {
    state.connection = undefined;
    reject(error);
  };
  state.stop = () => stop(new NoConnection('the database is closed'));
  const timer = setTimeout(() => stop(tookTooLong(timeoutMs)), timeoutMs);
  try {
    return await Promise.race([action(), stopped]);
  } finally {
    clearTimeout(timer);
    state.connection = undefined;
  }
};

/** Runs an action in a transaction. */
const transact = async <T>(
  { connection, slots }: { readonly connection: TransactionConnection; readonly slots: TransactionSlots },
  action: (tx: Tx) => Promise<T>,
  options: Pick<TransactionOptions, 'isolationLevel'> & { timeout: number },
): Promise<T> => {
  const state: TransactionState = { connection, afterCommit: [] };
  const result = await inTransaction(connection, async () => {
    if (options.isolationLevel) await connection.query({ text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ' });
    return slots.run(state, (tx) => {
      states.set(tx, state);
      return untilStopped(state, () => action(tx), options.timeout);
    });
  });
  // The transaction is committed, so a failure of one of these functions must not reach the caller.
  for (const act of state.afterCommit) (async () => act())().catch(() => {});
  return result;
};

/** Runs `act`, which reports its own failures, after the transaction is committed, and not if it is rolled back. */
export const afterCommit = (tx: Tx, act: () => void | Promise<void>): void => {
  const state = states.get(tx);
  if (!state?.connection) throw transactionIsOver();
  state.afterCommit.push(act);
};

const connectionOf = (tx: Tx): TransactionConnection => {
  const connection = states.get(tx)?.connection;
  if (!connection) throw transactionIsOver();
  return connection;
};

/**
 * Sets a savepoint. The returned function undoes everything that the transaction has done since then, and forgets the
 * functions that `afterCommit` got since then.
 */
export const setSavepoint = (tx: Tx): (() => Promise<void>) => {
  const undo = connectionOf(tx).savepoint();
  const acts = states.get(tx)?.afterCommit;
  const count = acts?.length ?? 0;
  return async () => {
    acts?.splice(count);
    await undo();
  };
};

// Named queries as statements

const statementOf = (query: Query, parameters: Readonly<Record<string, unknown>>): Statement => ({
  name: query.statement,
  text: query.text,
  values: valuesOf(query, parameters),
  types: isoTimes,
});

/** The rows of a query. `test/db/queries.test.ts` checks that they are as declared. */
const rowsOf = <Columns extends Query['row']>(query: Query<Query['parameters'], Columns>, { rows }: StatementAnswer) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/consistent-type-assertions -- a test compares each declaration with the database
  examineRows(query, rows as RowOf<Columns>[]);

/** Runs a named query in a transaction. */
export const runIn = async <Parameters extends Query['parameters'], Columns extends Query['row']>(
  tx: Tx,
  query: Query<Parameters, Columns>,
  parameters: ParametersOf<Parameters>,
): Promise<RowOf<Columns>[]> => rowsOf(query, await connectionOf(tx).query(statementOf(query, parameters)));

/**
 * Keeps a named query of a transaction back, and sends it together with the next statement, at the latest with the
 * commit. The returned function returns the rows of the query, and sends the query at once if it was not sent yet. If
 * the query fails, the statement that was sent with it fails, too.
 */
export const runLater = <Parameters extends Query['parameters'], Columns extends Query['row']>(
  tx: Tx,
  query: Query<Parameters, Columns>,
  parameters: ParametersOf<Parameters>,
): (() => Promise<RowOf<Columns>[]>) => {
  const read = connectionOf(tx).queryLater(statementOf(query, parameters));
  return async () => rowsOf(query, await read());
};

/**
 * Keeps a write of Prisma back, as `runLater` does with a named query. Only for a write whose number of changed rows no
 * rule needs. The write is sent with the next statement, at the latest with the commit. If it fails, the statement that
 * was sent with it throws its error.
 */
export const writeLater = async (tx: Tx, write: () => Prisma.PrismaPromise<Prisma.BatchPayload>): Promise<void> =>
  connectionOf(tx).writeLater(write);

/** Runs a named query in a transaction, or outside of one. */
export const runOn = <Parameters extends Query['parameters'], Columns extends Query['row']>(
  connection: Tx | Database,
  query: Query<Parameters, Columns>,
  parameters: ParametersOf<Parameters>,
): Promise<RowOf<Columns>[]> =>
  'run' in connection ? connection.run(query, parameters) : runIn(connection, query, parameters);
