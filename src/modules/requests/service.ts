import { isDeepStrictEqual } from 'node:util';
import { utcDay, daysToMs, later } from '../../core/clock.ts';
import { greatestIdUntil, minIdSince, isId } from '../../core/ids.ts';
import { accessMessages } from '../../core/messages/people.ts';
import { fail } from '../../core/problem.ts';
import type { Camel } from '../../core/spelling.ts';
import type { RequestLogEntry } from '../../db/generated/client.ts';
import type { Retention } from '../../db/retention.ts';
import type { Platform, Team } from '../../platform/team.ts';
import { teamIds } from '../../platform/team-row.ts';
import { getKey, keyDays, labelsOfKeys } from '../keys/service.ts';
import {
  LoggedProblem,
  type DetailedRequest,
  type KeyUses,
  type RequestQuery,
  type Volume,
  type VolumeQuery,
} from './schema.ts';
import {
  answersBelow,
  deleteOldRequests,
  loggedRequest,
  loggedRequests,
  newestBelow,
  newestOfKey,
  requestVolume,
  routesOfKey,
} from './store.ts';

// Reading the request log, and deleting its old days. `writer.ts` writes it.

type Filter = Pick<Camel<RequestQuery>, 'keyId' | 'status' | 'code' | 'route' | 'method'>;

const statusesOf = (status: RequestQuery['status']): [min: number | null, greatest: number | null] => {
  if (status === undefined) return [null, null];
  if (typeof status === 'number') return [status, status];
  const hundreds = Number(status.charAt(0)) * 100;
  return [hundreds, hundreds + 99];
};

/** The part of a filter that applies to the log as well as to its sums. */
const answersOf = (filter: Filter) => {
  const { keyId = null, status, code = null, route = null, method = null } = filter;
  const [minStatus, greatestStatus] = statusesOf(status);
  return { keyId, minStatus, greatestStatus, code, route, method };
};

const pagesOf = (keyId: string | null, requestId: string | null) => {
  if (requestId !== null) return loggedRequests.ofRequestId;
  return keyId === null ? loggedRequests.all : loggedRequests.ofKey;
};

/**
 * A page of the requests with the team's keys, newest first. It reads a limited number of rows, even if few of them
 * match the filter.
 */
export const listRequests = async (team: Team, { cursor, limit, ...filter }: Camel<RequestQuery>) => {
  const { since, until } = filter;
  const requestId = filter.requestId?.toLowerCase() ?? null;
  const answers = answersOf(filter);
  const { keyId } = answers;
  if ([keyId, requestId].some((id) => id !== null && !isId(id))) return { data: [], nextCursor: null };
  const { data, nextCursor } = await pagesOf(keyId, requestId)(team, {
    cursorOf: `requests&${encodeURIComponent(JSON.stringify(filter))}`,
    query: { cursor, limit },
    start: [greatestIdUntil(until)],
    parameters: ([below = '']) => ({
      below,
      min: minIdSince(since),
      since: since ?? '-infinity',
      until: until ?? 'infinity',
      requestId,
      ...answers,
    }),
  });
  const labelOf = await labelsOfKeys(
    team,
    data.map(({ keyId: id }) => id),
  );
  return { data: data.map(({ keyId: id, ...row }) => ({ ...row, key: { id, ...labelOf(id) } })), nextCursor };
};

/** This service wrote the logged problem members itself (`writer.ts`), so they are valid. */
const problemIn = (value: unknown): LoggedProblem | null => {
  const read = LoggedProblem.safeParse(value);
  return read.success ? read.data : null;
};

/** A problem without members that may name a person: the detail and the messages may quote ids. */
const discreet = ({ detail: _detail, id: _id, errors, ...members }: LoggedProblem): LoggedProblem => ({
  ...members,
  ...(errors && { errors: errors.map((flaw) => ({ ...flaw, message: '' })) }),
});

/** The details of a request that may name a person. */
type PersonalDetails = Pick<Camel<DetailedRequest>, 'route' | 'path' | 'query' | 'isHidden'> & {
  problem: LoggedProblem | null;
};

