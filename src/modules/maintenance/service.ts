import { setTimeout as sleep } from 'node:timers/promises';
import { maintenanceLimits } from '../../core/limits.ts';
import type { Logger } from '../../core/log.ts';
import type { Database } from '../../db/database.ts';
import { isUnavailable } from '../../db/unavailable.ts';
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
  /** Undefined while it is off. */
  readonly current: Maintenance | undefined;
  /** Calls the listener after every change. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
  stop(): Promise<void>;
}

interface Parts {
  database: Database;
  log: Logger;
  /** Called at the start and after every change. */
  report?: (isOn: boolean) => void;
}

/**
 * Reads the row several times a second, so that no request needs a round trip for it. It resolves after the first read, so a process that
 * starts during maintenance admits no request. If the database can't be reached, the last state stays.
 */
export const watchMaintenance = async ({ database, log, report = () => {} }: Parts): Promise<MaintenanceWatch> => {
  const stopping = new AbortController();
  const listeners = new Set<() => void>();
  let current = await readMaintenance({ database });
  if (current) log.warn({ since: current.since, retry_after: current.retryAfterSeconds }, 'maintenance is on');
  report(current !== undefined);

  const poll = async (): Promise<void> => {
    const before = current;
    current = await readMaintenance({ database });
    if ((before === undefined) === (current === undefined)) return;
    if (current) log.warn({ retry_after: current.retryAfterSeconds }, 'maintenance began');
    else log.info('maintenance is over');
    report(current !== undefined);
    for (const listener of listeners) listener();
  };
  const keepPolling = async (): Promise<void> => {
    for (;;) {
      await sleep(maintenanceLimits.pollMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      await poll().catch((error: unknown) => {
        if (!isUnavailable(error)) log.error({ err: error }, 'the state of maintenance could not be read');
      });
    }
  };
  const polling = keepPolling();

  return {
    get current() {
      return current;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async stop() {
      stopping.abort();
      await polling;
    },
  };
};
