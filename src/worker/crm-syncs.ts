import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../core/log.ts';
import { secondsToMs } from '../core/clock.ts';
import { crmLimits } from '../core/limits.ts';
import { isUnreachable } from '../db/unavailable.ts';
import { dueSyncs, syncConnection } from '../modules/crm/service.ts';
import type { DatabasePart } from '../db/parts.ts';
import type { Platform } from '../platform/team.ts';
import type { Telemetry } from '../platform/telemetry/telemetry.ts';
import { countFromZero, observe, partsWithTeams, repeatOnParts, type PartQueues } from './queue-runner.ts';

interface SyncParts {
  platform: Platform;
  log: Logger;
  telemetry: Telemetry;
}

/** How often a worker looks for due syncs, and for runs whose worker was lost. */
const pollIntervalMs = 1_000;
/** How long syncs may take to give their runs back when the worker stops. */
const finishWithinMs = 20_000;
/** How long a worker works on a run before other runs get its slot. */
const sliceMs = secondsToMs(60);
/** The name of a sync in the metrics of jobs. */
const task = 'crm_sync';

/**
 * Runs the syncs of CRM connections. They are no jobs of graphile-worker, because the claim of a run already says which
 * worker has it, and expires much earlier than the lock of a job.
 */
export const startCrmSyncs = ({ platform, log, telemetry }: SyncParts): PartQueues => {
  const stopping = new AbortController();
  const { signal } = stopping;
  countFromZero(telemetry, task);
  const { all, ofOneTeam } = crmLimits.runsAtOnce;
  /** The teams of the connections whose syncs are running, and the names of their parts, by the connections' ids. */
  const running = new Map<string, { readonly tenantId: string; readonly part: string }>();
  const syncs = new Set<Promise<void>>();
  /** Whether the last look at each part succeeded, by the part's name. */
  const looks: Record<string, boolean> = {};

  /** Each part has slots of its own, because syncs keep their slots while their part hangs. */
  const hasSlot = (tenantId: string, connectionId: string, part: string): boolean => {
    const others = [...running.values()].filter((other) => other.part === part);
    return (
      others.length < all &&
      !running.has(connectionId) &&
      others.filter((other) => other.tenantId === tenantId).length < ofOneTeam
    );
  };

  const sync = async (tenantId: string, connectionId: string): Promise<void> => {
    const key = { tenantId, connectionId };
    const complain = (err: unknown) =>
      log.error({ err, tenant_id: tenantId, connection_id: connectionId }, 'a CRM sync failed unexpectedly');
    const options = { signal, until: performance.now() + sliceMs, complain };
    try {
      await platform.database.ofTeam(tenantId)(() =>
        observe(telemetry, task, {}, () => syncConnection(platform, key, options)),
      );
    } catch (err) {
      if (!isUnreachable(err)) complain(err);
    }
    running.delete(connectionId);
  };

  const startDue = async (part: DatabasePart): Promise<void> => {
    for (const { tenantId, connectionId } of await dueSyncs(platform, [part])) {
      if (signal.aborted || !hasSlot(tenantId, connectionId, part.name)) continue;
      running.set(connectionId, { tenantId, part: part.name });
      const syncing = sync(tenantId, connectionId).finally(() => syncs.delete(syncing));
      syncs.add(syncing);
    }
  };

  const looking = repeatOnParts(platform.database, { everyMs: pollIntervalMs, signal }, async (part) => {
    try {
      await startDue(part);
      looks[part.name] = true;
    } catch (err) {
      looks[part.name] = false;
      if (!isUnreachable(err)) log.error({ err }, 'CRM syncs that are due could not be found');
    }
  });

  return {
    isFetching: () =>
      Object.fromEntries(partsWithTeams(platform.database.parts.all()).map(({ name }) => [name, looks[name] ?? false])),
    async stop() {
      stopping.abort(new Error('the worker stops'));
      await looking;
      // A sync that stores a large page may take longer. Its claim ends, and another worker continues.
      await Promise.race([Promise.all(syncs), sleep(finishWithinMs, undefined, { ref: false })]);
    },
  };
};
