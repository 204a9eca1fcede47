import { later, seconds } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import { crmLimits } from '../../core/limits.ts';
import type { Tx } from '../../db/database.ts';
import { isUnavailable } from '../../db/unavailable.ts';
import type { Platform } from '../../platform/platform.ts';
import { actIn, holdTeam } from '../teams/service.ts';
import { record } from '../audit/service.ts';
import { providerOf } from './credentials.ts';
import { openCrmHttp } from './providers/http.ts';
import type { Patience } from './providers/http.ts';
import { SyncFailure } from './providers/provider.ts';
import type { ChangesPage } from './providers/provider.ts';
import { connections, found, runs } from './store.ts';
import type { ClaimedRun, ConnectionRow, WorkRow } from './store.ts';
import { noteFailure, storePage } from './sync.ts';

/**
 * A run is one sync of a connection. At most one of a connection's runs is not over.
 *
 *   due, or requested ──▶ running ──its last page is stored──▶ fetched ──(full: the unseen is deleted)──▶ ok
 *                          │   ▲ └─ each page is stored together with the cursor of the next one
 *                          │   └── its worker is gone, or gave it back: another one goes on at the cursor
 *                          ├──the CRM failed──▶ failed; `crm.sync.failed` is raised in the same transaction
 *                          └──the connection was paused or disconnected──▶ stopped
 *
 * A worker claims a run for half a minute and renews the claim while it works. Everything that it writes is conditional on
 * its claim: a worker that lost it can't write any more.
 */
export interface Place {
  readonly tenantId: string;
  readonly connectionId: string;
}

interface TakenRun {
  readonly claimed: ClaimedRun;
  readonly connection: ConnectionRow;
  readonly work: WorkRow;
}

type Taken =
  | { readonly state: 'taken'; readonly run: TakenRun }
  /** Another worker has a run of this connection. */
  | { readonly state: 'busy' }
  /** It is not due. */
  | { readonly state: 'idle' }
  /** Disconnected, or never there. */
  | { readonly state: 'gone' }
  /** The team is suspended or ended, or its plan has no API. */
  | { readonly state: 'refused' };

const { rows } = crmLimits;
const claimMs = seconds(crmLimits.claim);
const renewEveryMs = claimMs / 3;
/** Deletions of one transaction. */
const sweptAtOnce = 5_000;
/** A page of ten thousands of rows may take long on a busy database. */
const pageTimeout = 60_000;

/** When the next scheduled run begins: not all connections at the same moment. */
const nextAfter = (from: Date, intervalSeconds: number): Date =>
  later(from, seconds(intervalSeconds) * (1 + Math.random() * crmLimits.jitter));

const newWork = ({ last_synced_at, last_full_at }: ConnectionRow, now: Date): WorkRow => {
  const fullBefore = later(now, -seconds(crmLimits.fullEvery));
  const isFull = last_synced_at === null || last_full_at === null || new Date(last_full_at) <= fullBefore;
  return {
    id: newId(),
    kind: isFull ? 'full' : 'incremental',
    started_at: now.toISOString(),
    since: isFull ? null : later(new Date(last_synced_at), -seconds(crmLimits.overlap)).toISOString(),
    cursor: null,
    cursor_before: null,
    fetched: false,
    pages: 0,
  };
};

/** Begins a run that is due, or `requested` right now, or takes up one whose worker is gone. */
export const takeRun = (
  { database, clock }: Platform,
  { tenantId, connectionId }: Place,
  { requested }: { requested: boolean },
): Promise<Taken> =>
  database.transaction(
    async (tx): Promise<Taken> => {
      const connection = await connections.lockConnected(tx, { tenantId, id: connectionId });
      if (!connection) return { state: 'gone' };
      const now = clock.now();
      const claimedUntil = later(now, claimMs);
      const claim = (id: string): ClaimedRun => ({ tenantId, connectionId, id, claimId: newId() });

      const running = await runs.running(tx, tenantId, connectionId);
      if (running) {
        if (running.claimed_until !== null && new Date(running.claimed_until) > now) return { state: 'busy' };
        const claimed = claim(running.id);
        await runs.claim(tx, claimed, claimedUntil);
        return { state: 'taken', run: { claimed, connection, work: running } };
      }

      const isDue = connection.next_sync_at !== null && new Date(connection.next_sync_at) <= now;
      if (!requested && !isDue) return { state: 'idle' };
      if (!connection.team_may_sync) {
        const nextSyncAt = connection.status === 'active' ? nextAfter(now, connection.interval_seconds) : null;
        await connections.update(tx, tenantId, connectionId, { nextSyncAt, requestedAt: null });
        return { state: 'refused' };
      }
      const work = newWork(connection, now);
      const claimed = claim(work.id);
      await runs.insert(tx, {
        tenantId,
        connectionId,
        id: work.id,
        kind: work.kind,
        onDemand: requested || connection.requested_at !== null,
        startedAt: now,
        since: work.since,
        claimId: claimed.claimId,
        claimedUntil,
      });
      // The end of the run sets when the next one is due.
      await connections.update(tx, tenantId, connectionId, { nextSyncAt: null, requestedAt: null });
      return { state: 'taken', run: { claimed, connection, work } };
    },
    { group: tenantId },
  );

