import { Socket } from 'node:net';
import pg from 'pg';
import { PrimaryClient } from './hosts.ts';
import { sessionLimits } from './pooler.ts';
import { requireSendable, RoundTrip, sendTogether, type Answer, type Statement } from './round-trip.ts';
import { currentTeam, requestRole } from './row-security.ts';
import { isReadOnly, isUnreachable } from './unavailable.ts';
import { sqlState } from './sqlstate.ts';

// The connections to PostgreSQL, and the one place where a statement gets its team: a team comes in, a connection that
// holds that team comes out. Role and team are set for one transaction, so all requests share the connections, also
// behind a pooler.

export interface ConnectionOptions {
  poolSize: number;
  /** Called when an idle connection is lost. The pool replaces it. */
  onLostConnection?: ((error: Error) => void) | undefined;
  /** Milliseconds without any data after which a connection is closed. */
  silenceMs?: number | undefined;
  /** Milliseconds that a statement waits for a lock. While it waits, it occupies a connection. */
  lockWaitMs?: number | undefined;
  /** Commits do not wait for the disk: work that a crash of PostgreSQL forgets is done again. */
  relaxed?: boolean | undefined;
  /**
   * Whether a pooler is between, which refuses start-up parameters. Then the settings are those of the role, see
   * `pooler.ts`.
   */
  pooled?: boolean | undefined;
  /** Whether what a request runs is held to the rows of its team. */
  rowSecurity?: boolean | undefined;
}

const { statementTimeoutMs, lockTimeoutMs, idleTransactionMs } = sessionLimits;
/** How long a request waits for a connection. */
export const connectWithinMs = 5_000;
/** How long the answer whether the database accepts writes may take. */
export const answerWithinMs = 2_000;

/** After this time a connection is replaced, when it is idle. */
const maxLifetimeSeconds = 3_600;

// New connections

/**
 * A database that stops answering must not block a request and its connection until TCP notices. An idle connection may
 * be silent.
 */
const giveUpOnSilence = (pool: pg.Pool, milliseconds: number): void => {
  const limit = ({ connection: { stream } }: pg.PoolClient, limitMs: number): void => {
    if (stream instanceof Socket) stream.setTimeout(limitMs);
  };
  pool.on('connect', ({ connection: { stream } }) => {
    stream.on('timeout', () =>
      stream.destroy(Object.assign(new Error('the database went silent'), { code: 'ETIMEDOUT' })),
    );
  });
  pool.on('acquire', (client) => limit(client, milliseconds));
  pool.on('release', (_error, client) => limit(client, 0));
};

type Verified = (error?: Error) => void;

/**
 * Refuses a new connection to a standby: its reads would be old, and it might stay there although there is a primary
 * again.
 */
export const refuseStandby = (client: pg.PoolClient, done: Verified): void => {
  client.query<{ isStandby: boolean }>('select pg_is_in_recovery() as "isStandby"', (error, result) => {
    if (error) done(error);
    else if (!result.rows[0]?.isStandby) done();
    else done(Object.assign(new Error('the server is a standby'), { code: sqlState.readOnlyTransaction }));
  });
};

/** Closes a connection once its server refuses writes, because the next one may reach another server. */
export const leaveReadOnly = (client: pg.PoolClient): void => {
  client.connection.on('errorMessage', (error: pg.DatabaseError) => {
    if (isReadOnly(error)) void client.end();
  });
};

const openPool = (
  url: string,
  {
    poolSize,
    onLostConnection = () => {},
    silenceMs = lockTimeoutMs + statementTimeoutMs + 5_000, // a lock may be waited for in the same round trip
    lockWaitMs = lockTimeoutMs,
    relaxed = false,
    pooled = false,
  }: ConnectionOptions,
): pg.Pool => {
  const pool = new pg.Pool({
    connectionString: url,
    Client: PrimaryClient,
    max: poolSize,
    connectionTimeoutMillis: connectWithinMs,
    // A new connection plans each statement anew, several times, so connections stay; an old one has kept much memory.
    idleTimeoutMillis: 0,
    maxLifetimeSeconds,
    keepAlive: true, // finds idle connections that are lost
    keepAliveInitialDelayMillis: 30_000,
    ...(!pooled && {
      statement_timeout: statementTimeoutMs,
      lock_timeout: lockWaitMs,
      idle_in_transaction_session_timeout: idleTransactionMs,
      options: `-c timezone=UTC${relaxed ? ' -c synchronous_commit=off' : ''}`,
    }),
    application_name: 'team-customer-api',
    verify: refuseStandby,
  });
  pool.on('error', onLostConnection);
  giveUpOnSilence(pool, silenceMs);
  pool.on('connect', (client) => {
    leaveReadOnly(client);
    // The statement that uses a lost connection fails. This handler is for a connection that is lost while it is being
    // closed, which nothing uses.
    client.on('error', () => {});
  });
  return pool;
};

