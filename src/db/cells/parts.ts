import { inBatches } from '../../core/batch.ts';
import { hostNames } from '../hosts.ts';
import type { DatabasePart, DatabaseParts, RunThere, TeamBatchOptions } from '../parts.ts';
import { requestBeganAt } from '../row-security.ts';
import { chosenPlace, runAt, type Cell, type Cells } from './cells.ts';

// The parts of a distributed database are its nodes. The teams of a cell are a group. In `divide` and `inBatches`,
// items without a team are another group, on the coordinator.

type TeamId = string | undefined | Promise<string | undefined>;

export interface CellParts extends DatabaseParts {
  readonly cells: Cells;
}

const here: RunThere = (action) => action();

/** Statements that run in several cells of a node at the same time share round trips (shared-trips.ts). */
const sharing =
  ({ shard }: Cell): RunThere =>
  (action) =>
    runAt({ shard, sharesTrips: true }, action);

/** `url` is the coordinator's. */
export const cellParts = (url: string, cells: Cells): CellParts => {
  /** The cell of a team; empty without a team. */
  const shardOf = async (teamId: TeamId): Promise<string> => {
    const known = await teamId;
    return known === undefined ? '' : (await cells.of(known)).shard;
  };
  const runIn = (shard: string): RunThere => (shard === '' ? here : (action) => runAt({ shard }, action));
  const all = (): readonly DatabasePart[] => {
    const byNode = Map.groupBy(cells.all, ({ node }) => node);
    return cells.nodes.map((node) => ({
      url: node,
      name: hostNames(node),
      run: (action) => runAt({ node }, action),
      groups: (byNode.get(node) ?? []).map(sharing),
    }));
  };
  return {
    cells,
    all,
    onChange: (listener) => cells.onNodes(listener),
    away: () => cells.away.map(hostNames).toSorted(),
    ofTeam: (teamId) => (action) => runAt({ teamId }, action),
    ofNoTeam: (action) => runAt({ node: url }, action),
    urlOf: async (teamId) => (await cells.of(teamId)).node,
    teamOfKey: (prefix) => cells.teamOfKey(prefix),
    groups: () => cells.count,
    divide: async (items, teamOf) => {
      const placed = await Promise.all(items.map(async (item) => ({ item, shard: await shardOf(teamOf(item)) })));
      return Array.from(
        Map.groupBy(placed, ({ shard }) => shard),
        ([shard, some]) => ({
          items: some.map(({ item }) => item),
          run: runIn(shard),
          part: shard === '' ? url : cells.at(shard).node,
        }),
      );
    },
    inBatches: <Item, Result>(
      teamOf: (item: Item) => TeamId,
      call: (items: readonly Item[]) => Promise<readonly Result[]>,
      { onlyReads, waitsForNoRows: sharesTrips, ...options }: TeamBatchOptions,
    ) => {
      interface ItemOfRequest {
        readonly item: Item;
        /** When the request that waits for the answer began. */
        readonly beganAt: number;
      }
      const batches = new Map<string, (asked: ItemOfRequest) => Promise<Result>>();
      return async (item: Item) => {
        const beganAt = requestBeganAt();
        const shard = await shardOf(teamOf(item));
        const runBatch = (asked: readonly ItemOfRequest[]) => {
          const readsSince = onlyReads ? Math.max(...asked.map((one) => one.beganAt)) : undefined;
          const items = asked.map((one) => one.item);
          return shard === ''
            ? call(items)
            : runAt({ shard, readsSince, sharesTrips, areNamed: sharesTrips }, () => call(items));
        };
        const add = batches.get(shard) ?? inBatches(runBatch, options);
        batches.set(shard, add);
        return add({ item, beganAt });
      };
    },
    spansTeams: () => {
      const where = chosenPlace();
      return where !== undefined && 'shard' in where && cells.at(where.shard).isOpen;
    },
  };
};
