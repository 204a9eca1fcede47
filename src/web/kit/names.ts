import { useQueries } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
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

type Named = [id: string, name: string | null][];

const together = (batches: UseQueryResult<Named>[]) => ({
  named: batches.flatMap(({ data }) => data ?? []),
  isWhole: batches.every(({ data }) => data !== undefined),
});

const useNames = (path: string, ids: Ids, ask: (batch: string[]) => Promise<Named>): Names => {
  // In the order of the rows: when a list loads more of them, all batches but the last one stay as they are.
  const wanted = [...new Set(ids.filter((id) => typeof id === 'string'))];
  const { named, isWhole } = useQueries({
    queries: inBatches(wanted).map((batch) => ({
      queryKey: ['app', path, languageNow(), currentTeam(), batch],
      queryFn: () => ask(batch),
    })),
    combine: together,
  });
  const former = useRef<Names>(undefined);
  const names = useMemo(() => {
    // While the last batch loads, the names of the former rows stay.
    if (!isWhole && former.current === undefined) return undefined;
    const known = named.flatMap(([id, name]): [string, string][] => (name === null ? [] : [[id, name]]));
    return new Map([...(isWhole ? [] : (former.current ?? [])), ...known]);
  }, [named, isWhole]);
  const isEmpty = wanted.length === 0;
  useEffect(() => {
    // Not the names of no rows: the first rows would have unknown names until theirs arrive.
    former.current = isEmpty ? undefined : names;
  }, [names, isEmpty]);
  return isEmpty ? noNames : names;
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
