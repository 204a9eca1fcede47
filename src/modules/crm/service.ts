import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { changesOf, valuesOf } from '../../core/changes.ts';
import { later, secondsToMs } from '../../core/clock.ts';
import { isId, makeId } from '../../core/ids.ts';
import { crmLimits } from '../../core/limits.ts';
import { connectionMessages, syncMessages } from '../../core/messages/crm.ts';
import { accessMessages } from '../../core/messages/people.ts';
import type { Language } from '../../core/language.ts';
import { fail } from '../../core/problem.ts';
import { snakeName, type Camel } from '../../core/spelling.ts';
import type { Tx } from '../../db/database.ts';
import { forAllTeams, type DatabasePart } from '../../db/parts.ts';
import { containing } from '../../db/query.ts';
import type { ListCount } from '../../platform/paging.ts';
import { inTransaction, type Platform, type Team } from '../../platform/team.ts';
import { lockTeamShared, lockTeam, requireApi } from '../../platform/team-row.ts';
import { jobs, rewritingTask } from '../../platform/jobs.ts';
import { record, type AuditAction } from '../audit/service.ts';
import { namesOf } from '../catalog/service.ts';
import { reports } from '../reporting/store.ts';
import { makeProvider, sealToken, type ProviderParts } from './credentials.ts';
import { dealChanges, dealList, dealLists, deals, objectionChanges, objectionList } from './deal-store.ts';
import { makeCrmHttp, type RunTimes } from './providers/http.ts';
import { SyncFailure } from './providers/failure.ts';
import { defaultSettings } from './providers/provider.ts';
import { takeRun, workOn, type WorkOptions } from './run.ts';
import { runs } from './run-store.ts';
import type {
  AppDealFilters,
  AppDealQuery,
  ConnectionChange,
  DealQuery,
  NewConnection,
  ObjectionQuery,
} from './schema.ts';
import { connections, type ConnectionKey, type ConnectionRow } from './store.ts';
import { lockConnection, notThere, removeDeals, removeObjections } from './sync.ts';

// The actions on a connection, for the team's owner and admins, and for the operator.
//
//   connected ──▶ active ◀──resumed── paused ◀── (from any)
//                  │  ▲
//                  │  └──renewed token, resumed, or a requested sync succeeded── credentials_refused
//                  └──the CRM refused the token───────────────────────────────────────▲
//   any ──disconnected──▶ (in no answer any more; a job deletes its rows)

const recordOf = (
  tx: Tx,
  team: Team,
  id: string,
  action: AuditAction['action'],
  data: NonNullable<AuditAction['data']> = {},
) => record(tx, team, { action, target: { type: 'crm_connection', id }, data });

/** A connection with its last run, its present run, and the number of its rows. */
const overviewOf = async ({ platform: { database }, id: tenantId }: Team, row: ConnectionRow) => {
  const key = { tenantId, connectionId: row.id };
  const running = await runs.running(database.prisma, key);
  const last = await runs.last(database, key);
  return {
    connectionId: row.id,
    provider: row.provider,
    label: row.label,
    status: row.status,
    url: row.url,
    hasToken: row.credentials !== null,
    intervalSeconds: row.intervalSeconds,
    settings: row.settings,
    createdAt: row.createdAt,
    nextSyncAt: row.nextSyncAt,
    running: running && { since: running.startedAt, deals: running.deals },
    requested: row.requestedAt !== null,
    lastSyncAt: last?.endedAt ?? null,
    lastOutcome: last?.outcome ?? null,
    lastReason: last?.reason ?? null,
    lastReasonDe: last?.reasonDe ?? null,
    ...(await deals.counts(database, key)),
  };
};

export type Connection = Awaited<ReturnType<typeof overviewOf>>;

/** The team's connections, oldest first. */
export const listConnections = async (team: Team): Promise<Connection[]> => {
  const rows = await connections.list(team.platform.database, team.id);
  return Promise.all(rows.map((row) => overviewOf(team, row)));
};

const findConnection = async ({ id: tenantId, platform }: Team, id: string): Promise<ConnectionRow> =>
  (isId(id) ? (await connections.list(platform.database, tenantId, id))[0] : undefined) ?? notThere();

