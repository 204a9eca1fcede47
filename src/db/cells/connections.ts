import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import {
  acceptsWrites,
  countsOf,
  forHealth,
  runOne,
  type ConnectionCounts,
  type ConnectionOptions,
  type Connections,
} from '../connections.ts';
import { hostNames } from '../hosts.ts';
import { openPool, sessionLimits } from '../pool.ts';
import type { StatementAnswer, Statement } from '../round-trip.ts';
import { currentTeam, entryOf, noEntry, type TransactionEntry } from '../row-security.ts';
import { inTransaction, TransactionConnection } from '../transaction-connection.ts';
import { asConflict, chosenPlace, hasLeft, type Cell, type Cells } from './cells.ts';
import { entryOfClosed, entryOfNamed, entryOfOpen, examine, limitLockWaits, tellTeam } from './entry.ts';
import { cellParts, type CellParts } from './parts.ts';
import { makeSharedTrips } from './shared-trips.ts';

// The connections to a distributed database: a statement of a team goes to the team's node, into the team's cell
// (cells.ts).

/**
 * How often a statement or transaction is tried in all while cells refuse it, and by how much each wait before a try is
 * longer than the one before.
 */
const triesInCells = 10;
const tryAgainMs = 20;

/** Where a statement runs, and how. */
interface StatementWay {
  readonly pool: pg.Pool;
  readonly entry: TransactionEntry;
  /** Settings that Citus passes on to each other node that the transaction reaches. */
  readonly told?: readonly Statement[];
  /** The cell that the entry enters. */
  readonly entered?: Cell;
  /**
   * The statement’s cell, if it may share a round trip, and whether its tables have the cell's schema in their names.
   */
  readonly shared?: { readonly cell: Cell; readonly isNamed: boolean };
  /**
   * Whether even a single statement needs a transaction with BEGIN, because Citus passes settings on only in such a
   * transaction.
   */
  readonly isBlock?: boolean;
}

export class CellConnections implements Connections {
  readonly parts: CellParts;
  readonly #url: string;
  readonly #cells: Cells;
  readonly #options: ConnectionOptions;
  /** The connections to each node; the first node is the coordinator. */
  readonly #pools = new Map<string, pg.Pool>();
  readonly #healthPools = new Map<string, pg.Pool>();
  readonly #rowSecurity: boolean;
  readonly #lockLimit: Statement;
  readonly #share = makeSharedTrips();
  #isEnded = false;

  constructor(url: string, cells: Cells, options: ConnectionOptions) {
    this.#url = url;
    this.#cells = cells;
    this.#options = options;
    this.parts = cellParts(url, cells);
    this.#poolOf(url);
    this.#rowSecurity = options.rowSecurity ?? true;
    this.#lockLimit = limitLockWaits(options.lockWaitMs ?? sessionLimits.lockTimeoutMs);
  }

  async query(statement: Statement): Promise<StatementAnswer> {
    for (let tries = 1; ; tries += 1) {
      const way = await this.#wayOf(statement);
      const beganAt = performance.now();
      try {
        const answer = await this.#run(way, statement);
        if (way.entered) way.entered.enteredAt = Math.max(way.entered.enteredAt, beganAt);
        return answer;
      } catch (error) {
        if (!hasLeft(error)) throw error;
        if (tries === triesInCells) throw asConflict(error);
        await this.#readPlaces(tries);
      }
    }
  }

