import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { chosenPlace, hasLeft, type Cell, type Cells } from './cells.ts';
import { coordinatorTables, referenceTables } from './distributed-tables.ts';
import { PrimaryClient } from './hosts.ts';
import { sessionLimits } from './pooler.ts';
import { requireSendable, RoundTrip, sendTogether, type Answer, type Statement } from './round-trip.ts';
import { currentTeam, requestRole } from './row-security.ts';
import { isReadOnly, isUnreachable } from './unavailable.ts';
import { sqlState } from './sqlstate.ts';

// The connections to PostgreSQL, and the one place where a statement gets its team: a team comes in, a connection that
// holds that team comes out. Role and team are set for one transaction, so all requests share the connections, also
// behind a pooler. On a distributed database it is a connection to the team's node, in the team's cell (cells.ts).

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
  /** Those of a distributed database. */
  cells?: Cells | undefined;
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

/** What comes before the statements of a transaction, and what it changes in them. */
interface Entry {
  readonly statements: readonly Statement[];
  adapt(statement: Statement): Statement;
  /** Called when the cell has left its node. */
  readonly onLeft?: () => Promise<void>;
}

const noEntry: Entry = { statements: [], adapt: (statement) => statement };

const inTeam = (statement: Statement): Statement => renamed(statement, '_team');

/** A statement has another plan with policies than without, and in each cell, so it is prepared for each. */
const renamed = (statement: Statement, ending: string): Statement =>
  statement.name ? { ...statement, name: `${statement.name}${ending}` } : statement;

/** Sets role and team until the end of the transaction. */
export const entryOf = (teamId: string | undefined): Entry =>
  teamId === undefined
    ? noEntry
    : {
        statements: [
          {
            name: 'enter_team',
            text: `select set_config('role', $1, true), set_config('app.tenant', $2, true)`,
            values: [requestRole, teamId],
            isSilent: true,
          },
        ],
        adapt: inTeam,
      };

// In a cell

/** A table as Prisma names it. */
const qualified = (tables: readonly string[]): string => `"public"\\."(?:${tables.join('|')})"`;
/** Reference tables are written on all nodes, so through Citus and not through the view of one node. */
const writesEverywhere = new RegExp(`^(?:INSERT INTO|UPDATE|DELETE FROM) ${qualified(referenceTables)}`);
const isOfCoordinator = new RegExp(qualified(coordinatorTables));

/** What is known of a text, so that it is examined once. */
const examined = new Map<string, { readonly inCell: string; readonly isOfCoordinator: boolean }>();
const maxExamined = 5_000;

const examine = (text: string) => {
  const known = examined.get(text);
  if (known) return known;
  const inCell = writesEverywhere.test(text) ? text : text.replaceAll('"public".', '');
  const found = { inCell, isOfCoordinator: isOfCoordinator.test(text) };
  if (examined.size < maxExamined) examined.set(text, found);
  return found;
};

/** Citus sends this, and not what `set_config` sets, to other nodes that a transaction reaches: those of coordinatorTables. */
const tellOtherNodes = (teamId: string): Statement => ({
  text: `SET LOCAL app.tenant = ${pg.escapeLiteral(teamId)}`,
  isSilent: true,
});

const entryOfOpen = ({ shard }: Cell, teamId: string | undefined): Entry => {
  const path = `cell_${shard}, public`;
  const enter =
    teamId === undefined
      ? {
          name: 'enter_cell',
          text: `select enter_cell($1::bigint), set_config('search_path', $2, true)`,
          values: [shard, path],
        }
      : {
          name: 'enter_cell_team',
          text: `select enter_cell($1::bigint), set_config('search_path', $2, true), set_config('role', $3, true),
                        set_config('app.tenant', $4, true)`,
          values: [shard, path, requestRole, teamId],
        };
  const ending = teamId === undefined ? `_${shard}` : `_team_${shard}`;
  return {
    statements: [{ ...enter, isSilent: true }],
    adapt: (statement) => renamed({ ...statement, text: examine(statement.text).inCell }, ending),
  };
};

