import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { chosenPlace, hasLeft, type Cell, type Cells } from './cells/cells.ts';
import {
  entryOf,
  entryOfClosed,
  entryOfEntered,
  entryOfOpen,
  examine,
  limitLockWaits,
  noEntry,
  tellTeam,
  type Entry,
} from './entry.ts';
import { hostNames } from './hosts.ts';
import { openPool, type PoolOptions } from './pool.ts';
import { sessionLimits } from './pooler.ts';
import { lastOf, sendTogether, type Answer, type Statement } from './round-trip.ts';
import { currentTeam } from './row-security.ts';
import { sharedTrips } from './cells/shared-trips.ts';
import { inTransaction, TransactionConnection } from './transaction-connection.ts';
import { isUnreachable } from './unavailable.ts';

// The connections to PostgreSQL, and the one place where a statement gets its team: a team comes in, a connection that
// holds that team comes out. Role and team are set for one transaction, so all requests share the connections, also
// behind a pooler. On a distributed database it is a connection to the team's node, in the team's cell (cells.ts).

export interface ConnectionOptions extends PoolOptions {
  /** Whether what a request runs is held to the rows of its team. */
  rowSecurity?: boolean | undefined;
  /** Those of a distributed database. */
  cells?: Cells | undefined;
}

/** How long the answer whether the database accepts writes may take. */
export const answerWithinMs = 2_000;

/** How often what a cell refused is tried elsewhere, and how much longer each try waits. */
export const triesInCells = 10;
const tryAgainMs = 20;

export interface ConnectionCounts {
  /** Its address; undefined for a plain database. */
  readonly node?: string;
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Where a statement runs, and how. */
interface Way {
  readonly pool: pg.Pool;
  readonly entry: Entry;
  /** Settings that Citus passes on to each other node that the transaction reaches. */
  readonly told?: readonly Statement[];
  /** The cell that the entry enters. */
  readonly entered?: Cell;
  /** The statement’s cell, if it may share a round trip. */
  readonly shared?: Cell;
  /** A single statement needs a transaction, too, because only in one Citus passes settings on. */
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
  readonly #lockLimit: Statement;
  readonly #share = sharedTrips();
  #isEnded = false;

  constructor(url: string, options: ConnectionOptions) {
    this.#url = url;
    this.#options = options;
    this.#pool = openPool(url, options);
    this.#cells = options.cells;
    this.#rowSecurity = options.rowSecurity ?? true;
    this.#lockLimit = limitLockWaits(options.lockWaitMs ?? sessionLimits.lockTimeoutMs);
  }

  /** Runs one statement in the team of the running request. */
  async query(statement: Statement): Promise<Answer> {
    if (!this.#cells) return runOne({ pool: this.#pool, entry: entryOf(this.#teamId()) }, statement);
    for (let tries = 1; ; tries += 1) {
      const way = await this.#wayOf(this.#cells, statement);
      const beganAt = performance.now();
      try {
        const answer = await this.#run(way, statement);
        if (way.entered) way.entered.enteredAt = Math.max(way.entered.enteredAt, beganAt);
        return answer;
      } catch (error) {
        if (!hasLeft(error) || tries === triesInCells) throw error;
        await this.#readPlaces(this.#cells, tries);
      }
    }
  }

  #run(way: Way, statement: Statement): Promise<Answer> {
    const { pool, shared: cell, entered } = way;
    if (way.isBlock) return runInBlock(way, statement);
    const runAlone = () => runOne(way, statement);
    return cell ? this.#share(pool, { statement, cell, enters: entered !== undefined, runAlone }) : runAlone();
  }

  /** A connection for a transaction in the team of the running request. */
  async connect(tries = 1): Promise<TransactionConnection> {
    const cells = this.#cells;
    if (!cells) return new TransactionConnection(await this.#pool.connect(), entryOf(this.#teamId()));
    const way = await this.#wayOf(cells);
    return begin({ ...way, entry: { ...way.entry, onLeft: () => this.#readPlaces(cells, tries) } });
  }

  /** Those to each node, first to where `DATABASE_URL` leads. */
  counts(): (ConnectionCounts & { readonly url: string })[] {
    const pools = [[this.#url, this.#pool] as const, ...this.#others];
    return pools.map(([url, { totalCount, idleCount, waitingCount }]) => ({
      url,
      ...(this.#cells && { node: hostNames(url) }),
      used: totalCount - idleCount,
      idle: idleCount,
      waiting: waitingCount,
    }));
  }

  /** The URL of the node to which `connect` connects. */
  async node(): Promise<string> {
    const where = chosenPlace();
    if (where && 'node' in where) return where.node;
    return (await this.#cells?.here())?.node ?? this.#url;
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
    const isElsewhere = statement !== undefined && examine(statement.text).isOfCoordinator;
    const cell = isElsewhere ? undefined : await cells.here();
    if (!cell) return { pool: this.#pool, entry: entryOf(teamId), told: [this.#lockLimit] };
    const pool = this.#poolOf(cell.node);
    const team = teamId === undefined ? [] : [tellTeam(teamId)];
    if (cell.isOpen) {
      if (teamId !== undefined) return { pool, entry: entryOfOpen(cell, teamId), told: team, entered: cell };
      const { readsSince = Infinity, sharesTrips = false } = where && 'shard' in where ? where : {};
      const shared = sharesTrips && { shared: cell };
      if (cell.enteredAt >= readsSince) return { pool, entry: entryOfEntered(cell), ...shared };
      return { pool, entry: entryOfOpen(cell, undefined), entered: cell, ...shared };
    }
    return { pool, entry: entryOfClosed(teamId), told: [...team, this.#lockLimit], isBlock: teamId !== undefined };
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

const begin = async ({ pool, entry, told = [] }: Way): Promise<TransactionConnection> =>
  new TransactionConnection(await pool.connect(), { ...entry, statements: [...told, ...entry.statements] });

const runInBlock = async (way: Way, statement: Statement): Promise<Answer> => {
  const transaction = await begin(way);
  return inTransaction(transaction, () => transaction.query(statement));
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
