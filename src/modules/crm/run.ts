import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { later, secondsToMs } from '../../core/clock.ts';
import { makeId } from '../../core/ids.ts';
import { crmLimits } from '../../core/limits.ts';
import { syncMessages } from '../../core/messages/crm.ts';
import { storableText } from '../../core/storable.ts';
import type { Message } from '../../core/language.ts';
import type { Tx } from '../../db/database.ts';
import { isUnavailable } from '../../db/unavailable.ts';
import type { Platform } from '../../platform/team.ts';
import { actIn, lockTeamShared, teamHasApi } from '../../platform/team-row.ts';
import { record } from '../audit/service.ts';
import { providerOf } from './credentials.ts';
import { makeCrmHttp, type RunTimes, type RunHttp } from './providers/http.ts';
import { SyncFailure } from './providers/failure.ts';
import type { ChangesPage } from './providers/provider.ts';
import { runs, type ClaimedRun, type WorkRow } from './run-store.ts';
import { connections, type ConnectionKey, type ConnectionRow } from './store.ts';
import { syncedRows } from './deal-store.ts';
import { noteFailure, removeDeals, removeObjections, storePage } from './sync.ts';

/**
 * A run is one sync of a connection. A connection has at most one unfinished run.
 *
 *   due, or requested ──▶ running ──its last page is stored──▶ fetched ──(full run: unseen rows are deleted)──▶ ok
 *                          │   ▲ └─ each page is stored together with the cursor of the next one
 *                          │   └── its worker lost it or gave it back: another worker continues at the cursor
 *                          ├──the CRM failed, or three workers in a row lost it──▶ failed; `crm.sync.failed` is raised in the same transaction
 *                          └──the connection was changed, paused or disconnected, or the team lost the API──▶ stopped
 *
 * A worker claims a run for half a minute and renews the claim while it works. Everything that it writes is conditional
 * on its claim, so a worker that has lost the claim can't write any more.
 */
interface TakenRun {
  readonly claimed: ClaimedRun;
  readonly connection: ConnectionRow;
  readonly work: WorkRow;
}

/** A run whose pages are all stored: only such a run ends as `ok`. */
interface FetchedRun extends TakenRun {
  readonly work: WorkRow & { readonly fetched: true; readonly cursor: null };
}

const isFetched = (run: TakenRun): run is FetchedRun => {
  const { id, fetched, cursor } = run.work;
  assert(!fetched || cursor === null, `all pages of the run ${id} are stored, and it has a cursor`);
  return fetched;
};

type TakeResult =
  | { readonly state: 'taken'; readonly run: TakenRun }
  /** Another worker has the run of this connection, or another transaction has locked the connection. */
  | { readonly state: 'busy' }
  /** The connection is not due. */
  | { readonly state: 'idle' }
  /** The connection does not exist or is disconnected. */
  | { readonly state: 'gone' }
  /** The team is suspended or ended, or its plan has no API. */
  | { readonly state: 'refused' };

const { rowsOfConnection: maxRows } = crmLimits;
const claimMs = secondsToMs(crmLimits.claim);
const renewEveryMs = claimMs / 3;
/** The most rows of a table that one transaction deletes. */
const deletedAtOnce = 5_000;
/** A page with tens of thousands of rows may take long on a busy database. */
const pageTimeoutMs = 60_000;

/**
 * When the next scheduled run starts. It is delayed at random, so that the connections do not all start at the same
 * moment.
 */
const nextAfter = (from: Date, intervalSeconds: number): Date =>
  later(from, secondsToMs(intervalSeconds) * (1 + Math.random() * crmLimits.jitter));

const makeWork = ({ lastSyncedAt, lastFullAt }: ConnectionRow, startedAt: Date): WorkRow => {
  const fullBefore = later(startedAt, -secondsToMs(crmLimits.fullEvery));
  const isFull = lastSyncedAt === null || lastFullAt === null || lastFullAt <= fullBefore;
  return {
    id: makeId(),
    kind: isFull ? 'full' : 'incremental',
    startedAt,
    since: isFull ? null : later(lastSyncedAt, -secondsToMs(crmLimits.overlap)),
    cursor: null,
    fetched: false,
    pages: 0,
    waits: 0,
    abandoned: 0,
  };
};

/**
 * Stops the connection's run, if there is one, because the team may not sync. The connection must be locked. An active
 * connection stays scheduled, so that it syncs again once the team may sync.
 */