// Statements

/** Sets role and team until the end of the transaction. */
const entering = (teamId: string): Statement => ({
  name: 'enter_team',
  text: `select set_config('role', $1, true), set_config('app.tenant', $2, true)`,
  values: [requestRole, teamId],
  isSilent: true,
});

/** A statement has another plan with policies than without, so it is prepared twice. */
const inTeam = (statement: Statement): Statement =>
  statement.name ? { ...statement, name: `${statement.name}_team` } : statement;

const nothing: Answer = { fields: [], rows: [], rowCount: 0, tag: '' };

const lastOf = (answers: readonly Answer[]): Answer => answers.at(-1) ?? nothing;

/** A bug: what an action begins, it awaits. */
export const transactionIsOver = (): Error => new Error('the transaction is over');

/** A statement that is not sent yet. */
interface Deferred {
  readonly statement: Statement;
  readonly settle: PromiseWithResolvers<Answer>;
}

/**
 * A connection in a transaction of one team, or of none. Prisma sends its statements, BEGIN and COMMIT among them. What
 * needs no answer at once goes with the next statement, in the same round trip: BEGIN, role and team, and what is
 * deferred.
 */
export class TransactionConnection {
  readonly #client: pg.PoolClient;
  readonly #teamId: string | undefined;
  /** What begins the transaction; empty once it was sent. */
  #beginning: Statement[] = [];
  #deferred: Deferred[] = [];
  #hasBegun = false;
  #savepoints = 0;
  /**
   * It was committed, rolled back or released. A statement after that would run outside of any transaction, or in that
   * of another team.
   */
  #isOver = false;
  /** PostgreSQL may still be in the transaction, so nobody else gets this connection. */
  #hasFailedToEnd = false;
  /** Ends with the last round trip that was begun. The next one waits for it: pg has no queue of its own from version 9 on. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(client: pg.PoolClient, teamId: string | undefined) {
    this.#client = client;
    this.#teamId = teamId;
  }

  async query(statement: Statement): Promise<Answer> {
    this.#requireOpen();
    const { text } = statement;
    if (text === 'BEGIN' || text.startsWith('SET TRANSACTION ')) {
      this.#beginning.push(statement);
      return nothing;
    }
    return text === 'COMMIT' || text === 'ROLLBACK' ? this.#end(statement) : this.#send(statement);
  }

  /**
   * Keeps a statement back until the next one is sent, in the same round trip. The returned function waits for its answer,
   * and sends it if nothing else was sent meanwhile. If it fails, the statement with which it was sent fails too.
   */
  queryLater(statement: Statement): () => Promise<Answer> {
    this.#requireOpen();
    requireSendable(statement); // noticed later, it would fail the statements that are sent with it
    const settle = Promise.withResolvers<Answer>();
    settle.promise.catch(() => {}); // the next statement throws it
    const deferred = { statement, settle };
    this.#deferred.push(deferred);
    return async () => {
      if (this.#deferred.includes(deferred)) {
        this.#requireOpen();
        await this.#send();
      }
      return settle.promise;
    };
  }

  /**
   * Sets a savepoint, with the next statement. The returned function undoes all since; what was not sent yet is never
   * sent.
   */
  savepoint(): () => Promise<void> {
    this.#savepoints += 1;
    const name = `action_${this.#savepoints}`;
    const setIt = this.queryLater({ text: `SAVEPOINT ${name}` });
    const set = this.#deferred.at(-1);
    return async () => {
      this.#requireOpen();
      const unsent = this.#deferred.findIndex((one) => one === set);
      this.#forget(Math.max(unsent, 0));
      if (unsent !== -1) return;
      await setIt(); // what failed before it can't be undone by it
      await this.#send({ text: `ROLLBACK TO SAVEPOINT ${name}` });
    };
  }

  /** Drops what is not sent yet, from this one on. */
  #forget(from: number): void {
    for (const { settle } of this.#deferred.splice(from)) settle.reject(new Error('the transaction was rolled back'));
  }

