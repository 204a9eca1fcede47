import type pg from 'pg';
import { onePart, type DatabaseParts } from './parts.ts';
import { openPool, type PoolOptions } from './pool.ts';
import { lastOf, sendTogether, type StatementAnswer, type Statement } from './round-trip.ts';
import { currentTeam, entryOf, type TransactionEntry } from './row-security.ts';
import { TransactionConnection } from './transaction-connection.ts';
import { isUnreachable } from './unavailable.ts';

// The connections to PostgreSQL, and the place where each statement and transaction of a request gets its role and team
// (row-security.ts). Both are set for one transaction only, so all requests share the connections, also behind a
// pooler. Which connections a process has is decided at its start (run/database.ts); here are those to a plain
// database.

export interface ConnectionOptions extends PoolOptions {
  /** Whether statements of requests see only the rows of their team. */
  rowSecurity?: boolean | undefined;
}

/** The connections to a part of the database. */
export interface ConnectionCounts {
  /** The URL of the part. */
  readonly url: string;
  /** The name of the part; empty for a plain database. */
  readonly part: string;
  readonly used: number;
  readonly idle: number;
  /** How much work waits for a connection. */
  readonly waiting: number;
}

/** The connections of a process to its database. */
export interface Connections {
  readonly parts: DatabaseParts;
  /** Runs one statement in the team of the running request. */
  query(statement: Statement): Promise<StatementAnswer>;
  /** A connection for a transaction in the team of the running request. */
  connect(): Promise<TransactionConnection>;
  /** Runs a transaction on a connection of `connect`. Runs it again if it was refused before it had any effect. */
  transact<T>(transaction: (connection: TransactionConnection) => Promise<T>): Promise<T>;
  /** The URL of the part to which `connect` connects. */
  urlOfNext(): string | Promise<string>;
  counts(): readonly ConnectionCounts[];
  /** Whether the database accepts writes. Rejects if it does not answer. */
  acceptWrites(): Promise<boolean>;
  end(): Promise<void>;
}

export type OpenConnections = (url: string, options: ConnectionOptions) => Connections;

/** How long the database may take to answer whether it accepts writes. */
export const answerWithinMs = 2_000;

/**
 * Options of a pool with one connection for checks, so that a busy pool is not taken for a database that does not
 * answer.
 */
export const forHealth = { poolSize: 1, silenceMs: answerWithinMs } as const;

export class PlainConnections implements Connections {
  readonly parts: DatabaseParts;
  readonly #url: string;
  readonly #pool: pg.Pool;
  readonly #healthPool: pg.Pool;
  readonly #rowSecurity: boolean;
  #isEnded = false;

  constructor(url: string, options: ConnectionOptions) {
    this.parts = onePart(url);
    this.#url = url;
    this.#pool = openPool(url, options);
    this.#healthPool = openPool(url, { ...options, ...forHealth });
    this.#rowSecurity = options.rowSecurity ?? true;
  }

  query(statement: Statement): Promise<StatementAnswer> {
    return runOne(this.#pool, this.#entry(), statement);
  }

  async connect(): Promise<TransactionConnection> {
    return new TransactionConnection(await this.#pool.connect(), this.#entry());
  }

  async transact<T>(transaction: (connection: TransactionConnection) => Promise<T>): Promise<T> {
    return transaction(await this.connect());
  }

  urlOfNext(): string {
    return this.#url;
  }

  counts(): readonly ConnectionCounts[] {
    return [countsOf(this.#url, '', this.#pool)];
  }

  async acceptWrites(): Promise<boolean> {
    return !this.#isEnded && acceptsWrites(this.#healthPool);
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await Promise.all([this.#pool.end(), this.#healthPool.end()]);
  }

  #entry(): TransactionEntry {
    return entryOf(this.#rowSecurity ? currentTeam() : undefined);
  }
}

/** Runs a statement in a transaction of its own, in one round trip. */
export const runOne = async (
  pool: pg.Pool,
  entry: TransactionEntry,
  statement: Statement,
): Promise<StatementAnswer> => {
  const client = await pool.connect();
  const sent = [...entry.statements, entry.adapt(statement)];
  try {
    const answers = await sendTogether(client, sent);
    client.release();
    return lastOf(answers);
  } catch (error) {
    client.release(isUnreachable(error)); // a server that stops sends this error before it closes the connection
    throw error;
  }
};

export const countsOf = (
  url: string,
  part: string,
  { totalCount, idleCount, waitingCount }: pg.Pool,
): ConnectionCounts => ({ url, part, used: totalCount - idleCount, idle: idleCount, waiting: waitingCount });

export const acceptsWrites = async (pool: pg.Pool): Promise<boolean> => {
  const client = await pool.connect();
  let accepts = false;
  try {
    const { rows } = await client.query<{ readOnly: string }>(
      `select current_setting('transaction_read_only') as "readOnly"`,
    );
    accepts = rows[0]?.readOnly === 'off';
    return accepts;
  } finally {
    client.release(!accepts); // closes the connection if it accepts no writes: see leaveReadOnly
  }
};