const stopForTeam = async (
  tx: Tx,
  key: ConnectionKey,
  { id, status, intervalSeconds }: ConnectionRow,
  now: Date,
): Promise<void> => {
  await runs.stop(tx, key, { endedAt: now, reason: syncMessages.noApi });
  const nextSyncAt = status === 'active' ? nextAfter(now, intervalSeconds) : null;
  await connections.update(tx, key.tenantId, id, { nextSyncAt, requestedAt: null });
};

/** Starts a run that is due or `requested`, or continues a run that no worker has. */
export const takeRun = (
  { database, clock }: Platform,
  key: ConnectionKey,
  { requested }: { requested: boolean },
): Promise<TakeResult> => {
  const { tenantId, connectionId } = key;
  return database.transaction(
    async (tx): Promise<TakeResult> => {
      const { isLocked, connection } = await connections.tryLock(tx, { tenantId, id: connectionId });
      if (!connection) return { state: 'gone' };
      // The connection is locked, for instance, while a worker stores a page.
      if (!isLocked) return { state: 'busy' };
      const now = clock.now();
      const claimedUntil = later(now, claimMs);
      const left = await runs.running(tx, key);
      if (left?.claimedUntil && left.claimedUntil > now) return { state: 'busy' };

      const isDue = connection.nextSyncAt !== null && connection.nextSyncAt <= now;
      if (!left && !requested && !isDue) return { state: 'idle' };
      if (!(await teamHasApi(tx, tenantId))) {
        await stopForTeam(tx, key, connection, now);
        return { state: 'refused' };
      }
      if (left) {
        const claimed = { ...key, id: left.id, claimId: makeId() };
        // A run without a claim was given back, so no worker has lost it.
        const abandoned = left.claimId === null ? left.abandoned : left.abandoned + 1;
        await runs.claim(tx, claimed, { claimedUntil, abandoned });
        return { state: 'taken', run: { claimed, connection, work: { ...left, abandoned } } };
      }
      const work = makeWork(connection, now);
      const claimed = { ...key, id: work.id, claimId: makeId() };
      await runs.insert(tx, {
        ...claimed,
        kind: work.kind,
        onDemand: requested || connection.requestedAt !== null,
        startedAt: now,
        since: work.since,
        claimedUntil,
      });
      // When the run ends, it sets the time of the next one.
      await connections.update(tx, tenantId, connectionId, { nextSyncAt: null, requestedAt: null });
      return { state: 'taken', run: { claimed, connection, work } };
    },
    { group: tenantId },
  );
};

/**
 * Locks the connection and extends the claim. Every transaction in which a worker writes for its run calls this first,
 * or right after it has locked the team. Returns undefined if the run has ended, if another worker has it, or if it was
 * stopped just now because the team lost the API.
 */
const hold = async ({ clock }: Platform, tx: Tx, claimed: ClaimedRun): Promise<ConnectionRow | undefined> => {
  const { tenantId, connectionId } = claimed;
  const connection = await connections.lock(tx, { tenantId, id: connectionId });
  if (!connection || !(await runs.update(tx, claimed, { claimedUntil: later(clock.now(), claimMs) }))) return undefined;
  if (await teamHasApi(tx, tenantId)) return connection;
  await stopForTeam(tx, claimed, connection, clock.now());
  return undefined;
};

/** Ends a run whose claim this transaction has extended, so nobody else can have ended it. */
const endHeld = async (tx: Tx, claimed: ClaimedRun, end: Parameters<typeof runs.end>[2]): Promise<void> => {
  const hasEnded = await runs.end(tx, claimed, end);
  assert(hasEnded, `the run ${claimed.id} was ended without its claim`);
};

/** Ends a run as successful. The connection must be locked, and the claim just extended. */
const endWell = async (
  { clock }: Platform,
  tx: Tx,
  { claimed, work: { kind, startedAt } }: FetchedRun,
  connection: ConnectionRow,
): Promise<void> => {
  const { tenantId, connectionId } = claimed;
  const now = clock.now();
  await endHeld(tx, claimed, { endedAt: now, outcome: 'ok' });
  // In the state `credentials_refused` no run is scheduled: a person or the operator requested this one, and the CRM
  // accepted the token.
  const status = connection.status === 'credentials_refused' ? 'active' : connection.status;
  // The interval counts from the start of the run, or from now if the run took longer than the interval.
  const countFrom = later(startedAt, secondsToMs(connection.intervalSeconds)) > now ? startedAt : now;
  await connections.update(tx, tenantId, connectionId, {
    status,
    lastSyncedAt: startedAt,
    ...(kind === 'full' && { lastFullAt: startedAt }),
    nextSyncAt: status === 'active' ? nextAfter(countFrom, connection.intervalSeconds) : null,
  });
  await runs.prune(tx, claimed, crmLimits.runsKept);
};

