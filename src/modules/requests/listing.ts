import { z } from 'zod';
import { greatestIdUntil, leastIdSince, isId } from '../../core/ids.ts';
import { walkPage } from '../../platform/paging.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import type { LoggedRequest, RequestQuery } from './schema.ts';
import { loggedRequests } from './store.ts';
import type { FoundRow, walks } from './store.ts';

/** How many rows one page looks at to find those that pass its filter. */
const lookedAt = 5_000;

const beyondAll = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const beforeAll = '00000000-0000-0000-0000-000000000000';

const statusesOf = (status: RequestQuery['status']): [least: number | null, greatest: number | null] => {
  if (status === undefined) return [null, null];
  if (typeof status === 'number') return [status, status];
  const hundreds = Number(status.charAt(0)) * 100;
  return [hundreds, hundreds + 99];
};

const Position = z.tuple([z.uuid()]);

const present = ({ key_id, name, prefix, ...row }: FoundRow): LoggedRequest => ({
  id: row.id,
  request_id: row.request_id,
  key: { id: key_id, name, prefix },
  method: row.method,
  route: row.route,
  status: row.status,
  code: row.code,
  duration_ms: row.duration_ms,
  created_at: row.created_at,
  count: row.count,
});

/** A page of the requests that came with a key of the team, newest first. However rare what it looks for, it looks only so far. */
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
    walk: async ([from] = [beyondAll], most) => {
      if ([keyId, requestId].some((id) => id !== null && !isId(id))) return { rows: [] };
      const below = until === null ? from : [from, greatestIdUntil(until)].toSorted()[0];
      const look = async (walk: keyof typeof walks, window: number) => {
        const { rows, walked, reached } = await loggedRequests(database, walk, {
          tenantId: team.id,
          below: below ?? from,
          least: since === null ? beforeAll : leastIdSince(since),
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
        const { rows, stoppedAt } = await look('ofRequest', lookedAt);
        // A client may send one id with every request: then it is a filter like the others.
        if (stoppedAt === undefined) return { rows };
      }
      return look(keyId === null ? 'newest' : 'newestOfKey', isNarrow ? lookedAt : most);
    },
    positionOf: ({ id }) => [id],
  });
  return { ...page, data: page.data.map(present) };
};
