import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../core/log.ts';
import { maintenanceLimits } from '../../core/limits.ts';
import type { Database } from '../../db/database.ts';
import { isUnreachable } from '../../db/unavailable.ts';
import type { Platform } from '../../platform/team.ts';
import { maintenanceRow } from './store.ts';

/** During maintenance the API and the app answer 503, and the workers run no jobs. */
export interface Maintenance {
  readonly since: Date;
  /** The `Retry-After` of refused requests. */
  readonly retryAfterSeconds: number;
}

/** Turns maintenance on, or changes its `Retry-After`. */
export const beginMaintenance = (
  { database, clock }: Platform,
  retryAfterSeconds: number = maintenanceLimits.retryAfterSeconds,
): Promise<Maintenance> => maintenanceRow.set(database.prisma, { since: clock.now(), retryAfterSeconds });

export const endMaintenance = async ({ database }: Platform): Promise<void> => {
  await maintenanceRow.delete(database.prisma);
};

export const readMaintenance = async ({ database }: Pick<Platform, 'database'>): Promise<Maintenance | undefined> =>
  (await maintenanceRow.get(database.prisma)) ?? undefined;

/** The state of maintenance in a process. */
export interface MaintenanceWatch {
  /**
   * Undefined while maintenance is off. `unknown` until the row was read for the first time: until then, neither
   * requests nor jobs are admitted.
   */
  readonly current: Maintenance | 'unknown' | undefined;
  /**
   * Calls the listener after the first read, and whenever maintenance begins or ends. Returns a function that removes
   * the listener.
   */
  onChange(listener: () => void): () => void;
  stop(): Promise<void>;
}

interface MaintenanceWatchParts {
  database: Database;
  log: Logger;
  /** Runs after the first read, before any request or job is admitted. */
  prepare?: () => Promise<void>;
  /** Called after the first read, and whenever maintenance begins or ends. */
  report?: (isOn: boolean) => void;
}

/**
 * Reads the row several times a second, so that no request needs a round trip for it. The promise resolves after the
 * first try, even if that failed because the database can't be reached or is a standby. While it can't be reached, the
 * last state stays.
 */
export const watchMaintenance = async ({
  database,
  log,
  prepare = async () => {},
  report = () => {},
}: MaintenanceWatchParts): Promise<MaintenanceWatch> => {
  const stopping = new AbortController();
  const listeners = new Set<() => void>();
  const state: { current: MaintenanceWatch['current'] } = { current: 'unknown' };

  const poll = async (): Promise<void> => {
    const before = state.current;
    const now = await readMaintenance({ database });
    if (before === 'unknown') await prepare();
    state.current = now;
    if (before !== 'unknown' && (before === undefined) === (now === undefined)) return;
    const fields = { since: now?.since, retry_after: now?.retryAfterSeconds };
    if (now) log.warn(fields, before === 'unknown' ? 'maintenance is on' : 'maintenance began');
    else if (before !== 'unknown') log.info('maintenance is over');
    report(now !== undefined);
    for (const listener of listeners) listener();
  };
  const keepPolling = async (): Promise<void> => {
    for (;;) {
      await sleep(maintenanceLimits.pollMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      await poll().catch((error: unknown) => {
        if (!isUnreachable(error)) log.error({ err: error }, 'the state of maintenance could not be read');
      });
    }
  };
  await poll().catch((error: unknown) => {
    if (!isUnreachable(error)) throw error;
    log.warn({ err: error }, 'the database is unavailable: requests and jobs wait for it');
  });
  const polling = keepPolling();

  return Object.assign(state, {
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async stop() {
      stopping.abort();
      await polling;
    },
  });
};