/**
 * The state of the run after a page. `seen` has the cursors that this worker has read. If one of them comes again, the
 * CRM's pages would never end, so the function throws. The number of pages is limited, too, in case a cycle takes
 * longer than one worker has the run.
 */
const afterPage = (work: WorkRow, { nextCursor: next }: ChangesPage, seen: Set<string>): WorkRow => {
  const pages = work.pages + 1;
  if (next === undefined) return { ...work, cursor: null, fetched: true, pages };
  if (pages >= crmLimits.pages) throw new SyncFailure('limit', syncMessages.tooManyPages(crmLimits.pages));
  if (seen.has(next)) {
    throw new SyncFailure('malformed', syncMessages.cursorRepeats);
  }
  seen.add(next);
  return { ...work, cursor: next, fetched: false, pages };
};

/**
 * Deletes one batch of the deals and objections that a full run did not find in the CRM. True while there may be more.
 */
const deleteUnseen = async (
  tx: Tx,
  claimed: ClaimedRun,
  { kind, startedAt: seenAt }: WorkRow,
  now: Date,
): Promise<boolean> => {
  if (kind === 'incremental') return false;
  const removal = { which: { seenAt }, limit: deletedAtOnce, now };
  if ((await removeObjections(tx, claimed, removal)) === deletedAtOnce) return true;
  const deleted = await removeDeals(tx, claimed, removal);
  if (deleted > 0) await runs.update(tx, claimed, { deleted: { increment: deleted } });
  return deleted === deletedAtOnce;
};

/**
 * The rows of a connection are counted after this many pages and after the last one: counting takes longer than storing
 * a small page.
 */
const countedEvery = 16;

/**
 * One transaction of a run: calls `write` and, once all pages are stored, deletes a batch of the rows that a full run
 * did not find. True if nothing is left to do for this worker: the run has ended, or another worker has it.
 */
const step = (platform: Platform, run: TakenRun, write: (tx: Tx) => Promise<void>): Promise<boolean> =>
  platform.database.transaction(
    async (tx) => {
      const { claimed, work } = run;
      const connection = await hold(platform, tx, claimed);
      if (!connection) return true;
      await write(tx);
      if (!isFetched(run) || (await deleteUnseen(tx, claimed, work, platform.clock.now()))) {
        // The transaction may have taken longer than a claim lasts. Its locks keep the timer from renewing the claim.
        await runs.update(tx, claimed, { abandoned: 0, claimedUntil: later(platform.clock.now(), claimMs) });
        return false;
      }
      await endWell(platform, tx, run, connection);
      return true;
    },
    { group: run.claimed.tenantId, timeout: pageTimeoutMs },
  );

/** Stores a page and the position of the next one, all or nothing. True if nothing is left to do, as for `step`. */
const advance = (platform: Platform, run: TakenRun, page: ChangesPage, { waits }: RunHttp): Promise<boolean> =>
  step(platform, run, async (tx) => {
    const { claimed, work } = run;
    const { tenantId, connectionId } = claimed;
    const { cursor, fetched, pages } = work;
    const seen = { tenantId, connectionId, now: work.startedAt, changedAt: platform.clock.now() };
    const stored = await storePage(tx, seen, page);
    const isCounted = fetched || pages % countedEvery === 0;
    if (isCounted && (await syncedRows.exceeds(tx, claimed, maxRows))) {
      throw new SyncFailure('limit', syncMessages.tooManyRows(maxRows));
    }
    await runs.update(tx, claimed, {
      cursor,
      fetched,
      pages,
      waits,
      deals: { increment: stored.deals },
      objections: { increment: stored.objections },
      deleted: { increment: stored.deleted },
    });
  });

/** A reason may quote the CRM, so it is shortened, and characters that PostgreSQL can't store are removed. */
export const storableReason = ({ de, en }: Message): Message => {
  const cut = (text: string) => [...storableText(text)].slice(0, crmLimits.reasonCharacters).join('');
  return { de: cut(de), en: cut(en) };
};

