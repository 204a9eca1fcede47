import { z } from 'zod';
import { greatestIdUntil, leastIdSince } from '../../core/id-time.ts';
import { isId } from '../../core/ids.ts';
import { statement } from '../../db/statement.ts';
import type { Statement } from '../../db/statement.ts';
import { walkPage } from '../../platform/paging.ts';
import type { Page } from '../../platform/paging.ts';
import type { Team } from '../../platform/team.ts';
import type { LoggedRequest, RequestQuery } from './schema.ts';

/** How many rows one page looks at to find those that pass its filter. */
const lookedAt = 5_000;

interface FoundRow extends Omit<LoggedRequest, 'key'> {
  key_id: string;
  name: string;
  prefix: string;
}

/** What every row of an answer says of the walk; without anything found there is one row that says only this. */
interface Walked {
  walked: number;
  reached: string | null;
}

type Row = (FoundRow | { id: null }) & Walked;

type Values = [
  tenantId: string,
  below: string,
  least: string,
  limit: number,
  window: number,
  keyId: string | null,
  requestId: string | null,
  leastStatus: number | null,
  greatestStatus: number | null,
  code: string | null,
  route: string | null,
  method: string | null,
  since: Date | null,
  until: Date | null,
];

const walk = (which: string): Statement<Row, Values> =>
  statement(
    `with walked as materialized (
       select id, key_id, request_id, method, route, status, code, duration_ms, created_at, count
         from request_log_entry where tenant_id = $1 and ${which} limit $5),
     found as (
       select * from walked
        where id < $2 and id >= $3
          and ($6::uuid is null or key_id = $6) and ($7::uuid is null or request_id = $7)
          and ($8::smallint is null or status between $8 and $9::smallint) and ($10::text is null or code = $10)
          and ($11::text is null or route = $11) and ($12::text is null or method = $12)
          and ($13::timestamptz is null or created_at >= $13) and ($14::timestamptz is null or created_at < $14)
        order by id desc limit $4)
     select f.*, k.name, k.prefix, w.walked, w.reached
       from (select count(*)::int as walked, (select id from walked order by id limit 1) as reached from walked) as w
       left join (found as f join api_key as k on k.tenant_id = $1 and k.id = f.key_id) on true
      order by f.id desc`,
  );

const newest = walk('id < $2 and id >= $3 order by id desc');

// The key stands as a range and in the order, so that only the index by key gives that order: the team's other keys may have
// asked a million times since.
const asked = '(select $6::uuid)';
const newestOfKey = walk(
  `key_id >= ${asked} and (key_id, id) < (${asked}, $2) and id < $2 and id >= $3 order by key_id desc, id desc`,
);

// Without an order, so that nothing but the index by request id can find them.
const ofRequest = walk('request_id = $7');

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
      const look = async (how: Statement<Row, Values>, window: number) => {
        const rows = await database.rows(
          how,
          team.id,
          below ?? from,
          since === null ? beforeAll : leastIdSince(since),
          most,
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
        );
        const { walked = 0, reached = null } = rows[0] ?? {};
        return {
          rows: rows.flatMap((row) => (row.id === null ? [] : [row])),
          stoppedAt: walked < window || reached === null ? undefined : ([reached] satisfies [string]),
        };
      };

      if (requestId !== null) {
        const { rows, stoppedAt } = await look(ofRequest, lookedAt);
        // A client may send one id with every request: then it is a filter like the others.
        if (stoppedAt === undefined) return { rows };
      }
      return look(keyId === null ? newest : newestOfKey, isNarrow ? lookedAt : most);
    },
    positionOf: ({ id }) => [id],
  });
  return { ...page, data: page.data.map(present) };
};
