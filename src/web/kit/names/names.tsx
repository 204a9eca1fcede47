import { keepPreviousData, useQuery, type QueryKey } from '@tanstack/react-query';
import { inParts } from '../../server/parts.ts';
import { app, client } from '../../server/server.ts';
import { TextInCell } from '../text/cut.tsx';
import { TextSkeleton } from '../page/page.tsx';

/** The most ids of one request. */
const maxIds = 200;

type Ids = readonly (string | null | undefined)[];
type ReadByIds = (batch: string[]) => Promise<readonly (readonly [id: string, name: string | null])[]>;

export type NamesById = ReadonlyMap<string, string | null>;

const unique = (ids: Ids): string[] => [...new Set(ids.filter((id) => typeof id === 'string'))];

const askFor = async (ids: readonly string[], ask: ReadByIds): Promise<NamesById> => {
  const found = await Promise.all(inParts(ids, maxIds).map(ask));
  return new Map([...ids.map((id) => [id, null] as const), ...found.flat()]);
};

/** The names of ids. While an id loads, it has no name. Null means that the server has no name, or hides it. */
const useNames = (key: QueryKey, ids: Ids, ask: ReadByIds): NamesById => {
  const wanted = unique(ids);
  const { data } = useQuery({
    queryKey: [...key, wanted],
    queryFn: () => askFor(wanted, ask),
    enabled: wanted.length > 0,
    // When a list loads more rows, the names of the earlier rows stay.
    placeholderData: keepPreviousData,
  });
  return data ?? new Map();
};

const catalogNames: ReadByIds = async (ids) =>
  (await client.app.catalog.names.query({ ids })).names.map(({ id, name }) => [id, name]);

const personNames: ReadByIds = async (ids) =>
  (await client.app.members.names.query({ user_ids: ids })).data.map(({ user_id, name, email }) => [
    user_id,
    name ?? email,
  ]);

export const useCatalogNames = (ids: Ids): NamesById => useNames(app.catalog.names.pathKey(), ids, catalogNames);

/** The names of the team's people by user id, or their email addresses if they have no name. */
export const usePersonNames = (ids: Ids): NamesById => useNames(app.members.names.pathKey(), ids, personNames);

/** Loads the names of the people that are not in the map yet. */
export const addNames = async (names: Map<string, string | null>, userIds: readonly string[]): Promise<void> => {
  const missing = unique(userIds).filter((id) => !names.has(id));
  for (const [id, name] of await askFor(missing, personNames)) names.set(id, name);
};

/** A name, or a placeholder while it loads. */
export const Name = ({ id, names, unknown }: { id: string; names: NamesById; unknown: string }) => {
  const name = names.get(id);
  return name === undefined ? <TextSkeleton /> : <TextInCell text={name ?? unknown} />;
};
