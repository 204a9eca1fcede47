import pg from 'pg';
import { later, minutesToMs } from '../../core/clock.ts';
import { firstIdAt, greatestIdUntil, minIdSince } from '../../core/ids.ts';
import { toSnake } from '../../core/spelling.ts';
import type { Database } from '../../db/database.ts';
import type { Prisma } from '../../db/generated/client.ts';
import { deleteOldRows, firstKept, firstKeptSums, type Retention } from '../../db/retention.ts';
import { float, int, jsonb, listOf, query, text, time, uuid, type ParametersOf } from '../../db/query.ts';
import type { Platform } from '../../platform/team.ts';
import { teamTable } from '../../platform/team-table.ts';
import { walkList } from '../../platform/walk-list.ts';

// The table `request_log_entry`, and its sums: `api_key_day` by key and day, `request_quarter_hour` by quarter of an
// hour, key, route and answer. They are written together.

const quarterHourMs = minutesToMs(15);

const answers = {
  minStatus: int.orNull,
  greatestStatus: int.orNull,
  code: text.orNull,
  route: text.orNull,
  method: text.orNull,
} as const;

const hasAnswer = `(:minStatus::smallint is null or status between :minStatus and :greatestStatus::smallint)
             and (:code::text is null or code = :code)
             and (:route::text is null or route = :route) and (:method::text is null or method = :method)`;

const walk = (name: string, common: Readonly<Record<string, string>>) =>
  walkList({
    name: `requests.${name}`,
    why: 'ends after a number of rows, even if few of them pass the filter',
    table: 'request_log_entry',
    columns: {
      id: uuid,
      keyId: uuid,
      requestId: uuid,
      method: text,
      route: text.orNull,
      status: int,
      code: text.orNull,
      durationMs: int,
      createdAt: time,
      count: int,
    },
    common,
    after: { id: ':below::uuid' },
    end: { id: ':min::uuid' },
    also: 'id < :below and id >= :min',
    // Ids are only approximately in the order of `created_at`, so the filter compares the times as well.
    filter: `(:keyId::uuid is null or key_id = :keyId) and (:requestId::uuid is null or request_id = :requestId)
      and ${hasAnswer} and created_at >= :since::timestamptz and created_at < :until::timestamptz`,
    parameters: {
      below: uuid,
      min: uuid,
      since: time,
      until: time,
      keyId: uuid.orNull,
      requestId: uuid.orNull,
      ...answers,
    },
  });

/** Pages of requests that match a filter, the newest first. Each list has its own index. */
export const loggedRequests = {
  all: walk('newest', {}),
  ofKey: walk('newestOfKey', { keyId: ':keyId::uuid' }),
  /** Many requests may have the same request id, because a client may send the same id every time. */
  ofRequestId: walk('newestOfRequestId', { requestId: ':requestId::uuid' }),
};

const otherColumns =
  'id, key_id, request_id, method, route, status, code, duration_ms, created_at, count, path, query, address, user_agent, problem';
const columns = `tenant_id, ${otherColumns}`;

/** The parts of the statement that differ between one team and several. */
interface StatementScope {
  /** SQL: the keys that exist, as `known`, and the condition that joins them with `given`. */
  readonly known: string;
  /** SQL: the tables from which the sums read the requests that were inserted. */
  readonly noted: string;
  /** SQL: the column of `noted` that has the team's id. */
  readonly teamId: string;
}

/**
 * Requests of a deleted team are left out, because its keys no longer exist. If a first try was committed but its
 * answer was lost, the second try writes nothing twice. The sums are locked in one order, so that two processes can't
 * deadlock. A sum that has reached the largest integer does not change.
 */
