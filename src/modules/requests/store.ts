import type { Database } from '../../db/database.ts';
import { oldRows } from '../../db/partitions.ts';
import {
  behindOuterJoin,
  bigint,
  float,
  foundIn,
  int,
  json,
  jsonb,
  listOf,
  listText,
  query,
  text,
  time,
  uuid,
} from '../../db/query.ts';
import type { ParametersOf, RowOf } from '../../db/query.ts';
import { teamTable } from '../../platform/team-table.ts';

// The table `request_log_entry`, and its sums: `api_key_day` by key and day, `request_quarter_hour` by quarter of an hour, key, route and
// answer. They are written together.

export const greatestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const found = {
  id: uuid,
  key_id: uuid,
  request_id: uuid,
  method: text,
  route: text.orNull,
  status: int,
  code: text.orNull,
  duration_ms: int,
  created_at: time,
  count: int,
  name: text,
  prefix: text,
} as const;

export type FoundRow = RowOf<typeof found>;

const filters = {
  tenantId: uuid,
  below: uuid,
  least: uuid,
  limit: bigint,
  window: bigint,
  keyId: uuid.orNull,
  requestId: uuid.orNull,
  leastStatus: int.orNull,
  greatestStatus: int.orNull,
  code: text.orNull,
  route: text.orNull,
  method: text.orNull,
  since: time.orNull,
  until: time.orNull,
} as const;

/** Reads at most `window` rows. If none matches, the result is one row that says only how far the query read. */
const walk = (name: string, which: string) =>
  query({
    name: `requests.${name}`,
    why: 'ends after a number of rows, even if few of them pass the filter',
    sql: `with walked as materialized (
            select id, key_id, request_id, method, route, status, code, duration_ms, created_at, count
              from request_log_entry where tenant_id = :tenantId and ${which} limit :window),
          found as (
            select * from walked
             where id < :below and id >= :least
               and (:keyId::uuid is null or key_id = :keyId) and (:requestId::uuid is null or request_id = :requestId)
               and (:leastStatus::smallint is null or status between :leastStatus and :greatestStatus::smallint)
               and (:code::text is null or code = :code)
               and (:route::text is null or route = :route) and (:method::text is null or method = :method)
               and (:since::timestamptz is null or created_at >= :since) and (:until::timestamptz is null or created_at < :until)
             order by id desc limit :limit)
          select f.*, k.name, k.prefix, w.walked, w.reached
            from (select count(*)::int as walked, (select id from walked order by id limit 1) as reached from walked) as w
            left join (found as f join api_key as k on k.tenant_id = :tenantId and k.id = f.key_id) on true
           order by f.id desc`,
    parameters: filters,
    row: { ...behindOuterJoin(found), walked: int.checked, reached: uuid.orNull },
  });

// The key is a range and a part of the order, so that PostgreSQL uses the index by key. Otherwise it would read all later requests of the
// team's other keys, which may be a million.
const wantedKey = '(select :keyId::uuid)';

export const walks = {
  newest: walk('newest', 'id < :below and id >= :least order by id desc'),
  newestOfKey: walk(
    'newestOfKey',
    `key_id >= ${wantedKey} and (key_id, id) < (${wantedKey}, :below) and id < :below and id >= :least order by key_id desc, id desc`,
  ),
  // Without an order, so that PostgreSQL uses the index by request id.
  ofRequest: walk('ofRequest', 'request_id = :requestId'),
};

/** Reads the next `window` requests. Returns those that match a filter, the number of rows that were read, and the id of the last one. */
export const loggedRequests = async (
  database: Database,
  walk: keyof typeof walks,
  wanted: ParametersOf<typeof filters>,
) => {
  const rows = await database.run(walks[walk], wanted);
  const [first] = rows;
  return { rows: foundIn(found, rows), walked: first?.walked ?? 0, reached: first?.reached ?? null };
};

const columns =
  'tenant_id, id, key_id, request_id, method, route, status, code, duration_ms, created_at, count, path, query, address, user_agent, problem';

