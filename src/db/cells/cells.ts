import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { inBatches } from '../../core/batch.ts';
import { TtlMap } from '../../core/ttl-map.ts';
import { hostNames, hostUrls, PrimaryClient } from '../hosts.ts';
import { currentTeam } from '../row-security.ts';
import { sqlState } from '../sqlstate.ts';

// A distributed database (Citus) has all rows of a team on one node. Its planner costs several times what a statement
// does, so it is not used for statements of a team: they go straight to the team's node, which has the tables of its
// cell.
//
//   cell    the teams of one shard: the parts of all tables with the same index. Its number is the one of team's shard
//   open    its node has a schema `cell_NUMBER` with a view of each part, under the name of the table (make-cells.ts)
//   closed  its node has no such schema, because the cell was moved or a migration runs. Then the same statement runs
//           through Citus' tables
//
// So entering a cell is only a shortcut: through Citus' tables, any node gives the same answer, more slowly. A
// transaction on a cell begins with `enter_cell`, which keeps the cell from being moved until the transaction ends, and
// refuses if the cell is not there or closed. Nothing was done then, so the process reads again where the cells are,
// and repeats the transaction.
//
// A read needs no lock if this process has entered the cell since the request began: it sees at least all that was
// written until then, also if the cell was moved in between. The gate of a request with a key enters the team's cell.

export interface Cell {
  readonly shard: string;
  /** The URL of the cell's node. */
  readonly node: string;
  /** Citus' number of the cell's node. */
  readonly group: number;
  readonly isOpen: boolean;
  /** When the last of this process' transactions that have entered the cell began, by `performance.now()`. */
  enteredAt: number;
}

/**
 * A place that is chosen for statements, for instance because they belong to no request of a team: the cell of a team,
 * a cell, or a node, independent of its cells.
 */
type Place = { readonly teamId: string } | PlaceInCell | { readonly node: string };

interface PlaceInCell {
  readonly shard: string;
  /** Given if the statements only read, for one or more requests: when the last of these requests began. */
  readonly readsSince?: number | undefined;
  /** Whether the statements share round trips with those of other cells (shared-trips.ts). */
  readonly sharesTrips?: boolean | undefined;
  /** Whether the statements are gates or reads by id. Their SQL can name the tables of a cell (entry.ts). */
  readonly areNamed?: boolean | undefined;
}

const place = new AsyncLocalStorage<Place>();

/** The place that was chosen for the running statements, if one was chosen. */
export const chosenPlace = (): Place | undefined => place.getStore();

/**
 * Runs an action at a place. The action is awaited inside, because Prisma sends a statement only when its promise is
 * awaited.
 */
export const runAt = <T>(where: Place, action: () => Promise<T>): Promise<T> =>
  place.run(where, async () => await action());

/**
 * The code of errors of `enter_cell`: the cell is on another node or closed. PostgreSQL itself does not use this code.
 */
export const cellNotHere = 'CELL1';

/**
 * Whether `enter_cell` has refused a transaction, or a read that need not enter its cell has found that the cell was
 * closed after the request had begun.
 */
export const hasLeft = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError &&
  (error.code === cellNotHere || (error.code === sqlState.noSuchTable && /\bcell_\d+\./.test(error.message)));

/**
 * Gives an error for which `hasLeft` is true the code of a conflict with another transaction, so that callers try
 * again.
 */
export const asConflict = (error: pg.DatabaseError): pg.DatabaseError =>
  Object.assign(error, { code: sqlState.serializationFailure });

const readAgainMs = 2_000;
/** A node that does not answer in time is skipped. At the start there is no other node to ask. */
const answerWithinMs = { atStart: 10_000, later: 2_000 };
/**
 * How many teams with their cells, and how many keys with their teams, a process remembers. A team never changes its
 * cell, nor a key its team.
 */
const remembered = 100_000;

/** A node as Citus' own tables describe it. */
export interface FoundNode {
  readonly host: string;
  readonly port: number;
  readonly isCoordinator: boolean;
}

/** The same user and database on another node. */
export const nodeUrl = (databaseUrl: string, { host, port, isCoordinator }: FoundNode): string =>
  isCoordinator
    ? databaseUrl
    : Object.assign(new URL(hostUrls(databaseUrl)[0]), { hostname: host, port: String(port) }).href;

const FIND_CELLS = `select shardid::text as shard, groupid as group, nodename as host, nodeport as port, groupid = 0 as "isCoordinator"
  from pg_dist_shard join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
 where logicalrelid = to_regclass('team') and noderole = 'primary'`;
const FIND_NODES = `select nodename as host, nodeport as port, groupid = 0 as "isCoordinator"
  from pg_dist_node where isactive and noderole = 'primary'`;