export const getConnection = async (team: Team, id: string): Promise<Connection> =>
  overviewOf(team, await findConnection(team, id));

/** The team of a connection, for an operator, who names only the connection. */
export const teamOfConnection = async ({ database }: Platform, id: string): Promise<string> =>
  (isId(id) ? await connections.teamOf(database, id) : undefined) ?? notThere();

/** One try and no pause, because a person waits for the answer. */
const tryPatience: RunTimes = {
  timeout: secondsToMs(10),
  pausesBetweenTries: [],
  waits: { max: 0, longest: 0, usual: 0 },
};

/**
 * The field of the form to correct after a failed test. If an answer of HubSpot or Pipedrive does not have its known
 * form, it most likely lacks the property that the settings name.
 */
const fieldOf = ({ kind }: SyncFailure, { provider, settings }: ProviderParts): 'token' | 'url' | 'settings' => {
  if (kind === 'credentials_refused') return 'token';
  if (provider === 'feed') return 'url';
  return kind === 'malformed' && settings.objectionProperty !== null ? 'settings' : 'token';
};

/**
 * Makes a cheap request with the token. A failure of this request, also a refusal by the address check, is a
 * `validation_error`.
 */
const tryToken = async ({ id: teamId, platform: { egress } }: Team, wanted: ProviderParts): Promise<void> => {
  const { signal } = new AbortController();
  const http = makeCrmHttp({ egress, teamId, signal, patience: tryPatience, page: crmLimits.triedPage });
  try {
    await makeProvider(wanted, http).tryCredentials();
  } catch (error) {
    if (!(error instanceof SyncFailure)) throw error;
    fail('validation_error', { field: fieldOf(error, wanted), detail: error.reason });
  } finally {
    http.pageDone();
  }
};

/** The token is sent in a header, so it must have only characters that headers allow. */
const requireToken = (token: string): void => {
  if (token.length > crmLimits.tokenCharacters || !/^[\x21-\x7e]+$/.test(token)) {
    fail('validation_error', { field: 'token', detail: connectionMessages.token });
  }
};

/** The operator's command leaves out fields that have a default. */
type WantedConnection = Pick<NewConnection, 'provider' | 'token'> & Partial<Camel<NewConnection>>;

const allowedUrl = async (team: Team, { provider, url }: WantedConnection): Promise<string | null> => {
  if (url === undefined) {
    if (provider !== 'feed') return null;
    return fail('validation_error', { field: 'url', detail: connectionMessages.feedNeedsUrl });
  }
  const verdict = await team.platform.egress.vet(url);
  if (verdict.allowed) return verdict.url;
  return fail('validation_error', { field: 'url', detail: verdict.reason });
};

/** Refuses a team without the API before anything is sent to a CRM. */
const requireSyncs = (team: Team): Promise<void> =>
  inTransaction(team, async (tx) => requireApi(await lockTeamShared(tx, team)));

/**
 * Checks everything that needs no request to the CRM. Returns the address for requests, or null for the provider's own
 * address.
 */
const checkedUrl = async (team: Team, wanted: WantedConnection): Promise<string | null> => {
  await requireSyncs(team);
  requireToken(wanted.token);
  return allowedUrl(team, wanted);
};

/** Tries the token like `connect`, but stores nothing. No transaction may be open, because this waits for the CRM. */
export const tryConnection = async (team: Team, wanted: WantedConnection): Promise<void> => {
  const { provider, token, settings = defaultSettings } = wanted;
  await tryToken(team, { provider, url: await checkedUrl(team, wanted), token, settings });
};

/**
 * Connects the team to a CRM. The first sync is due at once. With `tries` the token is tried first, and nothing is
 * stored if this fails. No transaction may be open, because this waits for DNS and the CRM.
 */