  #requireOpen(): void {
    if (this.#isOver) throw transactionIsOver();
  }

  async #end(statement: Statement): Promise<Answer> {
    const { text } = statement;
    if (text === 'ROLLBACK') this.#forget(0);
    this.#isOver = true;
    if (!this.#hasBegun && this.#deferred.length === 0) return nothing;
    try {
      const answer = await this.#send(statement);
      if (text === 'COMMIT' && answer.tag === 'ROLLBACK') throw new Error('a failed transaction was to be committed');
      return answer;
    } catch (error) {
      this.#hasFailedToEnd = true;
      throw error;
    }
  }

  /** Sends what is deferred, and a statement behind it. */
  async #send(statement?: Statement): Promise<Answer> {
    const beginning = [...this.#beginning];
    // Without BEGIN, role and team would not be set, and the statement would see the rows of all teams.
    if (!this.#hasBegun && beginning.length === 0) {
      throw new Error('a transaction begins with another statement than BEGIN');
    }
    if (beginning.length > 0 && this.#teamId !== undefined) beginning.push(entering(this.#teamId));
    const deferred = this.#deferred;
    const own = [...deferred.map((one) => one.statement), ...(statement ? [statement] : [])];
    // If a value can't be sent, this throws before anything is changed.
    const trip = new RoundTrip([...beginning, ...(this.#teamId === undefined ? own : own.map(inTeam))]);
    this.#beginning = [];
    this.#deferred = [];
    this.#hasBegun = true;
    try {
      const answers = await this.#inTurn(trip);
      for (const [at, { settle }] of deferred.entries()) settle.resolve(answers[beginning.length + at] ?? nothing);
      return lastOf(answers);
    } catch (error) {
      for (const { settle } of deferred) settle.reject(error);
      throw error;
    }
  }

  #inTurn(trip: RoundTrip): Promise<Answer[]> {
    const send = () => trip.over(this.#client);
    const answers = this.#turn.then(send, send);
    this.#turn = answers;
    return answers;
  }

  on(event: 'error', listener: (error: Error) => void): void {
    this.#client.on(event, listener);
  }

  removeListener(event: 'error', listener: (error: Error) => void): void {
    this.#client.removeListener(event, listener);
  }

  release(error?: Error | boolean): void {
    const isOpen = this.#hasBegun && !this.#isOver;
    this.#isOver = true;
    this.#forget(0);
    this.#client.release(error ?? (isOpen || this.#hasFailedToEnd));
  }
}

/** The connections of a process to its database. */
export class Connections {
  readonly #pool: pg.Pool;
  /** One connection, so that a pool that is busy is not taken for a database that is away. */
  readonly #healthPool: pg.Pool;
  readonly #rowSecurity: boolean;

  constructor(url: string, options: ConnectionOptions) {
    this.#pool = openPool(url, options);
    this.#healthPool = openPool(url, { ...options, poolSize: 1, silenceMs: answerWithinMs });
    this.#rowSecurity = options.rowSecurity ?? true;
  }

  /** Runs one statement in the team of the running request. */
  async query(statement: Statement): Promise<Answer> {
    const teamId = this.#teamId();
    const client = await this.#pool.connect();
    const sent = teamId === undefined ? [statement] : [entering(teamId), inTeam(statement)];
    try {
      const answers = await sendTogether(client, sent);
      client.release();
      return lastOf(answers);
    } catch (error) {
      client.release(isUnreachable(error)); // a server that ends says so first, and closes the connection afterwards
      throw error;
    }
  }

  /** A connection for a transaction in the team of the running request. */
  async connect(): Promise<TransactionConnection> {
    const teamId = this.#teamId();
    return new TransactionConnection(await this.#pool.connect(), teamId);
  }

  counts(): { used: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  /** Whether the database accepts writes. */
  async acceptWrites(): Promise<boolean> {
    const client = await this.#healthPool.connect();
    let accepts = false;
    try {
      const { rows } = await client.query<{ readOnly: string }>(
        `select current_setting('transaction_read_only') as "readOnly"`,
      );
      accepts = rows[0]?.readOnly === 'off';
      return accepts;
    } finally {
      client.release(!accepts); // closes it: see leaveReadOnly
    }
  }

  async end(): Promise<void> {
    await Promise.all([this.#pool.end(), this.#healthPool.end()]);
  }

  #teamId(): string | undefined {
    return this.#rowSecurity ? currentTeam() : undefined;
  }
}