const FIND_OPEN = `select to_regclass('graphile_worker.jobs') is not null as "isPrepared",
        array(select substr(relnamespace::regnamespace::text, 6) from pg_class
               where relname = 'team' and relnamespace::regnamespace::text like 'cell\\_%') as shards,
        coalesce((select extract(epoch from clock_timestamp() - min(prepared)) from pg_prepared_xacts
                   where database = current_database()), 0)::float8 as "preparedSeconds"`;
const FIND_SHARDS = `select id, get_shard_id_for_distribution_column('team', id)::text as found from unnest($1::uuid[]) as id`;
const FIND_TEAMS = 'select prefix as id, tenant_id::text as found from api_key_prefix where prefix = any ($1)';

/** A node as this process last saw it. */
export interface NodeLook {
  readonly node: string;
  readonly open: number;
  readonly closed: number;
  /** How long ago the node was last seen. */
  readonly ageSeconds: number;
  /** The age of its oldest prepared transaction; 0 without one. */
  readonly preparedSeconds: number;
}

/** Which cell a team belongs to, and which node has the cell. */
export class Cells {
  readonly #url: string;
  readonly #answerWithinMs: number;
  readonly #pools = new Map<string, pg.Pool>();
  #timer: NodeJS.Timeout | undefined;
  readonly #listeners = new Set<() => void>();
  #cells: ReadonlyMap<string, Cell> = new Map();
  /** The coordinator first. */
  #nodes: readonly string[];
  #reading: Promise<void> | undefined;
  /** When each node was last read, by `performance.now()`, and the age of its oldest prepared transaction. */
  readonly #looks = new Map<string, { readonly at: number; readonly preparedSeconds: number }>();
  readonly #openedAt = performance.now();
  /** The running reads of nodes, by their URLs. */
  readonly #looking = new Map<string, Promise<ReadonlySet<string> | undefined>>();
  /** The nodes that did not answer the last time. */
  #away = new Set<string>();
  readonly #shards = new TtlMap<string>({ capacity: remembered });
  readonly #teams = new TtlMap<string>({ capacity: remembered });
  readonly #findShard = inBatches((ids: readonly string[]) => this.#find(FIND_SHARDS, ids), { max: 500 });
  readonly #findTeam = inBatches((ids: readonly string[]) => this.#find(FIND_TEAMS, ids), { max: 500 });

  private constructor(url: string, answerWithin: number) {
    this.#url = url;
    this.#answerWithinMs = answerWithin;
    this.#nodes = [url];
  }