/**
 * The form of an entry while the team hides member details: without the ids in the path, the values of the query, and
 * the texts of the problem.
 */
const withoutPeople = <Request extends PersonalDetails>(request: Request): Request => {
  const { route, path, query, problem } = request;
  // A path that differs from its route contains ids, or belongs to no route.
  const hidesPath = path !== null && (route === null || route.includes('{'));
  const shown = problem && discreet(problem);
  return {
    ...request,
    path: hidesPath ? null : path,
    query: null,
    problem: shown,
    isHidden: hidesPath || query !== null || !isDeepStrictEqual(shown, problem),
  };
};

export const getRequest = async (team: Team, id: string) => {
  const row = isId(id) ? await loggedRequest(team.platform.database, team.id, id) : null;
  if (!row) return fail('not_found', { detail: accessMessages.requestNotLogged });
  const request = {
    id: row.id,
    requestId: row.requestId,
    key: { id: row.keyId, ...(await labelsOfKeys(team, [row.keyId]))(row.keyId) },
    method: row.method,
    route: row.route,
    status: row.status,
    code: row.code,
    durationMs: row.durationMs,
    createdAt: row.createdAt,
    count: row.count,
    path: row.path,
    query: row.query,
    address: row.address,
    userAgent: row.userAgent,
    problem: problemIn(row.problem),
    isHidden: false,
  };
  return team.privacy.memberDetail ? request : withoutPeople(request);
};

/** For how many days the sums of a key's routes are shown. */
const daysOfUses = 30;
/**
 * At most 200 routes are shown, because a key that calls more uses most of the API. Of the callers of the newest 1,000
 * requests, the last ten are shown.
 */
const shownUses = { routes: 200, callers: 10, window: 1_000 };

const outcomeOf = (status: number): 'answered' | 'refused' | 'limited' | 'failed' => {
  if (status < 400) return 'answered';
  if (status === 429) return 'limited';
  return status < 500 ? 'refused' : 'failed';
};

type RouteSums = Camel<KeyUses>['routes'][number];

const nameOf = ({ method, route }: Pick<RouteSums, 'method' | 'route'>): string => `${method} ${route ?? ''}`;

/** The use of a key: its requests by route in the last days, and its last callers. */
export const usesOfOneKey = async (team: Team, id: string): Promise<Camel<KeyUses>> => {
  const { database, clock } = team.platform;
  const { keyId } = await getKey(team, id);
  const first = new Date(utcDay(later(clock.now(), -daysToMs(daysOfUses - 1))));
  const of = { tenantId: team.id, keyId };
  const [sums, newest, days] = await Promise.all([
    routesOfKey(database, { ...of, first }),
    newestOfKey(database, { ...of, max: shownUses.window }),
    keyDays(team, { keyId, days: daysOfUses }),
  ]);

  const byRoute = new Map<string, RouteSums>();
  for (const { method, route: name, status, _sum: sum, _max: last } of sums) {
    const none = { requests: 0, limited: 0, refused: 0, failed: 0, lastUsedAt: '' };
    const route = name || null;
    const entry = byRoute.get(nameOf({ method, route })) ?? { method, route, ...none };
    byRoute.set(nameOf(entry), entry);
    const outcome = outcomeOf(status);
    entry.requests += sum.requests ?? 0;
    if (outcome !== 'answered') entry[outcome] += sum.requests ?? 0;
    const lastUsedAt = last.start?.toISOString() ?? '';
    if (lastUsedAt > entry.lastUsedAt) entry.lastUsedAt = lastUsedAt;
  }
  const callers = new Map<string, Camel<KeyUses>['callers'][number]>();
  for (const { method, route, address, userAgent, count, createdAt } of newest) {
    const at = createdAt.toISOString();
    // A sum shows only the quarter of an hour in which a route was called. A row of the log has the exact time.
    const entry = byRoute.get(nameOf({ method, route }));
    if (entry && at > entry.lastUsedAt) entry.lastUsedAt = at;
    if (address === null) continue;
    const name = JSON.stringify([address, userAgent]);
    const caller = callers.get(name) ?? { address, userAgent, requests: 0, lastUsedAt: at };
    callers.set(name, caller);
    caller.requests += count;
  }

  const routes = [...byRoute.values()]
    .toSorted((one, other) => other.requests - one.requests || (nameOf(one) < nameOf(other) ? -1 : 1))
    .slice(0, shownUses.routes);
  const all = days.reduce((sum, { requests }) => sum + requests, 0);
  const counted = routes.reduce((sum, { requests }) => sum + requests, 0);
  return {
    days: daysOfUses,
    routes,
    // Requests may be written between the reads, so the difference may be negative.
    otherRequests: Math.max(0, all - counted),
    callers: [...callers.values()]
      .toSorted((one, other) => (one.lastUsedAt > other.lastUsedAt ? -1 : 1))
      .slice(0, shownUses.callers),
  };
};