// Requests of a deleted team are left out, because its keys are gone; the other keys are locked until the commit. A second try writes nothing
// twice, if the first one was committed but its answer was lost. The sums are locked in one order, so that two processes can't deadlock. A
// sum that has reached the largest integer does not change.
const save = query({
  name: 'requests.save',
  why: 'inserts up to 100 requests and adds them to the sums of their keys, in one statement',
  sql: `with given as (
          select * from unnest(:tenantIds::uuid[], :ids::uuid[], :keyIds::uuid[], :requestIds::uuid[], :methods::text[],
                               :routes::text[], :statuses::smallint[], :codes::text[], :durations::int[], :times::timestamptz[],
                               :counts::int[], :paths::text[], :queries::text[], :addresses::text[], :userAgents::text[],
                               :problems::jsonb[]) as given (${columns})),
        known as materialized (
          select tenant_id, id from api_key
           where (tenant_id, id) in (select tenant_id, key_id from given) order by id for key share),
        noted as (
          insert into request_log_entry (${columns})
          select given.* from given join known on known.tenant_id = given.tenant_id and known.id = given.key_id
              on conflict do nothing
          returning tenant_id, key_id, method, route, status, code, created_at, count),
        quarter_hours as (
          insert into request_quarter_hour as sums (tenant_id, start, key_id, method, route, status, code, requests)
          select tenant_id, date_bin('15 minutes', created_at, 'epoch'), key_id, method, coalesce(route, ''), status, coalesce(code, ''),
                 sum(count)
            from noted group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
              on conflict (tenant_id, start, key_id, method, route, status, code) do update
             set requests = sums.requests + excluded.requests
           where sums.requests::bigint + excluded.requests <= 2147483647)
        insert into api_key_day as sums (tenant_id, key_id, day, requests, limited, refused, failed)
        select tenant_id, key_id, (created_at at time zone 'UTC')::date, sum(count), coalesce(sum(count) filter (where status = 429), 0),
               coalesce(sum(count) filter (where status between 400 and 499 and status <> 429), 0),
               coalesce(sum(count) filter (where status >= 500), 0)
          from noted group by 1, 2, 3 order by 1, 2, 3
            on conflict (tenant_id, key_id, day) do update
           set requests = sums.requests + excluded.requests, limited = sums.limited + excluded.limited,
               refused = sums.refused + excluded.refused, failed = sums.failed + excluded.failed
         where sums.requests::bigint + excluded.requests <= 2147483647`,
  parameters: {
    tenantIds: listText(uuid),
    ids: listText(uuid),
    keyIds: listText(uuid),
    requestIds: listText(uuid),
    methods: listText(text),
    routes: listText(text),
    statuses: listText(int),
    codes: listText(text),
    durations: listText(int),
    times: listText(time),
    counts: listText(int),
    paths: listText(text),
    queries: listText(text),
    addresses: listText(text),
    userAgents: listText(text),
    problems: listText(jsonb),
  },
  row: {},
});

/** Writes requests. Each column is the text of an array, made by `arrayText`. */
export const saveRequests = (database: Database, requests: ParametersOf<(typeof save)['parameters']>) =>
  database.run(save, requests);

const detailed = {
  ...found,
  path: text.orNull,
  query: text.orNull,
  address: text.orNull,
  user_agent: text.orNull,
  problem: json.orNull,
} as const;

export type DetailedRow = RowOf<typeof detailed>;

const byId = query({
  name: 'requests.byId',
  why: 'joins the key, which the log names by a plain id',
  sql: `select r.id, r.key_id, r.request_id, r.method, r.route, r.status, r.code, r.duration_ms, r.created_at, r.count, k.name, k.prefix,
               r.path, r.query, r.address, r.user_agent, r.problem
          from request_log_entry r join api_key k on k.tenant_id = r.tenant_id and k.id = r.key_id
         where r.tenant_id = :tenantId and r.id = :id`,
  parameters: { tenantId: uuid, id: uuid },
  row: detailed,
});

/** A request with its details. */
export const loggedRequest = async (database: Database, tenantId: string, id: string) =>
  (await database.run(byId, { tenantId, id }))[0];

/** SQL: the requests of some statuses. */
const sumOf = (statuses: string): string => `sum(requests) filter (where ${statuses})`;

/** The newest rows of a key. */
const newestOfKey = (columns: string): string =>
  `select ${columns} from request_log_entry
    where tenant_id = :tenantId and key_id >= ${wantedKey} and (key_id, id) < (${wantedKey}, '${greatestId}')
    order by key_id desc, id desc limit :window`;

// A sum shows only the quarter of an hour in which a route was called. The newest rows of the log have the exact time for the routes that
// are in them.
const routesOfKey = query({
  name: 'requests.routesOfKey',
  why: 'adds up sums that may be too large for the integers that Prisma returns, and joins the newest rows of the log',
  sql: `with newest as (
          select method, coalesce(route, '') as route, max(created_at) as last from (${newestOfKey('method, route, created_at')}) as rows
           group by 1, 2),
        called as (
          select method, route, sum(requests) as requests, ${sumOf('status = 429')} as limited,
                 ${sumOf('status between 400 and 499 and status <> 429')} as refused, ${sumOf('status >= 500')} as failed, max(start) as last
            from request_quarter_hour
           where tenant_id = :tenantId and start >= :first and key_id = :keyId
           group by method, route)
        select method, route, c.requests::float8 as requests, coalesce(c.limited, 0)::float8 as limited,
               coalesce(c.refused, 0)::float8 as refused, coalesce(c.failed, 0)::float8 as failed, greatest(c.last, n.last) as last_used_at
          from called c left join newest n using (method, route)
         order by 3 desc, 1, 2 limit :most`,
  parameters: { tenantId: uuid, keyId: uuid, first: time, window: bigint, most: bigint },
  row: {
    method: text,
    route: text,
    requests: float.checked,
    limited: float.checked,
    refused: float.checked,
    failed: float.checked,
    last_used_at: time.checked,
  },
});