  #run(way: StatementWay, statement: Statement): Promise<StatementAnswer> {
    const { pool, entry, shared, entered } = way;
    if (way.isBlock) return runInBlock(way, statement);
    const runAlone = () => runOne(pool, entry, statement);
    return shared ? this.#share(pool, { ...shared, statement, enters: entered !== undefined, runAlone }) : runAlone();
  }

  async connect(): Promise<TransactionConnection> {
    return begin(await this.#wayOf(), (refusal) => {
      void this.#readPlaces(1).catch(() => {});
      asConflict(refusal);
    });
  }

  async transact<T>(transaction: (connection: TransactionConnection) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const refused: { until?: Promise<void> } = {};
      const connection = await begin(await this.#wayOf(), (refusal) => {
        refused.until = this.#readPlaces(tries);
        refused.until.catch(() => {});
        asConflict(refusal);
      });
      try {
        return await transaction(connection);
      } catch (error) {
        // If `refused.until` is set, the team's cell was moved or closed before anything was done.
        if (refused.until === undefined || tries === triesInCells) throw error;
        await refused.until;
      }
    }
  }

  /** The connections to each node, first to the coordinator. */
  counts(): readonly ConnectionCounts[] {
    return Array.from(this.#pools, ([url, pool]) => countsOf(url, hostNames(url), pool));
  }

  async urlOfNext(): Promise<string> {
    const where = chosenPlace();
    if (where && 'node' in where) return where.node;
    return (await this.#cells.here())?.node ?? this.#url;
  }

  /**
   * True if the chosen node accepts writes or, without a chosen one, if any node does. Rejects otherwise. False after
   * `end`.
   */
  async acceptWrites(): Promise<boolean> {
    if (this.#isEnded) return false;
    const where = chosenPlace();
    const nodes = where && 'node' in where ? [where.node] : this.#cells.nodes;
    const accepting = nodes.map(async (node) => {
      if (!(await acceptsWrites(this.#healthPoolOf(node)))) throw new Error('it refuses writes');
    });
    await Promise.any(accepting);
    return true;
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await Promise.all([...this.#pools.values(), ...this.#healthPools.values()].map((pool) => pool.end()));
  }

  #poolOf(node: string): pg.Pool {
    const pool = this.#pools.get(node) ?? openPool(node, this.#optionsFor(node));
    this.#pools.set(node, pool);
    return pool;
  }

  #healthPoolOf(node: string): pg.Pool {
    const pool = this.#healthPools.get(node) ?? openPool(node, { ...this.#optionsFor(node), ...forHealth });
    this.#healthPools.set(node, pool);
    return pool;
  }

  /** A pooler is allowed only in front of the coordinator. */
  #optionsFor(node: string): ConnectionOptions {
    return node === this.#url ? this.#options : { ...this.#options, pooled: false };
  }

  async #wayOf(statement?: Statement): Promise<StatementWay> {
    const where = chosenPlace();
    const teamId = this.#rowSecurity ? currentTeam() : undefined;
    if (where && 'node' in where) return { pool: this.#poolOf(where.node), entry: noEntry };
    const isElsewhere = statement !== undefined && examine(statement.text).isOfCoordinator;
    const cell = isElsewhere ? undefined : await this.#cells.here();
    if (!cell) return { pool: this.#poolOf(this.#url), entry: entryOf(teamId), told: [this.#lockLimit] };
    const pool = this.#poolOf(cell.node);
    const team = teamId === undefined ? [] : [tellTeam(teamId)];
    if (cell.isOpen) {
      if (teamId !== undefined) return { pool, entry: entryOfOpen(cell, teamId), told: team, entered: cell };
      const { readsSince = Infinity, sharesTrips = false, areNamed = false } = where && 'shard' in where ? where : {};
      const shared = sharesTrips && { shared: { cell, isNamed: areNamed } };
      if (!areNamed) return { pool, entry: entryOfOpen(cell, undefined), entered: cell, ...shared };
      const enters = cell.enteredAt < readsSince;
      return { pool, entry: entryOfNamed(cell, { enters }), ...shared, ...(enters && { entered: cell }) };
    }
    return { pool, entry: entryOfClosed(teamId), told: [...team, this.#lockLimit], isBlock: teamId !== undefined };
  }

  /** Waits first, because the nodes hear of a move one after the other. */
  async #readPlaces(tries: number): Promise<void> {
    await sleep(tries * tryAgainMs);
    await this.#cells.read();
  }
}

/** `onLeft`: called with the error of a transaction whose cell was moved or closed. */
const begin = async (
  { pool, entry, told = [] }: StatementWay,
  onLeft: (error: pg.DatabaseError) => void = () => {},
): Promise<TransactionConnection> => {
  const onFailure = (error: unknown): void => {
    if (hasLeft(error)) onLeft(error);
  };
  const statements = [...told, ...entry.statements];
  return new TransactionConnection(await pool.connect(), { ...entry, statements, onFailure });
};

const runInBlock = async (way: StatementWay, statement: Statement): Promise<StatementAnswer> => {
  const transaction = await begin(way);
  return inTransaction(transaction, () => transaction.query(statement));
};
