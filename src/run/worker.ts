import { retirementOf } from '../config.ts';
import { startCrmSyncs } from '../worker/crm-syncs.ts';
import { startDeliveries } from '../worker/deliveries.ts';
import { mailer } from '../worker/send-mail.ts';
import { runWhileOpen, startWorker } from '../worker/worker.ts';
import type { Foundation } from './foundation.ts';
import type { RoleParts, RunningJobs } from './service.ts';

/** Starts the background jobs of a process. */
export const startJobs = (
  { platform, databaseUrl }: Foundation,
  { config, log, scheduled, telemetry, maintenance }: RoleParts,
): RunningJobs => {
  const retirement = retirementOf(config);
  const sendMail = mailer(config.MAIL_URL, config.MAIL_FROM);
  let queues: readonly { isFetching(): boolean }[] = [];
  const running = runWhileOpen(maintenance, log, () => {
    const worker = startWorker({
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
        retrySeconds: config.WEBHOOK_RETRY_SECONDS,
        pauseAfter: config.WEBHOOK_PAUSE_AFTER_SECONDS,
        concurrency: config.WEBHOOK_CONCURRENCY,
        perEndpoint: config.WEBHOOK_ENDPOINT_CONCURRENCY,
      },
    });
    const syncs = startCrmSyncs({ platform, log, telemetry });
    queues = [worker, deliveries, syncs];
    return { stop: () => Promise.all([worker.stop(), deliveries.stop(), syncs.stop()]) };
  });
  return {
    isFetching: () => queues.length > 0 && queues.every((queue) => queue.isFetching()),
    stop: () => running.stop(),
  };
};