export const connect = async (
  team: Team,
  wanted: WantedConnection,
  { tries }: { tries: boolean },
): Promise<{ connectionId: string; status: 'active' }> => {
  const {
    provider,
    token,
    label = null,
    intervalSeconds = crmLimits.interval.default,
    settings = defaultSettings,
  } = wanted;
  const url = await checkedUrl(team, wanted);
  if (tries) await tryToken(team, { provider, url, token, settings });
  return inTransaction(team, async (tx) => {
    requireApi(await lockTeam(tx, team));
    if ((await connections.count(tx, team.id)) >= crmLimits.connectionsPerTeam) {
      fail('validation_error', { field: 'provider', detail: connectionMessages.max });
    }
    if (url !== null && provider === 'feed' && (await connections.hasFeed(tx, team.id, url))) {
      fail('conflict', { detail: connectionMessages.feedConnected });
    }
    const id = makeId();
    const now = team.platform.clock.now();
    await connections.insert(tx, {
      tenantId: team.id,
      id,
      provider,
      label,
      url,
      credentials: sealToken(team.platform.vault, id, token),
      settings,
      intervalSeconds,
      nextSyncAt: now,
      createdAt: now,
    });
    recordOf(tx, team, id, 'crm_connection.created', { provider, ...(label !== null && { label }) });
    return { connectionId: id, status: 'active' };
  });
};

/** Connects the team without a schedule, for the demo. The demo itself stores the rows that syncs would have found. */
export const connectCrm = (
  team: Team,
  {
    provider,
    token,
    lang = defaultSettings.objectionLang,
    active = true,
  }: { provider: string; token?: string; lang?: string; active?: boolean },
): Promise<{ id: string }> =>
  inTransaction(team, async (tx) => {
    const id = makeId();
    const createdAt = team.platform.clock.now();
    const credentials = token === undefined ? null : sealToken(team.platform.vault, id, token);
    const settings = { ...defaultSettings, objectionLang: lang };
    await connections.insert(tx, { tenantId: team.id, id, provider, active, credentials, settings, createdAt });
    recordOf(tx, team, id, 'crm_connection.created', { provider, active });
    return { id };
  });

/** Changes a connection's label, its interval and its settings for objections. */
export const changeConnection = (
  team: Team,
  { connectionId: id, ...wanted }: Camel<z.output<typeof ConnectionChange>>,
): Promise<void> =>
  inTransaction(team, async (tx) => {
    const row = await lockConnection(tx, team, id);
    const before = { label: row.label, intervalSeconds: row.intervalSeconds };
    const changes = changesOf(before, { label: wanted.label, intervalSeconds: wanted.intervalSeconds });
    const newSettings = wanted.settings && !isDeepStrictEqual(wanted.settings, row.settings) && wanted.settings;
    const changed = [...Object.keys(changes), ...(newSettings ? ['settings'] : [])];
    if (changed.length === 0) return;
    const { label, intervalSeconds } = { ...before, ...changes };
    const now = team.platform.clock.now();
    const key = { tenantId: team.id, connectionId: id };
    const end = { endedAt: now, reason: syncMessages.settingsChanged };
    const isStopped = newSettings && (await runs.stop(tx, key, end)).count > 0;
    const soonest = isStopped ? now : later(now, secondsToMs(intervalSeconds));
    const isScheduled = isStopped ? row.status === 'active' : row.nextSyncAt !== null && row.nextSyncAt > soonest;
    await connections.update(tx, team.id, id, {
      label,
      intervalSeconds,
      ...(isScheduled && { nextSyncAt: soonest }),
      // A new source of objections requires a full sync, which begins at once if a running sync was stopped.
      ...(newSettings && { settings: newSettings, lastFullAt: null }),
    });
    recordOf(tx, team, id, 'crm_connection.changed', {
      changed: changed.map(snakeName),
      ...valuesOf(before, changes),
    });
  });

/** Replaces the token after trying the new one. No transaction may be open, because this waits for the CRM. */
export const renewToken = async (team: Team, id: string, token: string): Promise<void> => {
  await requireSyncs(team);
  requireToken(token);
  const { provider, url, settings } = await findConnection(team, id);
  await tryToken(team, { provider, url, token, settings });
  await inTransaction(team, async (tx) => {
    const { status } = await lockConnection(tx, team, id);
    const credentials = sealToken(team.platform.vault, id, token);
    const isActive = status !== 'paused';
    const schedule = isActive ? ({ status: 'active', nextSyncAt: team.platform.clock.now() } as const) : {};
    await connections.update(tx, team.id, id, { credentials, ...schedule });
    recordOf(tx, team, id, 'crm_connection.token_renewed', { provider });
  });
};

