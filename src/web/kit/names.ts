import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { languageNow } from '../language/language.tsx';
import { app } from '../server/server.ts';
import { currentTeam } from '../session/current-team.ts';

/** The most ids of one request for names. */
const maxIds = 200;

const inBatches = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / maxIds) }, (_, part) => ids.slice(part * maxIds, (part + 1) * maxIds));

type Ids = readonly (string | null | undefined)[];

/** Names by id; undefined while they load. Ids whose names are unknown or hidden are missing. */
type Names = ReadonlyMap<string, string> | undefined;

const noNames: ReadonlyMap<string, string> = new Map();

const useNames = (
  path: string,
  ids: Ids,
  ask: (part: string[]) => Promise<[id: string, name: string | null][]>,
): Names => {
  const wanted = [...new Set(ids.filter((id) => typeof id === 'string'))].toSorted();
  const { data } = useQuery<Map<string, string>>({
    queryKey: ['app', path, languageNow(), currentTeam(), wanted],
    queryFn: async () => {
      const named = (await Promise.all(inBatches(wanted).map(ask))).flat();
      return new Map(named.flatMap(([id, name]): [string, string][] => (name === null ? [] : [[id, name]])));
    },
    enabled: wanted.length > 0,
    // When a list loads more rows, the names of the former rows stay.
    placeholderData: keepPreviousData,
  });
  return wanted.length === 0 ? noNames : data;
};

/** The names of catalog items. */
export const useCatalogNames = (ids: Ids): Names =>
  useNames('catalog.names', ids, async (part) =>
    (await app.query('catalog.names', { ids: part })).names.map(({ id, name }) => [id, name]),
  );

/** The names of the team's people by user id, or their email addresses if they have no name. */
export const usePersonNames = (ids: Ids): Names =>
  useNames('members.names', ids, async (part) =>
    (await app.query('members.names', { user_ids: part })).data.map(({ user_id, name, email }) => [
      user_id,
      name ?? email,
    ]),
  );