/** Another worker has the run now, or it was stopped. */
class ClaimLost extends Error {
  override readonly name = 'ClaimLost';
}

const hold = async ({ clock }: Platform, tx: Tx, claimed: ClaimedRun): Promise<void> => {
  if (!(await runs.hold(tx, claimed, later(clock.now(), claimMs)))) throw new ClaimLost();
};

/** Locks the connection before its run: whoever ends a run takes them in this order. */
const lockToEnd = async (tx: Tx, { tenantId, connectionId }: Place): Promise<ConnectionRow> => {
  const connection = await connections.lockConnected(tx, { tenantId, id: connectionId });
  if (!connection) throw new ClaimLost();
  return connection;
};

/** Ends a run well; the connection is locked and the run held. */
const endWell = async (
  { clock }: Platform,
  tx: Tx,
  claimed: ClaimedRun,
  { connection, work: { kind, started_at } }: Pick<TakenRun, 'connection' | 'work'>,
): Promise<void> => {
  const { tenantId, connectionId } = claimed;
  const now = clock.now();
  await runs.update(tx, claimed, { endedAt: now, outcome: 'ok', claimId: null, claimedUntil: null });
  // A run by hand has shown that the CRM takes the token again.
  const status = connection.status === 'credentials_refused' ? 'active' : connection.status;
  const due = later(new Date(started_at), seconds(connection.interval_seconds)) > now ? new Date(started_at) : now;
  await connections.update(tx, tenantId, connectionId, {
    status,
    lastSyncedAt: started_at,
    ...(kind === 'full' && { lastFullAt: started_at }),
    nextSyncAt: status === 'active' ? nextAfter(due, connection.interval_seconds) : null,
  });
  await runs.prune(tx, tenantId, connectionId, crmLimits.runsKept);
};

/** What to remember of the cursors so far. A cursor is remembered at each power of two, so a repetition of any length is found. */
const nextBefore = ({ cursor_before, pages }: WorkRow, next: string): string => {
  if (next === cursor_before) {
    throw new SyncFailure('malformed', 'next_cursor: It repeats one of an earlier page, so there is no end.');
  }
  const count = pages + 1;
  return cursor_before === null || (count & (count - 1)) === 0 ? next : cursor_before;
};

/** Deletes a portion of what a full run did not see. True while there may be more. */
const sweepSome = async (tx: Tx, claimed: ClaimedRun, { kind, started_at }: WorkRow): Promise<boolean> => {
  if (kind === 'incremental') return false;
  const { tenantId, connectionId } = claimed;
  const unseen = { tenantId, connectionId, seenAt: new Date(started_at), most: sweptAtOnce };
  if ((await found.sweepObjections(tx, unseen)) === sweptAtOnce) return true;
  const deleted = await found.sweepDeals(tx, unseen);
  if (deleted > 0) await runs.update(tx, claimed, { deleted: { increment: deleted } });
  return deleted === sweptAtOnce;
};

/** Stores a page and where the run goes on, all or nothing; gives the run's next state. Undefined: the run has ended. */
const advance = (platform: Platform, { claimed, work }: TakenRun, page: ChangesPage): Promise<WorkRow | undefined> => {
  const { nextCursor: next } = page;
  const isLast = next === undefined;
  if (!isLast && work.pages + 1 >= crmLimits.pages) {
    throw new SyncFailure('limit', `The CRM has more than ${crmLimits.pages} pages.`);
  }
  const after: WorkRow = {
    ...work,
    cursor: next ?? null,
    cursor_before: isLast ? null : nextBefore(work, next),
    fetched: isLast,
    pages: work.pages + 1,
  };
  return platform.database.transaction(
    async (tx) => {
      const connection = isLast ? await lockToEnd(tx, claimed) : undefined;
      await hold(platform, tx, claimed);
      const { tenantId, connectionId } = claimed;
      const stored = await storePage(tx, { tenantId, connectionId, now: new Date(work.started_at) }, page);
      if (stored.deals + stored.objections > 0 && (isLast || after.pages % rows.countedEvery === 0)) {
        if (await found.exceeds(tx, { tenantId, connectionId, most: rows.most })) {
          const most = rows.most.toLocaleString('en');
          throw new SyncFailure('limit', `The CRM has more than ${most} deals or objections.`);
        }
      }
      await runs.update(tx, claimed, {
        cursor: after.cursor,
        cursorBefore: after.cursor_before,
        fetched: after.fetched,
        pages: after.pages,
        deals: { increment: stored.deals },
        objections: { increment: stored.objections },
        deleted: { increment: stored.deleted },
      });
      if (!connection || (await sweepSome(tx, claimed, work))) return after;
      await endWell(platform, tx, claimed, { connection, work });
      return undefined;
    },
    { group: claimed.tenantId, timeout: pageTimeout },
  );
};

