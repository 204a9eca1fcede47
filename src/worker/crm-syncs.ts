import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../core/log.ts';
import { secondsToMs } from '../core/clock.ts';
import { crmLimits } from '../core/limits.ts';
import { isUnreachable } from '../db/unavailable.ts';
import { dueSyncs, syncConnection } from '../modules/crm/service.ts';
import type { Platform } from '../platform/team.ts';
import type { Telemetry } from '../platform/telemetry/telemetry.ts';
import { countFromZero, observe, type QueueRunner } from './queue-runner.ts';

interface SyncParts {
  platform: Platform;
  log: Logger;
  telemetry: Telemetry;
}

/** How often a worker looks for syncs that are due, and for runs whose worker was lost. */
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
export const startCrmSyncs = ({ platform, log, telemetry }: SyncParts): QueueRunner => {
  const stopping = new AbortController();
  const { signal } = stopping;
  countFromZero(telemetry, task);
  const { all, ofOneTeam } = crmLimits.runsAtOnce;
  /** The teams of the connections whose syncs are running, by the connections' ids. */
  const teams = new Map<string, string>();
  const syncs = new Set<Promise<void>>();
  let isLooking = false;

  const hasSlot = (tenantId: string, connectionId: string): boolean =>
    teams.size < all &&
    !teams.has(connectionId) &&
    [...teams.values()].filter((other) => other === tenantId).length < ofOneTeam;

  const sync = async (tenantId: string, connectionId: string): Promise<void> => {
    const key = { tenantId, connectionId };
    const complain = (err: unknown) =>
      log.error({ err, tenant_id: tenantId, connection_id: connectionId }, 'a CRM sync failed unexpectedly');
    const options = { signal, until: performance.now() + sliceMs, complain };
    try {
      await observe(telemetry, task, {}, () => syncConnection(platform, key, options));
    } catch (err) {
      if (!isUnreachable(err)) complain(err);
    }
    teams.delete(connectionId);
  };

  const startDue = async (): Promise<void> => {
    for (const { tenantId, connectionId } of await dueSyncs(platform)) {
      if (signal.aborted || !hasSlot(tenantId, connectionId)) continue;
      teams.set(connectionId, tenantId);
      const running = sync(tenantId, connectionId).finally(() => syncs.delete(running));
      syncs.add(running);
    }
  };

  const look = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await startDue();
        isLooking = true;
      } catch (err) {
        isLooking = false;
        if (!isUnreachable(err)) log.error({ err }, 'CRM syncs that are due could not be found');
      }
      await sleep(pollIntervalMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const looking = look();

  return {
    isFetching: () => isLooking,
    async stop() {
      stopping.abort(new Error('the worker stops'));
      await looking;
      // A sync that stores a large page may take longer. Its claim ends, and another worker continues.
      await Promise.race([Promise.all(syncs), sleep(finishWithinMs, undefined, { ref: false })]);
    },
  };
};