/** Ends a run as failed and raises its only event, all or nothing, if this worker still has the run. */
const endBadly = async (
  platform: Platform,
  { claimed, connection: { credentials } }: TakenRun,
  { kind, reason: whole }: SyncFailure,
): Promise<void> => {
  const { tenantId, connectionId } = claimed;
  const acting = await actIn(platform, { kind: 'service' }, tenantId);
  await platform.database.transaction(
    async (tx) => {
      const team = await lockTeamShared(tx, acting);
      const connection = await hold(platform, tx, claimed);
      if (!connection) return;
      const now = platform.clock.now();
      const { provider } = connection;
      const reason = storableReason(whole);
      await noteFailure(tx, team, { connectionId, provider, reason: reason.en });
      await endHeld(tx, claimed, { endedAt: now, outcome: 'failed', reason });
      // If the token was renewed meanwhile, the failure is not about the new one, and the next run begins at once.
      const isRenewed = !isDeepStrictEqual(connection.credentials, credentials);
      const isRefused = kind === 'credentials_refused' && !isRenewed;
      const status = isRefused ? 'credentials_refused' : connection.status;
      const next = isRenewed ? now : nextAfter(now, connection.intervalSeconds);
      await connections.update(tx, tenantId, connectionId, { status, nextSyncAt: status === 'active' ? next : null });
      if (isRefused && connection.status !== status) {
        record(tx, team, {
          action: 'crm_connection.credentials_refused',
          target: { type: 'crm_connection', id: connectionId },
          data: { provider },
        });
      }
      await runs.prune(tx, claimed, crmLimits.runsKept);
    },
    { group: tenantId },
  );
};

export interface WorkOptions {
  /**
   * Aborted when the worker stops. Then the run no longer waits for the current request, and is given back at the
   * position before this request.
   */
  signal: AbortSignal;
  /**
   * A time of `performance.now()`. After it, the run is given back at the end of the current page or batch of
   * deletions.
   */
  until?: number;
  patience?: RunTimes | undefined;
  /** Called with an error that is a bug and not a failure of the CRM. The run ends as failed in this case, too. */
  complain?: (error: unknown) => void;
}

/** Fetches and stores page after page. True if nothing is left to do, as for `step`; false if the run has to go on. */
const workThrough = async (
  platform: Platform,
  { claimed, connection, work: start }: TakenRun,
  http: RunHttp,
  { signal, until = Infinity }: WorkOptions,
): Promise<boolean> => {
  if (start.abandoned >= crmLimits.deadWorkers) throw new SyncFailure('limit', syncMessages.failedThreeTimes);
  const provider = providerOf(platform.vault, connection, http);
  const since = start.since ?? undefined;
  const giveUpAt = later(start.startedAt, secondsToMs(crmLimits.fullEvery));
  const isTimeOver = () => signal.aborted || performance.now() >= until;
  const seen = new Set(start.cursor === null ? [] : [start.cursor]);

  let work = start;
  while (!work.fetched) {
    if (platform.clock.now() > giveUpAt) throw new SyncFailure('limit', syncMessages.longerThanADay);
    try {
      const page = await provider.fetchChanges(since, work.cursor ?? undefined);
      work = afterPage(work, page, seen);
      if (await advance(platform, { claimed, connection, work }, page, http)) return true;
    } finally {
      http.pageDone();
    }
    if (isTimeOver()) return false;
  }
  const nothingNew = () => Promise.resolve();
  while (!(await step(platform, { claimed, connection, work }, nothingNew))) if (isTimeOver()) return false;
  return true;
};

/**
 * Works on a claimed run until it ends, its time is over or the claim is lost. Throws if the database is lost: then
 * another worker continues the run when the claim has expired.
 */
export const workOn = async (platform: Platform, run: TakenRun, options: WorkOptions): Promise<'ended' | 'later'> => {
  const { patience, complain = () => {} } = options;
  const { database, clock, egress } = platform;
  // Aborted if the run was stopped, or if another worker has it.
  const lost = new AbortController();
  const signal = AbortSignal.any([options.signal, lost.signal]);
  const { claimed, work } = run;
  const http = makeCrmHttp({ egress, teamId: claimed.tenantId, signal, patience, waitsBefore: work.waits });
  const renewing = setInterval(() => {
    runs.update(database.prisma, claimed, { claimedUntil: later(clock.now(), claimMs) }).then(
      (isHeld) => isHeld || lost.abort(new Error('the claim of the run is lost')),
      () => undefined,
    );
  }, renewEveryMs);
  const giveBack = async (): Promise<'later'> => {
    await runs.update(database.prisma, claimed, { waits: http.waits, claimedUntil: clock.now(), claimId: null });
    return 'later';
  };
  try {
    return (await workThrough(platform, run, http, { ...options, signal })) ? 'ended' : await giveBack();
  } catch (error) {
    if (error instanceof SyncFailure) await endBadly(platform, run, error);
    else if (signal.aborted) return await giveBack();
    else if (isUnavailable(error)) throw error;
    else {
      complain(error);
      await endBadly(platform, run, new SyncFailure('unavailable', syncMessages.unexpected));
    }
    return 'ended';
  } finally {
    clearInterval(renewing);
  }
};
