import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../core/log.ts';
import { secondsToMs } from '../core/clock.ts';
import { crmLimits } from '../core/limits.ts';
import { isUnavailable } from '../db/unavailable.ts';
import { addDueSyncs, SyncJob, syncConnection, syncTask } from '../modules/crm/service.ts';
import type { Platform } from '../platform/team.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { FlagLimits } from './flag-limits.ts';
import { observed, startQueueRunner } from './queue-runner.ts';
import type { QueueRunner } from './queue-runner.ts';

interface SyncParts {
  platform: Platform;
  databaseUrl: string;
  log: Logger;
  telemetry: Telemetry;
}

/** At most this long after the claim of a lost worker ends, another worker continues its run. */
const pollIntervalMs = 2_000;
/** How long a job works on a run before other runs get its place. */
const sliceMs = secondsToMs(60);

/**
 * Runs the syncs of CRM connections. They have their own queue runner, because a sync may wait for its CRM for minutes and would delay
 * mails.
 */
export const startCrmSyncs = ({ platform, databaseUrl, log, telemetry }: SyncParts): QueueRunner => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const limits = new FlagLimits(() => crmLimits.runsAtOnce.ofOneTeam);

  const runner = startQueueRunner({
    database: platform.database,
    databaseUrl,
    log,
    options: {
      concurrency: crmLimits.runsAtOnce.all,
      forbiddenFlags: () => limits.full(),
      // New jobs are announced by a notification; the poll is for one that was lost.
      pollInterval: 5_000,
      taskList: observed(
        {
          [syncTask]: async (payload) => {
            const job = SyncJob.parse(payload);
            const complain = (err: unknown) => log.error({ err, ...job }, 'a CRM sync failed unexpectedly');
            const until = performance.now() + sliceMs;
            const release = limits.hold([`crm ${job.tenantId}`]);
            try {
              await syncConnection(platform, job, { signal, until, complain });
            } finally {
              release();
            }
          },
        },
        telemetry,
      ),
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    },
  });

  const look = async () => {
    while (!signal.aborted) {
      try {
        await addDueSyncs(platform);
      } catch (err) {
        if (!isUnavailable(err)) log.error({ err }, 'CRM syncs that are due could not be found');
      }
      await sleep(pollIntervalMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const looking = look();

  return {
    isFetching: () => runner.isFetching(),
    async stop() {
      stopping.abort(new Error('the worker stops'));
      await Promise.all([runner.stop(), looking]);
    },
  };
};
