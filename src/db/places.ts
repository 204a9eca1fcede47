import { inBatches, type BatchOptions } from '../core/batch.ts';
import { chosenPlace, runAt, type Cells } from './cells.ts';

type TeamId = string | undefined | Promise<string | undefined>;

/** Runs statements at a place. */
type RunAt = <T>(action: () => Promise<T>) => Promise<T>;

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
  /** All places that have teams. */
  places(): readonly RunAt[];
  /** Whether a statement may lock rows of several teams where it runs. */
  spansTeams(): boolean;
  /** The machines. Each has a queue of jobs. */
  nodes(): readonly Node[];
  /** Calls the listener when machines were added or removed. Returns a function that removes the listener. */
  onNodes(listener: () => void): () => void;
}

export interface Node {
  readonly url: string;
  readonly run: RunAt;
}

/** Waits for what runs at several places, also if one of them fails, and then throws its error. */
export const everywhere = async <T>(running: readonly Promise<T>[]): Promise<T[]> => {
  await Promise.allSettled(running);
  return Promise.all(running);
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
  spansTeams: () => true,
  nodes: () => [{ url, run: here }],
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
    places: () => cells.all.map(({ shard }) => runIn(shard)),
    spansTeams: () => {
      const where = chosenPlace();
      return where !== undefined && 'shard' in where && cells.at(where.shard).isOpen;
    },
    nodes: () => cells.nodes.map((node) => ({ url: node, run: (action) => runAt({ node }, action) })),
    onNodes: (listener) => cells.onNodes(listener),
  };
};
