import { retirementOf } from '../config.ts';
import type { Logger } from '../core/log.ts';
import type { MaintenanceWatch } from '../modules/maintenance/service.ts';
import { startCrmSyncs } from '../worker/crm-syncs.ts';
import { startDeliveries } from '../worker/deliveries.ts';
import { makeMailer } from '../worker/send-mail.ts';
import { startOtherJobs } from '../worker/other-jobs.ts';
import type { PartQueues } from '../worker/queue-runner.ts';
import type { Foundation } from './foundation.ts';
import type { RoleParts, RunningJobs } from './service.ts';

/** The names of the queues in the metrics. */
const queueNames = ['deliveries', 'crm_syncs', 'other_jobs'] as const;

/** Starts the background jobs of a process. */
export const startJobs = (
  { platform, databaseUrl }: Foundation,
  { config, log, scheduled, telemetry, maintenance }: RoleParts,
): RunningJobs => {
  const retirement = retirementOf(config);
  const sendMail = makeMailer(config.MAIL_URL, config.MAIL_FROM);
  let queues: Partial<Record<(typeof queueNames)[number], PartQueues>> = {};
  const running = runWhileOpen(maintenance, log, () => {
    const otherJobs = startOtherJobs({
      platform,
      log,
      databaseUrl,
      sendMail,
      retentionDays: config.RETENTION_DAYS,
      retired: retirement && { version: 'v1', retirement },
      scheduled,
      telemetry,
    });
    const deliveries = startDeliveries({
      platform,
      databaseUrl,
      log,
      telemetry,
      settings: {
        concurrency: config.WEBHOOK_CONCURRENCY,
        perEndpoint: config.WEBHOOK_ENDPOINT_CONCURRENCY,
      },
    });
    const syncs = startCrmSyncs({ platform, log, telemetry });
    queues = { deliveries, crm_syncs: syncs, other_jobs: otherJobs };
    return {
      stop() {
        queues = {};
        return allStopped([otherJobs.stop(), deliveries.stop(), syncs.stop()]);
      },
    };
  });
  return {
    queues: () => Object.fromEntries(queueNames.map((name) => [name, queues[name]?.isFetching() ?? { '': false }])),
    stop: () => running.stop(),
  };
};

/** Waits for all of them, then throws if one failed, so that nothing is started again while another one still stops. */
const allStopped = async (stopping: readonly Promise<unknown>[]): Promise<void> => {
  await Promise.allSettled(stopping);
  await Promise.all(stopping);
};

interface Stoppable {
  stop(): Promise<unknown>;
}

/**
 * Runs something while maintenance is known to be off. When maintenance starts, it is stopped after its running jobs
 * have finished. Afterwards it is started again.
 */
export const runWhileOpen = (
  maintenance: Pick<MaintenanceWatch, 'current' | 'onChange'>,
  log: Logger,
  start: () => Stoppable,
): Stoppable => {
  let running: Stoppable | undefined;
  let isEnding = false;
  let wasPaused = false;

  const adapt = async (): Promise<void> => {
    const mayRun = !isEnding && maintenance.current === undefined;
    if (mayRun && !running) {
      running = start();
      if (wasPaused) log.info('jobs run again');
    }
    if (mayRun || !running) return;
    const stopped = running;
    running = undefined;
    await stopped.stop();
    if (!isEnding) log.warn('jobs are paused');
    wasPaused = true;
  };
  // Steps run one after the other, because maintenance may end while the earlier stop is still running.
  let steps: Promise<void> = Promise.resolve();
  const step = (): Promise<void> =>
    (steps = steps
      .then(adapt)
      .catch((error: unknown) => log.error({ err: error }, 'the jobs could not be paused or resumed')));

  const unlisten = maintenance.onChange(() => void step());
  void step();
  return {
    async stop() {
      isEnding = true;
      unlisten();
      await step();
    },
  };
};