const saving = ({ known, noted, teamId }: StatementScope) => `with
        given as (select ${columns} from jsonb_populate_recordset(null::request_log_entry, :requests)),
        noted as (
          insert into request_log_entry (${columns})
          select known.tenant_id, ${otherColumns.replaceAll(/\w+/g, 'given.$&')} from given join ${known}
              on conflict do nothing
          returning tenant_id, key_id, method, route, status, code, created_at, count),
        quarter_hours as (
          insert into request_quarter_hour as sums (tenant_id, start, key_id, method, route, status, code, requests)
          select ${teamId}, date_bin('15 minutes', noted.created_at, 'epoch'), key_id, method, coalesce(route, ''), noted.status,
                 coalesce(code, ''), sum(count)
            from ${noted} group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
              on conflict (tenant_id, start, key_id, method, route, status, code) do update
             set requests = sums.requests + excluded.requests
           where sums.requests::bigint + excluded.requests <= 2147483647),
        days as (
          insert into api_key_day as sums (tenant_id, key_id, day, requests, limited, refused, failed)
          select ${teamId}, key_id, (noted.created_at at time zone 'UTC')::date, sum(count),
                 coalesce(sum(count) filter (where noted.status = 429), 0),
                 coalesce(sum(count) filter (where noted.status between 400 and 499 and noted.status <> 429), 0),
                 coalesce(sum(count) filter (where noted.status >= 500), 0)
            from ${noted} group by 1, 2, 3 order by 1, 2, 3
              on conflict (tenant_id, key_id, day) do update
             set requests = sums.requests + excluded.requests, limited = sums.limited + excluded.limited,
                 refused = sums.refused + excluded.refused, failed = sums.failed + excluded.failed
           where sums.requests::bigint + excluded.requests <= 2147483647)
        select count(*)::int as noted from noted`;

const why = 'inserts up to 100 requests and adds them to the sums of their keys, in one statement';
const row = { noted: int.checked } as const;

/**
 * For a distributed database. Each INSERT takes the team from a table: otherwise the rows that it reads from another
 * part of the statement are sent to all machines, and the statement fails while one machine is away.
 */
const saveOfTeam = query({
  name: 'requests.save',
  why,
  sql: saving({
    known: 'api_key known on known.tenant_id = :tenantId and known.id = given.key_id',
    noted: 'noted join team on team.id = :tenantId',
    teamId: 'team.id',
  }),
  parameters: { tenantId: uuid, requests: jsonb },
  row,
});

/** One statement for each team would take several times as long for 100 teams. */
const saveOfTeams = query({
  name: 'requests.save of several teams',
  why,
  sql: saving({
    known: `(select tenant_id, id from api_key where (tenant_id, id) in (select tenant_id, key_id from given)) as known
            on known.tenant_id = given.tenant_id and known.id = given.key_id`,
    noted: 'noted',
    teamId: 'tenant_id',
  }),
  parameters: { requests: jsonb },
  row,
});

/** SQLSTATE of a row that refers to a missing one. */
const MISSING_KEY = '23503';

/**
 * If a key is deleted at this moment, the first try writes nothing, and the second one leaves out the requests of this
 * key.
 */
const againWithoutKey = async (save: () => Promise<unknown>): Promise<void> => {
  try {
    await save();
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== MISSING_KEY) throw error;
    await save();
  }
};

/** Writes requests, as rows of the log. */
export const saveRequests = async (database: Database, requests: readonly { tenantId: string }[]): Promise<void> => {
  const json = (some: typeof requests) => JSON.stringify(toSnake(some));
  if (database.parts.spansTeams())
    return againWithoutKey(() => database.run(saveOfTeams, { requests: json(requests) }));
  for (const [tenantId, some] of Map.groupBy(requests, (request) => request.tenantId))
    await againWithoutKey(() => database.run(saveOfTeam, { tenantId, requests: json(some) }));
};

export const loggedRequest = ({ prisma }: Database, tenantId: string, id: string) =>
  prisma.requestLogEntry.findFirst({ where: { tenantId, id } });

/** The requests of a key since a time, by route and status. */
export const routesOfKey = (
  { prisma }: Database,
  { tenantId, keyId, first }: { tenantId: string; keyId: string; first: Date },
) =>
  prisma.requestQuarterHour.groupBy({
    by: ['method', 'route', 'status'],
    where: { tenantId, keyId, start: { gte: first } },
    _sum: { requests: true },
    _max: { start: true },
  });

interface OfKeys {
  tenantId: string;
  keyIds: string[];
  /** Only requests to routes that begin with this path are read. */
  path: string;
}