/** Goes on deleting what a full run did not see; ends the run once nothing is left. True while there is more. */
const sweep = (platform: Platform, { claimed, work }: TakenRun): Promise<boolean> =>
  platform.database.transaction(
    async (tx) => {
      const connection = await lockToEnd(tx, claimed);
      await hold(platform, tx, claimed);
      if (await sweepSome(tx, claimed, work)) return true;
      await endWell(platform, tx, claimed, { connection, work });
      return false;
    },
    { group: claimed.tenantId, timeout: pageTimeout },
  );

/** Ends a run as failed and raises its one event, all or nothing. A run that is lost already is left alone. */
const endBadly = async (platform: Platform, { claimed }: TakenRun, { kind, message }: SyncFailure): Promise<void> => {
  const { tenantId, connectionId } = claimed;
  const acting = await actIn(platform, { kind: 'service' }, tenantId);
  await platform.database.transaction(
    async (tx) => {
      const team = await holdTeam(tx, acting);
      const connection = await lockToEnd(tx, claimed);
      await hold(platform, tx, claimed);
      const now = platform.clock.now();
      const { provider } = connection;
      const reason = await noteFailure(tx, team, { connectionId, provider, reason: message });
      await runs.update(tx, claimed, { endedAt: now, outcome: 'failed', reason, claimId: null, claimedUntil: null });
      const isRefused = kind === 'credentials_refused';
      const status = isRefused ? 'credentials_refused' : connection.status;
      await connections.update(tx, tenantId, connectionId, {
        status,
        nextSyncAt: status === 'active' ? nextAfter(now, connection.interval_seconds) : null,
      });
      if (isRefused && connection.status !== status) {
        await record(tx, team, {
          action: 'crm_connection.credentials_refused',
          target: { type: 'crm_connection', id: connectionId },
          data: { provider },
        });
      }
      await runs.prune(tx, tenantId, connectionId, crmLimits.runsKept);
    },
    { group: tenantId },
  );
};

export interface WorkOptions {
  /** The worker stops: the run is given back after the page at hand. */
  signal: AbortSignal;
  /** Of the process's own clock: from then on the run is given back after the page at hand. */
  until?: number;
  patience?: Patience | undefined;
  /** Called with an error that is no failure of the CRM but a bug: the run ends all the same. */
  complain?: (error: unknown) => void;
}

/** Fetches and stores page after page. True: the run has ended; false: it is to go on later. */
const workThrough = async (
  platform: Platform,
  { claimed, connection, work: start }: TakenRun,
  { signal, until = Infinity, patience }: WorkOptions,
): Promise<boolean> => {
  const http = openCrmHttp({ egress: platform.egress, teamId: claimed.tenantId, signal, patience });
  const provider = providerOf(platform.vault, connection, http);
  const since = start.since === null ? undefined : new Date(start.since);
  const giveUpAt = later(new Date(start.started_at), seconds(crmLimits.fullEvery));
  const isTimeOver = () => signal.aborted || performance.now() >= until;

  let work = start;
  while (!work.fetched) {
    if (platform.clock.now() > giveUpAt) throw new SyncFailure('limit', 'The sync took longer than a day.');
    try {
      const page = await provider.fetchChanges(since, work.cursor ?? undefined);
      const next = await advance(platform, { claimed, connection, work }, page);
      if (!next) return true;
      work = next;
    } finally {
      http.pageDone();
    }
    if (isTimeOver()) return false;
  }
  while (await sweep(platform, { claimed, connection, work })) if (isTimeOver()) return false;
  return true;
};

/** What to tell people of an error of our own. */
const unexpected = () =>
  new SyncFailure(
    'unavailable',
    'The service could not process the CRM’s data. If this happens again, contact support.',
  );

/**
 * Works on a run that was taken, until it ends, its time is over or the claim is lost. A lost database throws; the run is taken up
 * again when its claim is over.
 */
export const workOn = async (platform: Platform, run: TakenRun, options: WorkOptions): Promise<'ended' | 'later'> => {
  const { signal, complain = () => {} } = options;
  const { database, clock } = platform;
  const renewing = setInterval(() => {
    // The next page tells if the claim is lost.
    runs.keep(database, run.claimed, later(clock.now(), claimMs)).catch(() => undefined);
  }, renewEveryMs);
  const giveBack = async (): Promise<'later'> => {
    await runs.keep(database, run.claimed, clock.now());
    return 'later';
  };
  try {
    return (await workThrough(platform, run, options)) ? 'ended' : await giveBack();
  } catch (error) {
    if (error instanceof ClaimLost) return 'ended';
    if (error instanceof SyncFailure) await endUnlessLost(platform, run, error);
    else if (signal.aborted) return await giveBack();
    else if (isUnavailable(error)) throw error;
    else {
      complain(error);
      await endUnlessLost(platform, run, unexpected());
    }
    return 'ended';
  } finally {
    clearInterval(renewing);
  }
};

const endUnlessLost = async (platform: Platform, run: TakenRun, failure: SyncFailure): Promise<void> => {
  try {
    await endBadly(platform, run, failure);
  } catch (error) {
    if (!(error instanceof ClaimLost)) throw error;
  }
};