  /** Undefined for a database that is not distributed. */
  static async open(url: string): Promise<Cells | undefined> {
    const found = new Cells(url, answerWithinMs.atStart);
    try {
      const { rows } = await found.#poolOf(url).query(`select to_regclass('pg_dist_shard') is not null as present`);
      if (rows[0]?.present) await found.read();
    } catch (error) {
      const isMissing = error instanceof pg.DatabaseError && error.code === sqlState.noSuchDatabase;
      if (!isMissing) throw error;
      // If the database does not exist, migrations are missing. A later step finds this.
    } finally {
      await found.close();
    }
    if (found.#cells.size === 0) return undefined;
    const cells = new Cells(url, answerWithinMs.later);
    cells.#cells = found.#cells;
    cells.#nodes = found.#nodes;
    cells.#away = found.#away;
    cells.#timer = setInterval(() => void cells.read().catch(() => {}), readAgainMs).unref();
    return cells;
  }

  /** The URLs of all nodes that are prepared for the service, the coordinator first. */
  get nodes(): readonly string[] {
    return this.#nodes;
  }

  /** The URLs of the nodes that do not answer. */
  get away(): readonly string[] {
    return [...this.#away];
  }

  get count(): number {
    return this.#cells.size;
  }

  get all(): readonly Cell[] {
    return [...this.#cells.values()];
  }

  /** The last reading of each node that has cells or is prepared for them. */
  looks(): NodeLook[] {
    const now = performance.now();
    const nodes = new Set([...this.#nodes, ...this.all.map(({ node }) => node)]);
    return Array.from(nodes, (node) => {
      const cells = this.all.filter((cell) => cell.node === node);
      const open = cells.filter(({ isOpen }) => isOpen).length;
      const { at, preparedSeconds } = this.#looks.get(node) ?? { at: this.#openedAt, preparedSeconds: 0 };
      const ageSeconds = (now - at) / 1000;
      return { node: hostNames(node), open, closed: cells.length - open, ageSeconds, preparedSeconds };
    });
  }

  at(shard: string): Cell {
    const cell = this.#cells.get(shard);
    if (!cell) throw new Error(`there is no cell ${shard}`);
    return cell;
  }

  async of(teamId: string): Promise<Cell> {
    const shard = this.#shards.get(teamId) ?? (await this.#findShard(teamId)) ?? '';
    this.#shards.set(teamId, shard);
    return this.at(shard);
  }

  /** The cell of the running statements: that of the chosen place, or of the running request's team. */
  here(): Cell | Promise<Cell> | undefined {
    const where = chosenPlace();
    if (where && 'shard' in where) return this.at(where.shard);
    const teamId = where && 'teamId' in where ? where.teamId : currentTeam();
    return teamId ? this.of(teamId) : undefined;
  }

  /** The team of the key with this prefix, if there is one. */
  async teamOfKey(prefix: string): Promise<string | undefined> {
    const found = this.#teams.get(prefix) ?? (await this.#findTeam(prefix));
    if (found !== undefined) this.#teams.set(prefix, found);
    return found;
  }

  /** Calls the listener when nodes were added or removed. Returns a function that removes the listener. */
  onNodes(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Reads where the cells are. Callers that ask at the same time share one reading. */
  read(): Promise<void> {
    return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#pools.values()].map((pool) => pool.end()));
  }

  async #read(): Promise<void> {
    const found = await this.#ask<FoundNode & { shard: string; group: number }>(FIND_CELLS, []);
    const nodes = (await this.#ask<FoundNode>(FIND_NODES, [])).map((node) => nodeUrl(this.#url, node));
    for (const node of this.#away) if (!nodes.includes(node)) this.#away.delete(node);
    const open = new Map(
      await Promise.all(nodes.map(async (node) => [node, await this.#openUnlessAway(node)] as const)),
    );
    this.#cells = new Map(
      found.map(({ shard, group, ...of }) => {
        const node = nodeUrl(this.#url, of);
        return [shard, { shard, node, group, isOpen: open.get(node)?.has(shard) ?? false, enteredAt: -Infinity }];
      }),
    );
    const before = this.#nodes;
    this.#nodes = [this.#url, ...nodes.filter((node) => node !== this.#url && open.get(node)).toSorted()];
    if (before.join(' ') !== this.#nodes.join(' ')) for (const listener of this.#listeners) listener();
  }

  /** The open cells of a node. If the node did not answer the last time, its answer is not waited for. */
  #openUnlessAway(node: string): ReadonlySet<string> | undefined | Promise<ReadonlySet<string> | undefined> {
    const isAway = this.#away.has(node);
    const looking =
      this.#looking.get(node) ??
      this.#openOn(node)
        .then(
          (open) => {
            this.#away.delete(node);
            return open;
          },
          () => {
            this.#away.add(node);
            return this.#lastOpenOn(node);
          },
        )
        .finally(() => this.#looking.delete(node));
    this.#looking.set(node, looking);
    return isAway ? this.#lastOpenOn(node) : looking;
  }

  /** The open cells of a node; undefined if the node is not prepared. */
  async #openOn(node: string): Promise<ReadonlySet<string> | undefined> {
    const { rows } = await this.#poolOf(node).query<{ isPrepared: boolean; shards: string[]; preparedSeconds: number }>(
      FIND_OPEN,
    );
    this.#looks.set(node, { at: performance.now(), preparedSeconds: rows[0]?.preparedSeconds ?? 0 });
    return rows[0]?.isPrepared ? new Set(rows[0].shards) : undefined;
  }

  /** While a node does not answer, its last open cells count as open, because nothing says that they were closed. */
  #lastOpenOn(node: string): ReadonlySet<string> | undefined {
    if (!this.#nodes.includes(node)) return undefined;
    return new Set(this.all.filter((cell) => cell.isOpen && cell.node === node).map(({ shard }) => shard));
  }

  async #find(sql: string, ids: readonly string[]): Promise<(string | undefined)[]> {
    const found = new Map(
      (await this.#ask<{ id: string; found: string }>(sql, [ids])).map((row) => [row.id, row.found]),
    );
    return ids.map((id) => found.get(id));
  }

  /** Every node has the places of all cells, so the answer of one node is enough. */
  async #ask<Row extends object>(sql: string, values: unknown[]): Promise<Row[]> {
    let failure: unknown;
    for (const node of this.#nodes.toSorted((a, b) => Number(this.#away.has(a)) - Number(this.#away.has(b)))) {
      try {
        return (await this.#poolOf(node).query<Row>(sql, values)).rows;
      } catch (error) {
        failure ??= error;
      }
    }
    throw failure;
  }

  #poolOf(node: string): pg.Pool {
    const known = this.#pools.get(node);
    if (known) return known;
    const pool = new pg.Pool({
      connectionString: node,
      Client: PrimaryClient,
      max: 2,
      connectionTimeoutMillis: this.#answerWithinMs,
      query_timeout: this.#answerWithinMs,
      application_name: 'team-customer-api cells',
    });
    pool.on('error', () => {}); // the next statement fails or connects anew
    pool.on('connect', (client) => client.on('error', () => {}));
    this.#pools.set(node, pool);
    return pool;
  }
}