/** For how many days refusals are shown, and how many kinds of them at most. */
const shownRefusals = { days: 7, kinds: 5 };
/** These statuses need no action: a program waits for its budget (429), or left before the answer (499). */
const harmless: ReadonlySet<number> = new Set([429, 499]);

/**
 * The newest request of some keys to the routes that begin with a path, and the refusals of the last days: one for each
 * route and answer, with its newest request.
 */
export const answersTo = async (team: Team, { keyIds, path }: { keyIds: string[]; path: string }) => {
  const { database, clock } = team.platform;
  const of = { tenantId: team.id, keyIds, path };
  const { days, kinds } = shownRefusals;
  if (keyIds.length === 0) return { days, last: null, refusals: [] };
  const sums = await answersBelow(database, { ...of, first: later(clock.now(), -daysToMs(days)) });
  const newestFirst = sums
    .flatMap(({ _max: { start }, _sum: { requests }, ...answer }) => (start ? [{ answer, start, requests }] : []))
    .toSorted((one, other) => other.start.getTime() - one.start.getTime());
  const [newest] = newestFirst;
  const last = newest ? await newestBelow(database, { ...of, start: newest.start }) : null;
  const refused = newestFirst
    .filter(({ answer: { status } }) => status >= 400 && !harmless.has(status))
    .slice(0, kinds)
    .map(async ({ answer, start, requests }) => ({
      row: await newestBelow(database, { ...of, start, answer }),
      requests: requests ?? 0,
    }));
  const refusals = (await Promise.all(refused))
    .flatMap(({ row, requests }) => (row ? [{ ...shortOf(row), requests, detail: detailOf(team, row.problem) }] : []))
    .toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
  return { days, last: last && shortOf(last), refusals };
};

const shortOf = ({ id, method, route, status, code, createdAt }: RequestLogEntry) => ({
  id,
  method,
  route: route ?? '',
  status,
  code,
  createdAt,
});

/** The reason of a refusal; null while the team hides member details, because a reason may name a person. */
const detailOf = ({ privacy }: Team, logged: unknown): string | null => {
  const { detail, errors: [flaw] = [] } = (privacy.memberDetail ? problemIn(logged) : null) ?? {};
  return detail ?? (flaw ? `${flaw.path.join('.')}: ${flaw.message}` : null);
};

const quiet = { answered: 0, refused: 0, limited: 0, failed: 0 };

/** The number of requests in each interval, by outcome. */
export const volumeOf = async (team: Team, { starts, end, ...filter }: Camel<VolumeQuery>): Promise<Volume> => {
  const query = { tenantId: team.id, starts, end, ...answersOf(filter) };
  const isNoKey = query.keyId !== null && !isId(query.keyId);
  const rows = isNoKey ? [] : await requestVolume(team.platform.database, query);
  const known = new Map(rows.map(({ at, ...counts }) => [at, counts]));
  return { data: rows.length === 0 ? [] : starts.map((_, index) => known.get(index) ?? quiet) };
};

/** Deletes old days of the request log and of its sums. */
export const deleteOldLog = async (platform: Platform, retention: Retention): Promise<void> =>
  deleteOldRequests(platform, await teamIds(platform.database), retention);