/** Stops the schedule and a running sync. Stored deals are kept. */
export const pauseConnection = (team: Team, id: string): Promise<void> =>
  inTransaction(team, async (tx) => {
    const { status, provider } = await lockConnection(tx, team, id);
    if (status === 'paused') return;
    await connections.update(tx, team.id, id, { status: 'paused', nextSyncAt: null, requestedAt: null });
    await runs.stop(
      tx,
      { tenantId: team.id, connectionId: id },
      { endedAt: team.platform.clock.now(), reason: syncMessages.paused },
    );
    recordOf(tx, team, id, 'crm_connection.paused', { provider });
  });

/** Starts the schedule again, with a sync at once. */
export const resumeConnection = (team: Team, id: string): Promise<void> =>
  inTransaction(team, async (tx) => {
    const { status, provider } = await lockConnection(tx, team, id);
    if (status === 'active') return;
    await connections.update(tx, team.id, id, { status: 'active', nextSyncAt: team.platform.clock.now() });
    recordOf(tx, team, id, 'crm_connection.resumed', { provider });
  });

/**
 * Disconnects: the deals and objections disappear from all answers at once, and a job deletes them. The token is
 * deleted at once.
 */
export const disconnect = (team: Team, id: string): Promise<void> =>
  inTransaction(team, async (tx) => {
    const { provider, label } = await lockConnection(tx, team, id);
    const now = team.platform.clock.now();
    await connections.update(tx, team.id, id, {
      active: false,
      disconnectedAt: now,
      credentials: null,
      nextSyncAt: null,
      requestedAt: null,
    });
    await runs.stop(tx, { tenantId: team.id, connectionId: id }, { endedAt: now, reason: syncMessages.disconnected });
    await jobs.add(tx, crmDeletion.job({ tenantId: team.id, connectionId: id }));
    recordOf(tx, team, id, 'crm_connection.disconnected', { provider, ...(label !== null && { label }) });
  });

/**
 * Makes a worker sync within seconds, whatever the connection's status. A sync that is already running is not repeated.
 */
export const requestSync = (team: Team, id: string): Promise<void> =>
  inTransaction(team, async (tx) => {
    requireApi(await lockTeamShared(tx, team));
    const { provider, requestedAt } = await lockConnection(tx, team, id);
    if (requestedAt !== null || (await runs.running(tx, { tenantId: team.id, connectionId: id }))) return;
    const now = team.platform.clock.now();
    await connections.update(tx, team.id, id, { requestedAt: now, nextSyncAt: now });
    recordOf(tx, team, id, 'crm_connection.sync_requested', { provider });
  });

const lookAgainMs = 250;

/**
 * Syncs in this process and waits for the end. If a worker has a run of the connection, this waits until that run has
 * ended, and then starts its own. A run that no worker has is continued instead.
 */
export const syncNow = async (
  { id: tenantId, platform }: Team,
  connectionId: string,
  signal: AbortSignal,
): Promise<{ outcome: 'ok' | 'failed' | 'stopped'; deals: number; objections: number; reason: string | null }> => {
  for (;;) {
    const taken = await takeRun(platform, { tenantId, connectionId }, { requested: true });
    if (taken.state === 'gone') return notThere();
    if (taken.state === 'refused') fail('api_disabled', { detail: accessMessages.apiIsOff });
    if (taken.state === 'taken') {
      await workOn(platform, taken.run, { signal });
      const ended = await runs.get(platform.database, { tenantId, id: taken.run.claimed.id });
      if (ended?.outcome) return { ...ended, outcome: ended.outcome };
      signal.throwIfAborted();
    }
    await sleep(lookAgainMs, undefined, { signal });
  }
};

/** Deals: newest first, or those that changed since a time, in the order of their changes. */
export const listDeals = (team: Team, { updatedSince, ...query }: Camel<DealQuery>) =>
  updatedSince ? dealChanges(team, query, { updatedSince: updatedSince.toISOString() }) : dealList(team, query);

