import { inBatches, type BatchOptions } from '../core/batch.ts';

// A database may have several parts, each on a machine of its own. A part has the rows of some teams, a queue of jobs,
// and counters. Code that works for many teams or for each queue asks here for the parts. A plain database is one part.
// Where a type allows a value or a promise, it returns the value.

type TeamId = string | undefined | Promise<string | undefined>;

/** Runs statements at a certain place of the database. */
export type RunThere = <T>(action: () => Promise<T>) => Promise<T>;

export interface DatabasePart {
  readonly url: string;
  /** The name of the part, for people; empty for a plain database. */
  readonly name: string;
  /** Runs statements about the rows that the part has for itself: its jobs and counters. */
  readonly run: RunThere;
  /**
   * The teams of a part form one or more groups: sets of teams for which one statement may be run. For each group, this
   * is a function that runs statements about all its teams.
   */
  readonly groups: readonly RunThere[];
}

/** Items whose teams are in one group (`DatabasePart.groups`). */
export interface ItemsOfGroup<Item> {
  readonly items: readonly Item[];
  readonly run: RunThere;
  /** The URL of the group's part. */
  readonly part: string;
}

export interface TeamBatchOptions extends BatchOptions {
  /** Whether the calls only read, and only for the requests that wait for their results. */
  onlyReads?: boolean;
  /**
   * Whether no statement of the calls waits for locked rows. Then they may share round trips with statements for other
   * groups of teams.
   */
  waitsForNoRows?: boolean;
}

export interface DatabaseParts {
  /** The first part has all rows that belong to no team, except the jobs and counters of the other parts. */
  all(): readonly DatabasePart[];
  /** Calls the listener when parts were added or removed. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
  /** The names of the parts that do not answer. A plain database is never one of them. */
  away(): readonly string[];
  /** Returns the function that runs statements in the place where the team's rows are. */
  ofTeam(teamId: string): RunThere;
  /** Runs statements about rows that belong to no team. */
  readonly ofNoTeam: RunThere;
  /** The URL of the part that has the rows of a team. */
  urlOf(teamId: string): string | Promise<string>;
  /**
   * The id of the team whose key has this prefix. Undefined if there is no such key, and always for a plain database.
   */
  teamOfKey(prefix: string): TeamId;
  /** How many groups of teams there are. A write for many teams takes one statement for each group. */
  groups(): number;
  /** Divides items by the groups of their teams. Items without a team are one more group. */
  divide<Item>(items: readonly Item[], teamOf: (item: Item) => TeamId): Promise<readonly ItemsOfGroup<Item>[]>;
  /**
   * Like `inBatches` (core/batch.ts), with separate calls for each group of teams. No group waits for the call of
   * another one.
   */
  inBatches<Item, Result>(
    teamOf: (item: Item) => TeamId,
    call: (items: readonly Item[]) => Promise<readonly Result[]>,
    options: TeamBatchOptions,
  ): (item: Item) => Promise<Result>;
  /** Whether the caller's next statement may be for several teams: it is not refused then, and needs no other part. */
  spansTeams(): boolean;
}

const here: RunThere = (action) => action();

/** A plain database. */
export const onePart = (url: string): DatabaseParts => {
  const all: readonly DatabasePart[] = [{ url, name: '', run: here, groups: [here] }];
  return {
    all: () => all,
    onChange: () => () => {},
    away: () => [],
    ofTeam: () => here,
    ofNoTeam: here,
    urlOf: () => url,
    teamOfKey: () => undefined,
    groups: () => 1,
    divide: async (items) => [{ items, run: here, part: url }],
    inBatches: (_teamOf, call, options) => inBatches(call, options),
    spansTeams: () => true,
  };
};

/** Waits until all of these promises have ended. If one or more reject, throws the first error only then. */
export const everywhere = async <T>(running: readonly Promise<T>[]): Promise<T[]> => {
  await Promise.allSettled(running);
  return Promise.all(running);
};

/** Does something on each of these parts. */
export const onEach = <T>(parts: readonly DatabasePart[], action: () => Promise<T>): Promise<T[]> =>
  everywhere(parts.map(({ run }) => run(action)));

/** Does something for all teams of these parts, once for each group. */
export const forAllTeams = <T>(parts: readonly DatabasePart[], action: () => Promise<T>): Promise<T[]> =>
  everywhere(parts.flatMap(({ groups }) => groups.map((run) => run(action))));

/** Makes one object for each part, so that work for one part does not wait for another part that hangs. */
export const perPart = <T>(make: () => T) => {
  const made = new Map<string, T>();
  return {
    of: (url: string): T => {
      const known = made.get(url) ?? make();
      made.set(url, known);
      return known;
    },
  };
};
