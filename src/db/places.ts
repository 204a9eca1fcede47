import { inBatches, type BatchOptions } from '../core/batch.ts';
import { chosenPlace, runAt, type Cell, type Cells } from './cells/cells.ts';
import { hostNames } from './hosts.ts';

type TeamId = string | undefined | Promise<string | undefined>;

/** Runs statements at a place. */
export type RunAt = <T>(action: () => Promise<T>) => Promise<T>;

interface PlacedBatchOptions<Item> extends BatchOptions {
  /** Given if the calls only read: when the request of an item began. */
  beganAt?: (item: Item) => number;
  /** Calls for several places of a node share round trips (shared-trips.ts): their statements wait for no rows. */
  sharesTrips?: boolean;
}

/** The items of one place. */
export interface Part<Item> {
  readonly items: readonly Item[];
  readonly run: RunAt;
  /** The URL of its node. */
  readonly node: string;
}

/**
 * Divides work by where the rows of teams are. A plain database is one place. A distributed one has a place for each cell
 * (cells.ts), and one more, the coordinator, for what is of no team.
 */
export interface Places {
  /** Undefined for a plain database. */
  readonly cells: Cells | undefined;
  /** Where the statements of a team run. */
  ofTeam(teamId: string): RunAt;
  /** Where statements run that are of no team. */
  readonly onCoordinator: RunAt;
  /** Divides items by the place of their teams. */
  byPlace<Item>(items: readonly Item[], teamOf: (item: Item) => TeamId): Promise<readonly Part<Item>[]>;
  /** `inBatches` with calls of its own for each place. Unless they share trips, no place waits for another one. */
  inBatchesByPlace<Item, Result>(
    teamOf: (item: Item) => TeamId,
    call: (items: readonly Item[]) => Promise<readonly Result[]>,
    options: PlacedBatchOptions<Item>,
  ): (item: Item) => Promise<Result>;
  /** The team of the key with this prefix, if the places differ and there is one. */
  teamOfKey(prefix: string): TeamId;
  /** All places that have teams. Statements that run at several of them at the same time share round trips. */
  places(): readonly RunAt[];
  /** The same, by the name of their machine. That of a plain database is empty. */
  placesByNode(): ReadonlyMap<string, readonly RunAt[]>;
  /** The URL of the machine that has the rows of a team. */
  nodeOf(teamId: string): string | Promise<string>;
  /** The names of the machines that do not answer. A plain database is never one of them. */
  awayNodes(): readonly string[];
  /** Whether a statement may lock rows of several teams where it runs. */
  spansTeams(): boolean;
  /** The machines. Each has a queue of jobs. */
  nodes(): readonly Node[];
  /** Calls the listener when machines were added or removed. Returns a function that removes the listener. */
  onNodes(listener: () => void): () => void;
}

export interface Node {
  readonly url: string;
  /** For people; empty for a plain database. */
  readonly name: string;
  readonly run: RunAt;
}

/** Waits for what runs at several places, also if one of them fails, and then throws its error. */
export const everywhere = async <T>(running: readonly Promise<T>[]): Promise<T[]> => {
  await Promise.allSettled(running);
  return Promise.all(running);
};

/** Makes something for each machine, so that no work waits for what hangs on another one. */
export const perNode = <T>(make: () => T) => {
  const made = new Map<string, T>();
  return {
    of: (url: string): T => {
      const known = made.get(url) ?? make();
      made.set(url, known);
      return known;
    },
  };
};

const here: RunAt = (action) => action();

const onePlace = (url: string): Places => ({
  cells: undefined,
  ofTeam: () => here,
  onCoordinator: here,
  byPlace: async (items) => [{ items, run: here, node: url }],
  inBatchesByPlace: (_teamOf, call, options) => inBatches(call, options),
  teamOfKey: () => undefined,
  places: () => [here],
  placesByNode: () => new Map([['', [here]]]),
  nodeOf: () => url,
  awayNodes: () => [],
  spansTeams: () => true,
  nodes: () => [{ url, name: '', run: here }],
  onNodes: () => () => {},
});

export const placesOf = (url: string, cells: Cells | undefined): Places => {
  if (!cells) return onePlace(url);
  /** The cell of a team; empty without a team. */
  const shardOf = async (teamId: TeamId): Promise<string> => {
    const known = await teamId;
    return known === undefined ? '' : (await cells.of(known)).shard;
  };
  const runIn = (shard: string): RunAt => (shard === '' ? here : (action) => runAt({ shard }, action));
  const sharing =
    ({ shard }: Cell): RunAt =>
    (action) =>
      runAt({ shard, sharesTrips: true }, action);
  return {
    cells,
    ofTeam: (teamId) => (action) => runAt({ teamId }, action),
    onCoordinator: (action) => runAt({ node: url }, action),
    byPlace: async (items, teamOf) => {
      const placed = await Promise.all(items.map(async (item) => ({ item, shard: await shardOf(teamOf(item)) })));
      const groups = Map.groupBy(placed, ({ shard }) => shard);
      return Array.from(groups, ([shard, some]) => ({
        items: some.map(({ item }) => item),
        run: runIn(shard),
        node: shard === '' ? url : cells.at(shard).node,
      }));
    },
    inBatchesByPlace: <Item, Result>(
      teamOf: (item: Item) => TeamId,
      call: (items: readonly Item[]) => Promise<readonly Result[]>,
      { beganAt, sharesTrips, ...options }: PlacedBatchOptions<Item>,
    ) => {
      const batches = new Map<string, (item: Item) => Promise<Result>>();
      return async (item: Item) => {
        const shard = await shardOf(teamOf(item));
        const runBatch = (items: readonly Item[]) => {
          const readsSince = beganAt && Math.max(...items.map(beganAt));
          return shard === '' ? call(items) : runAt({ shard, readsSince, sharesTrips }, () => call(items));
        };
        const add = batches.get(shard) ?? inBatches(runBatch, options);
        batches.set(shard, add);
        return add(item);
      };
    },
    teamOfKey: (prefix) => cells.teamOfKey(prefix),
    places: () => cells.all.map(sharing),
    placesByNode: () => {
      const byNode = Map.groupBy(cells.all, ({ node }) => node);
      return new Map(Array.from(byNode, ([node, of]) => [hostNames(node), of.map(sharing)]));
    },
    nodeOf: async (teamId) => (await cells.of(teamId)).node,
    awayNodes: () => cells.away.map(hostNames).toSorted(),
    spansTeams: () => {
      const where = chosenPlace();
      return where !== undefined && 'shard' in where && cells.at(where.shard).isOpen;
    },
    nodes: () =>
      cells.nodes.map((node) => ({ url: node, name: hostNames(node), run: (action) => runAt({ node }, action) })),
    onNodes: (listener) => cells.onNodes(listener),
  };
};