const entryOfClosed = (teamId: string | undefined): Entry =>
  teamId === undefined
    ? noEntry
    : {
        statements: [{ text: `SET LOCAL role = ${pg.escapeLiteral(requestRole)}`, isSilent: true }],
        adapt: inTeam,
      };

/** How often what a cell refused is tried elsewhere, and how much longer each try waits. */
export const triesInCells = 10;
const tryAgainMs = 20;

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
  readonly #entry: Entry;
  #left: Promise<void> | undefined;
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

  constructor(client: pg.PoolClient, entry: Entry) {
    this.#client = client;
    this.#entry = entry;
  }

  /**
   * If its cell had left before anything was done: resolves when the places were read again, so that the transaction can
   * be repeated.
   */
  get left(): Promise<void> | undefined {
    return this.#left;
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
    if (beginning.length > 0) beginning.push(...this.#entry.statements);
    const deferred = this.#deferred;
    const own = [...deferred.map((one) => one.statement), ...(statement ? [statement] : [])];
    // If a value can't be sent, this throws before anything is changed.
    const trip = new RoundTrip([...beginning, ...own.map((one) => this.#entry.adapt(one))]);
    this.#beginning = [];
    this.#deferred = [];
    this.#hasBegun = true;
    try {
      const answers = await this.#inTurn(trip);
      for (const [at, { settle }] of deferred.entries()) settle.resolve(answers[beginning.length + at] ?? nothing);
      return lastOf(answers);
    } catch (error) {
      if (hasLeft(error)) this.#left = this.#entry.onLeft?.();
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

/** Where a statement runs, and how. */
interface Way {
  readonly pool: pg.Pool;
  readonly entry: Entry;
  /** The team, if other nodes may have to know it. */
  readonly toldTeam?: string | undefined;
  /** Other nodes have to know the team, so a single statement needs a transaction, too. */
  readonly isBlock?: boolean;
}

/** The connections of a process to its database. */
export class Connections {
  readonly #url: string;
  readonly #options: ConnectionOptions;
  readonly #pool: pg.Pool;
  /** Those to the other nodes of a distributed database. */
  readonly #others = new Map<string, pg.Pool>();
  /** To each one connection, so that a pool that is busy is not taken for a database that is away. */
  readonly #healthPools = new Map<string, pg.Pool>();
  readonly #cells: Cells | undefined;
  readonly #rowSecurity: boolean;
  #isEnded = false;

  constructor(url: string, options: ConnectionOptions) {
    this.#url = url;
    this.#options = options;
    this.#pool = openPool(url, options);
    this.#cells = options.cells;
    this.#rowSecurity = options.rowSecurity ?? true;
  }

  /** Runs one statement in the team of the running request. */
  async query(statement: Statement): Promise<Answer> {
    if (!this.#cells) return runOne({ pool: this.#pool, entry: entryOf(this.#teamId()) }, statement);
    for (let tries = 1; ; tries += 1) {
      const way = await this.#wayOf(this.#cells, statement);
      try {
        return await (way.isBlock ? runInBlock(way, statement) : runOne(way, statement));
      } catch (error) {
        if (!hasLeft(error) || tries === triesInCells) throw error;
        await this.#readPlaces(this.#cells, tries);
      }
    }
  }

  /** A connection for a transaction in the team of the running request. */
  async connect(tries = 1): Promise<TransactionConnection> {
    const cells = this.#cells;
    if (!cells) return new TransactionConnection(await this.#pool.connect(), entryOf(this.#teamId()));
    const way = await this.#wayOf(cells);
    return begin({ ...way, entry: { ...way.entry, onLeft: () => this.#readPlaces(cells, tries) } });
  }

  counts(): { used: number; idle: number; waiting: number } {
    const counts = { used: 0, idle: 0, waiting: 0 };
    for (const { totalCount, idleCount, waitingCount } of this.#pools()) {
      counts.used += totalCount - idleCount;
      counts.idle += idleCount;
      counts.waiting += waitingCount;
    }
    return counts;
  }

  /** Whether the database accepts writes; a distributed one, at some node. */
  async acceptWrites(): Promise<boolean> {
    if (this.#isEnded) return false;
    const where = chosenPlace();
    if (!this.#cells) return acceptsWrites(this.#healthPoolOf(this.#url));
    const nodes = where && 'node' in where ? [where.node] : this.#cells.nodes;
    const accepting = nodes.map(async (node) => {
      if (!(await acceptsWrites(this.#healthPoolOf(node)))) throw new Error('it refuses writes');
    });
    await Promise.any(accepting);
    return true;
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await Promise.all([...this.#pools(), ...this.#healthPools.values()].map((pool) => pool.end()));
  }

  #teamId(): string | undefined {
    return this.#rowSecurity ? currentTeam() : undefined;
  }

  #pools(): pg.Pool[] {
    return [this.#pool, ...this.#others.values()];
  }

  #poolOf(node: string): pg.Pool {
    if (node === this.#url) return this.#pool;
    const pool = this.#others.get(node) ?? openPool(node, { ...this.#options, pooled: false });
    this.#others.set(node, pool);
    return pool;
  }

  #healthPoolOf(node: string): pg.Pool {
    const isNode = node !== this.#url;
    const options = { ...this.#options, poolSize: 1, silenceMs: answerWithinMs, ...(isNode && { pooled: false }) };
    const pool = this.#healthPools.get(node) ?? openPool(node, options);
    this.#healthPools.set(node, pool);
    return pool;
  }

  async #wayOf(cells: Cells, statement?: Statement): Promise<Way> {
    const where = chosenPlace();
    const teamId = this.#teamId();
    if (where && 'node' in where) return { pool: this.#poolOf(where.node), entry: noEntry };
    const routed = where && 'teamId' in where ? where.teamId : currentTeam();
    const isElsewhere = statement !== undefined && examine(statement.text).isOfCoordinator;
    if (!(where || routed) || isElsewhere) return { pool: this.#pool, entry: entryOf(teamId) };
    const cell = where && 'shard' in where ? cells.at(where.shard) : await cells.of(routed ?? '');
    const pool = this.#poolOf(cell.node);
    if (cell.isOpen) return { pool, entry: entryOfOpen(cell, teamId), toldTeam: teamId };
    return { pool, entry: entryOfClosed(teamId), toldTeam: teamId, isBlock: teamId !== undefined };
  }

  /** The nodes learn of a move one after the other. */
  async #readPlaces(cells: Cells, tries: number): Promise<void> {
    await sleep(tries * tryAgainMs);
    await cells.read();
  }
}

const runOne = async ({ pool, entry }: Way, statement: Statement): Promise<Answer> => {
  const client = await pool.connect();
  const sent = [...entry.statements, entry.adapt(statement)];
  try {
    const answers = await sendTogether(client, sent);
    client.release();
    return lastOf(answers);
  } catch (error) {
    client.release(isUnreachable(error)); // a server that ends says so first, and closes the connection afterwards
    throw error;
  }
};

const begin = async ({ pool, entry, toldTeam }: Way): Promise<TransactionConnection> => {
  const statements = toldTeam === undefined ? entry.statements : [tellOtherNodes(toldTeam), ...entry.statements];
  return new TransactionConnection(await pool.connect(), { ...entry, statements });
};

const runInBlock = async (way: Way, statement: Statement): Promise<Answer> => {
  const transaction = await begin(way);
  let failure: Error | undefined;
  try {
    await transaction.query({ text: 'BEGIN' });
    const answer = await transaction.query(statement);
    await transaction.query({ text: 'COMMIT' });
    return answer;
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    transaction.release(failure);
  }
};

const acceptsWrites = async (pool: pg.Pool): Promise<boolean> => {
  const client = await pool.connect();
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
};
