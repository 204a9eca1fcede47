import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { languageNow } from '../language/language.tsx';
import { app } from '../server/server.ts';
import { currentTeam } from '../session/current-team.ts';

/** As many as the server names at once. */
const atOnce = 200;

const inParts = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / atOnce) }, (_, part) => ids.slice(part * atOnce, (part + 1) * atOnce));

type Ids = readonly (string | null | undefined)[];

/** Names by id. What has no name, or is not told, is not in it; undefined while it loads. */
type Names = ReadonlyMap<string, string> | undefined;

const nothing: ReadonlyMap<string, string> = new Map();

const useNames = (
  path: string,
  ids: Ids,
  ask: (part: string[]) => Promise<[id: string, name: string | null][]>,
): Names => {
  const wanted = [...new Set(ids.filter((id) => typeof id === 'string'))].toSorted();
  const { data } = useQuery<Map<string, string>>({
    queryKey: ['app', path, languageNow(), currentTeam(), wanted],
    queryFn: async () => {
      const named = (await Promise.all(inParts(wanted).map(ask))).flat();
      return new Map(named.flatMap(([id, name]): [string, string][] => (name === null ? [] : [[id, name]])));
    },
    enabled: wanted.length > 0,
    // A list that goes on keeps the names that it has.
    placeholderData: keepPreviousData,
  });
  return wanted.length === 0 ? nothing : data;
};

/** What items of the catalog are called. */
export const useCatalogNames = (ids: Ids): Names =>
  useNames('catalog.names', ids, async (part) =>
    (await app.ask('catalog.names', { ids: part })).names.map(({ id, name }) => [id, name]),
  );

/** Who people of the team are, by user id: their name, else their email. */
export const usePersonNames = (ids: Ids): Names =>
  useNames('members.names', ids, async (part) =>
    (await app.ask('members.names', { user_ids: part })).data.map(({ user_id, name, email }) => [
      user_id,
      name ?? email,
    ]),
  );