/** The requests of some keys since a time, by route and answer. */
export const answersBelow = ({ prisma }: Database, { tenantId, keyIds, path, first }: OfKeys & { first: Date }) =>
  prisma.requestQuarterHour.groupBy({
    by: ['method', 'route', 'status', 'code'],
    where: { tenantId, start: { gte: first }, keyId: { in: keyIds }, route: { startsWith: path } },
    _sum: { requests: true },
    _max: { start: true },
  });

/**
 * The newest request of these keys to the routes that begin with `path`, in one quarter of an hour. With `answer`, only
 * requests that had this answer count.
 */
export const newestBelow = (
  { prisma }: Database,
  {
    tenantId,
    keyIds,
    path,
    start,
    answer = {},
  }: OfKeys & {
    start: Date;
    answer?: Pick<Prisma.RequestLogEntryWhereInput, 'method' | 'route' | 'status' | 'code'>;
  },
) =>
  prisma.requestLogEntry.findFirst({
    where: {
      tenantId,
      keyId: { in: keyIds },
      id: { gte: minIdSince(start), lte: greatestIdUntil(later(start, quarterHourMs)) },
      route: { startsWith: path },
      ...answer,
    },
    orderBy: { id: 'desc' },
  });

/**
 * The newest requests of a key. The key's id is a range and a part of the order, so that the index is used as in a
 * `walkList`.
 */
export const newestOfKey = (
  { prisma }: Database,
  { tenantId, keyId, max }: { tenantId: string; keyId: string; max: number },
) =>
  prisma.requestLogEntry.findMany({
    where: { tenantId, keyId: { gte: keyId, lte: keyId } },
    select: { method: true, route: true, address: true, userAgent: true, count: true, createdAt: true },
    orderBy: [{ keyId: 'desc' }, { id: 'desc' }],
    take: max,
  });

/** SQL: the number of requests whose status meets a condition. */
const sumOf = (statuses: string): string => `coalesce(sum(requests) filter (where ${statuses}), 0)::float8`;

const volume = query({
  name: 'requests.volume',
  why: 'adds up intervals of any length',
  sql: `select width_bucket(start, :starts::timestamptz[]) - 1 as at, ${sumOf('status < 400')} as answered,
               ${sumOf('status between 400 and 499 and status <> 429')} as refused,
               ${sumOf('status = 429')} as limited, ${sumOf('status >= 500')} as failed
          from request_quarter_hour
         where tenant_id = :tenantId and start >= (:starts::timestamptz[])[1] and start < :end
           and (:keyId::uuid is null or key_id = :keyId) and ${hasAnswer}
         group by 1`,
  parameters: { tenantId: uuid, starts: listOf(time), end: time, keyId: uuid.orNull, ...answers },
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

/**
 * Deletes old requests of these teams, and old sums of all teams: sums of quarter hours at the age of the requests that
 * they count, sums of days later.
 */
export const deleteOldRequests = async (
  { database: { prisma }, clock }: Platform,
  tenantIds: readonly string[],
  { days, until }: Retention,
): Promise<void> => {
  const start = { lt: firstKept(clock, days) };
  await deleteOldRows(until, (limit) => prisma.requestQuarterHour.deleteMany({ where: { start }, limit }));
  const day = { lt: firstKeptSums(clock, days) };
  await deleteOldRows(until, (limit) => prisma.apiKeyDay.deleteMany({ where: { day }, limit }));
  const id = { lt: firstIdAt(start.lt) };
  for (const tenantId of tenantIds)
    await deleteOldRows(until, (limit) => prisma.requestLogEntry.deleteMany({ where: { tenantId, id }, limit }));
};

/** The request log and its sums in the team's export. */
export const requestData = teamTable({
  table: 'request_log_entry',
  file: 'request_log.json',
  values: ['id', 'keyId', 'requestId', 'method', 'route', 'status', 'code', 'durationMs', 'count', 'address'],
  times: ['createdAt'],
  texts: ['path', 'query', 'userAgent'],
  json: ['problem'],
});

export const keyDayData = teamTable({
  table: 'api_key_day',
  key: { keyId: 'uuid', day: 'date' },
  values: ['keyId', 'day', 'requests', 'limited', 'refused', 'failed'],
});