const filterValues = ({ search = '', since, until, ...values }: Camel<AppDealFilters>) => ({
  ...values,
  search: search === '' ? undefined : search.split(/\s+/).map(containing).join('\n'),
  since: since?.toISOString(),
  until: until?.toISOString(),
});

/** Deals in the app with the names of their owners and industries, by their close date or amount. */
export const listAppDeals = async (
  team: Team,
  { sort, cursor, limit, ...filters }: Camel<AppDealQuery>,
  language: Language,
) => {
  const lists = dealLists[sort?.by === 'amount' ? 'amount' : 'closeDate'];
  const read = lists[(sort?.desc ?? true) ? 'desc' : 'asc'];
  const { data, ...rest } = await read(team, { cursor, limit }, filterValues(filters));
  const present = (ids: (string | null)[]): string[] => [...new Set(ids.filter((id) => id !== null))];
  const owners = present(data.map(({ ownerUserId }) => ownerUserId));
  const people = await reports.peopleOf(team.platform.database.prisma, team.id, owners);
  const industries = await namesOf(team, present(data.map(({ industryId }) => industryId)), language);
  return {
    ...rest,
    data: data.map((deal) => {
      const owner = people.find(({ userId }) => userId === deal.ownerUserId);
      const industry = industries.find(({ id }) => id === deal.industryId);
      return { ...deal, owner: owner?.name ?? owner?.email ?? null, industry: industry?.name ?? null };
    }),
  };
};

export const countAppDeals = (team: Team, filters: Camel<AppDealFilters>): Promise<ListCount> =>
  dealLists.closeDate.desc.count(team, filterValues(filters));

/** Objections: newest first, or those that changed since a time, in the order of their changes. */
export const listObjections = (team: Team, { updatedSince, ...query }: Camel<ObjectionQuery>) =>
  updatedSince
    ? objectionChanges(team, query, { updatedSince: updatedSince.toISOString() })
    : objectionList(team, query);

/** The most connections that one query finds. The next query finds others, because these have been taken by then. */
const dueAtOnce = 200;

/**
 * Connections that are due in some parts of the database, and connections with a run that no worker has. Those that
 * have waited longest come first.
 */
export const dueSyncs = async (
  { database, clock }: Platform,
  parts: readonly DatabasePart[] = database.parts.all(),
): Promise<ConnectionKey[]> => {
  const now = clock.now();
  const dueHere = async () => [
    ...(await connections.due(database, now, dueAtOnce)),
    ...(await runs.abandoned(database, now, dueAtOnce)),
  ];
  const due = await forAllTeams(parts, dueHere);
  return due.flat().toSorted((a, b) => Number(a.since) - Number(b.since));
};

/** Starts a run that is due, or continues one that no worker has. A run that is not finished is given back. */
export const syncConnection = async (platform: Platform, key: ConnectionKey, options: WorkOptions): Promise<void> => {
  const taken = await takeRun(platform, key, { requested: false });
  if (taken.state === 'taken') await workOn(platform, taken.run, options);
};

// A job deletes the objections, deals and runs of a disconnected connection, and finally the connection. No answer
// shows these rows. The job works in batches, because deleting a hundred thousand rows would block a request.

const batchSize = 1_000;

export const crmDeletion = rewritingTask({
  name: 'delete_crm',
  payload: z.object({ tenantId: z.uuid(), connectionId: z.uuid() }),
  next: ({ database, clock }, key) =>
    database.transaction(
      async (tx) => {
        if (!(await connections.isDisconnected(tx, key))) return false;
        const removal = { which: 'all', limit: batchSize, now: clock.now() } as const;
        // The rows of each table refer to rows of the tables that are emptied after it.
        if ((await removeObjections(tx, key, removal)) > 0) return true;
        if ((await removeDeals(tx, key, removal)) > 0) return true;
        if ((await runs.removeSome(tx, key, batchSize)) > 0) return true;
        await connections.remove(tx, key);
        return false;
      },
      { group: key.tenantId },
    ),
});

/** Adds the jobs of all connections that are not completely deleted, in case a job was lost. */
export const addLostCrmDeletionJobs = async ({ database }: Platform): Promise<void> =>
  jobs.add(database, ...(await connections.disconnected(database)).map(crmDeletion.job));
