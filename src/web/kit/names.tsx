import { useQueries, type QueryKey, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { app, client } from '../server/server.ts';
import { TextInCell } from './cut.tsx';
import { TextSkeleton } from './page.tsx';

/** The most ids of one request for names. */
const maxIds = 200;

const inBatches = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / maxIds) }, (_, part) => ids.slice(part * maxIds, (part + 1) * maxIds));

type Ids = readonly (string | null | undefined)[];

const unique = (ids: Ids): string[] => [...new Set(ids.filter((id) => typeof id === 'string'))];

/** Names by id: missing while they load, and null if they are unknown or hidden. */
export type Names = ReadonlyMap<string, string | null>;

const noNames: Names = new Map();

type Named = [id: string, name: string | null][];

const together = (batches: UseQueryResult<Named>[]) => ({
  named: batches.flatMap(({ data }) => data ?? []),
  isWhole: batches.every(({ data }) => data !== undefined),
});

const useNames = (key: QueryKey, ids: Ids, ask: (batch: string[]) => Promise<Named>): Names => {
  // In the order of the rows: when a list loads more of them, all batches but the last one stay as they are.
  const wanted = unique(ids);
  const { named, isWhole } = useQueries({
    queries: inBatches(wanted).map((batch) => ({
      queryKey: [...key, batch],
      queryFn: async (): Promise<Named> => {
        const found = new Map(await ask(batch));
        return batch.map((id) => [id, found.get(id) ?? null]);
      },
    })),
    combine: together,
  });
  const former = useRef(noNames);
  // While the last batch loads, the names of the former rows stay.
  const names = useMemo(() => new Map([...(isWhole ? noNames : former.current), ...named]), [named, isWhole]);
  useEffect(() => {
    former.current = names;
  }, [names]);
  return names;
};

const catalogNames = async (ids: string[]): Promise<Named> =>
  (await client.app.catalog.names.query({ ids })).names.map(({ id, name }) => [id, name]);

const personNames = async (ids: string[]): Promise<Named> =>
  (await client.app.members.names.query({ user_ids: ids })).data.map(({ user_id, name, email }) => [
    user_id,
    name ?? email,
  ]);

export const useCatalogNames = (ids: Ids): Names => useNames(app.catalog.names.pathKey(), ids, catalogNames);

/** The names of the team's people by user id, or their email addresses if they have no name. */
export const usePersonNames = (ids: Ids): Names => useNames(app.members.names.pathKey(), ids, personNames);

/** The user ids and the ids of catalog items in a row. */
export interface Referred {
  people?: Ids;
  items?: Ids;
}

/** Loads the names of the ids that are not in the map yet. */
export const addNames = async (names: Map<string, string | null>, referred: readonly Referred[]): Promise<void> => {
  const add = async (ids: Ids, ask: (batch: string[]) => Promise<Named>): Promise<void> => {
    for (const batch of inBatches(unique(ids).filter((id) => !names.has(id)))) {
      const found = new Map(await ask(batch));
      for (const id of batch) names.set(id, found.get(id) ?? null);
    }
  };
  await add(
    referred.flatMap(({ people = [] }) => people),
    personNames,
  );
  await add(
    referred.flatMap(({ items = [] }) => items),
    catalogNames,
  );
};

/** A name, or a placeholder while it loads. */
export const Name = ({ id, names, unknown }: { id: string; names: Names; unknown: string }) => {
  const name = names.get(id);
  return name === undefined ? <TextSkeleton /> : <TextInCell text={name ?? unknown} />;
};