const callersOfKey = query({
  name: 'requests.callersOfKey',
  why: 'groups the newest rows only, of which there is a limited number',
  sql: `select address, user_agent, sum(count)::float8 as requests, max(created_at) as last_used_at
          from (${newestOfKey('address, user_agent, count, created_at')}) as rows
         where address is not null
         group by address, user_agent order by 4 desc limit :most`,
  parameters: { tenantId: uuid, keyId: uuid, window: bigint, most: bigint },
  row: { address: text.checked, user_agent: text.orNull, requests: float.checked, last_used_at: time.checked },
});

/** The use of a key: its requests by route since a day, the most frequent first, and the callers of its newest requests. */
export const usesOfKey = async (
  database: Database,
  { tenantId, keyId, first }: { tenantId: string; keyId: string; first: Date },
  { routes, callers, window }: { routes: number; callers: number; window: number },
) => {
  const [byRoute, byCaller] = await Promise.all([
    database.run(routesOfKey, { tenantId, keyId, first, window, most: routes }),
    database.run(callersOfKey, { tenantId, keyId, window, most: callers }),
  ]);
  return { routes: byRoute, callers: byCaller };
};

// Grouped by quarter of an hour first, which costs less than computing the interval of each row.
const volume = query({
  name: 'requests.volume',
  why: 'adds up intervals of any length',
  sql: `with quarter_hour as (
          select start, ${sumOf('status < 400')} as answered, ${sumOf('status between 400 and 499 and status <> 429')} as refused,
                 ${sumOf('status = 429')} as limited, ${sumOf('status >= 500')} as failed
            from request_quarter_hour
           where tenant_id = :tenantId and start >= (:starts::timestamptz[])[1] and start < :end
             and (:keyId::uuid is null or key_id = :keyId)
             and (:leastStatus::smallint is null or status between :leastStatus and :greatestStatus::smallint)
             and (:code::text is null or code = :code)
             and (:route::text is null or route = :route) and (:method::text is null or method = :method)
           group by start)
        select width_bucket(start, :starts::timestamptz[]) - 1 as at, coalesce(sum(answered), 0)::float8 as answered,
               coalesce(sum(refused), 0)::float8 as refused, coalesce(sum(limited), 0)::float8 as limited,
               coalesce(sum(failed), 0)::float8 as failed
          from quarter_hour group by 1`,
  parameters: {
    tenantId: uuid,
    starts: listOf(time),
    end: time,
    keyId: uuid.orNull,
    leastStatus: int.orNull,
    greatestStatus: int.orNull,
    code: text.orNull,
    route: text.orNull,
    method: text.orNull,
  },
  row: {
    at: int.checked,
    answered: float.checked,
    refused: float.checked,
    limited: float.checked,
    failed: float.checked,
  },
});

/** Adds up the requests of intervals, by outcome. Intervals without requests are left out. */
export const requestVolume = (database: Database, wanted: ParametersOf<(typeof volume)['parameters']>) =>
  database.run(volume, wanted);

/** The sums by quarter of an hour are deleted with the requests that they count. */
export const oldQuarterHours = oldRows(
  'requests',
  'request_quarter_hour',
  `start < :firstKept::date::timestamp at time zone 'UTC'`,
);

/** The request log and its sums in the team's export. */
export const requestData = teamTable({
  module: 'requests',
  rows: 'from request_log_entry',
  file: 'request_log.json',
  key: { id: 'uuid' },
  values: ['id', 'key_id', 'request_id', 'method', 'route', 'status', 'code', 'duration_ms', 'count', 'address'],
  times: ['created_at'],
  texts: ['path', 'query', 'user_agent'],
  json: ['problem'],
});

export const keyDayData = teamTable({
  module: 'requests',
  rows: 'from api_key_day',
  file: 'api_key_days.json',
  key: { key_id: 'uuid', day: 'date' },
  values: ['key_id', 'day', 'requests', 'limited', 'refused', 'failed'],
});
