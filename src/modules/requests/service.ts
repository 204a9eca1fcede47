import { z } from 'zod';
import { greatestIdUntil, leastIdSince, isId } from '../../core/ids.ts';
import { deleteOldDays, dailyTables, createPartitions } from '../../db/partitions.ts';
import type { Retention, DroppedPartitions } from '../../db/partitions.ts';
import { walkPage } from '../../platform/paging.ts';
import type { Page } from '../../platform/paging.ts';
import type { Platform, Team } from '../../platform/team.ts';
import type { LoggedRequest, RequestQuery } from './schema.ts';
import { loggedRequests } from './store.ts';
import type { FoundRow, walks } from './store.ts';

// Reading the request log, and deleting its old days. `writer.ts` writes it.

/** The most rows that one page reads to find those that match its filter. */
const readByPage = 5_000;

const greatestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const leastId = '00000000-0000-0000-0000-000000000000';

const statusesOf = (status: RequestQuery['status']): [least: number | null, greatest: number | null] => {
  if (status === undefined) return [null, null];
  if (typeof status === 'number') return [status, status];
  const hundreds = Number(status.charAt(0)) * 100;
  return [hundreds, hundreds + 99];
};

const Position = z.tuple([z.uuid()]);

const present = ({ key_id, name, prefix, ...row }: FoundRow): LoggedRequest => ({
  ...row,
  key: { id: key_id, name, prefix },
});

/** A page of the requests with the team's keys, newest first. It reads a limited number of rows, even if few of them match the filter. */
export const listRequests = async (
  team: Team,
  { cursor, limit, ...filter }: RequestQuery,
): Promise<Page<LoggedRequest>> => {
  const { database } = team.platform;
  const { key_id: keyId = null, code = null, route = null, method = null, since = null, until = null } = filter;
  const requestId = filter.request_id?.toLowerCase() ?? null;
  const [leastStatus, greatestStatus] = statusesOf(filter.status);
  const isNarrow = [requestId, leastStatus, code, route, method, since, until].some((value) => value !== null);

  const page = await walkPage<FoundRow, [string]>(team, {
    list: `requests&${encodeURIComponent(JSON.stringify(filter))}`,
    position: Position,
    query: { cursor, limit },
    walk: async ([from] = [greatestId], most) => {
      if ([keyId, requestId].some((id) => id !== null && !isId(id))) return { rows: [] };
      const below = until === null ? from : [from, greatestIdUntil(until)].toSorted()[0];
      const read = async (walk: keyof typeof walks, window: number) => {
        const { rows, walked, reached } = await loggedRequests(database, walk, {
          tenantId: team.id,
          below: below ?? from,
          least: since === null ? leastId : leastIdSince(since),
          limit: most,
          window,
          keyId,
          requestId,
          leastStatus,
          greatestStatus,
          code,
          route,
          method,
          since,
          until,
        });
        return { rows, stoppedAt: walked < window || reached === null ? undefined : ([reached] satisfies [string]) };
      };

      if (requestId !== null) {
        const { rows, stoppedAt } = await read('ofRequest', readByPage);
        // If there are too many rows, the client sends the same id with every request. Then the id is a filter like the others.
        if (stoppedAt === undefined) return { rows };
      }
      return read(keyId === null ? 'newest' : 'newestOfKey', isNarrow ? readByPage : most);
    },
    positionOf: ({ id }) => [id],
  });
  return { ...page, data: page.data.map(present) };
};

const parents = [{ table: 'request_log_entry' }];
const old = dailyTables('requests', parents, 'api_key_day');

/** Creates the request log's partitions for the next days. */
export const keepLogPartitions = (platform: Platform): Promise<void> => createPartitions(platform, parents);

/** Deletes old days of the request log and of its sums. */
export const cutLog = (platform: Platform, retention: Retention): Promise<DroppedPartitions> =>
  deleteOldDays(platform, old, retention);
