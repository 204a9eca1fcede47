import type { Logger } from '../core/log.ts';
import type { MaintenanceWatch } from '../modules/maintenance/service.ts';
import type { RetiredVersion } from '../modules/versions/service.ts';
import { ownPriority } from '../platform/jobs.ts';
import type { Platform } from '../platform/team.ts';
import { isUnavailable } from '../db/unavailable.ts';
import { noopTelemetry } from '../platform/telemetry/telemetry.ts';
import type { Telemetry } from '../platform/telemetry/telemetry.ts';
import { jobsAtOnce, makeJobLimits, waitingMails } from './send-mail.ts';
import type { SendMail } from './send-mail.ts';
import { deliverTasks } from '../deliveries/outbox.ts';
import { unlockJobsOfDeadWorkers } from './dead-workers.ts';
import { observed } from './observe.ts';
import { startQueueRunner } from './queue-runner.ts';
import type { QueueRunner } from './queue-runner.ts';
import { atStart, crontab, tasks } from './tasks.ts';

interface WorkerParts {
  platform: Platform;
  log: Logger;
  databaseUrl: string;
  sendMail: SendMail;
  /** Days that events, deliveries and attempts are kept. */
  retentionDays: number;
  /** The version of the API whose end is announced, if there is one. */
  retired?: RetiredVersion | undefined;
  /** Whether recurring tasks start at their times. */
  scheduled?: boolean | undefined;
  telemetry?: Telemetry;
}

/**
 * The ends of jobs are recorded in batches, even of one job. Otherwise nothing awaits the statement, and if the database is unreachable
 * at this moment, the unhandled rejection ends the process.
 */
const batched = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };
/**
 * graphile-worker announces each new job to all queues. Most are jobs of deliveries, so this queue looks for its own at most ten times a
 * second. Jobs that were fetched and not started soon go back to the queue.
 */
const localQueue = { size: jobsAtOnce, ttl: 1_000, refetchDelay: { durationMs: 100, maxAbortThreshold: Infinity } };

/** Done by a timer and not by a job, which could wait behind jobs that hang. */
const unlockEveryMs = 30_000;

/** Runs all jobs except deliveries and CRM syncs: mails, cleanups, and work that continues after a request. */
export const startWorker = ({
  platform,
  log,
  databaseUrl,
  sendMail,
  retentionDays,
  retired,
  scheduled = true,
  telemetry = noopTelemetry(),
}: WorkerParts): QueueRunner => {
  const limits = makeJobLimits();
  const unlocking = setInterval(() => {
    unlockJobsOfDeadWorkers(platform.database, Object.values(deliverTasks)).catch((err: unknown) => {
      if (!isUnavailable(err)) log.error({ err }, 'jobs of ended workers could not be unlocked');
    });
  }, unlockEveryMs);
  const runner = startQueueRunner({
    database: platform.database,
    databaseUrl,
    log,
    options: {
      // Most jobs are mails, which wait for a mail server.
      concurrency: jobsAtOnce,
      forbiddenFlags: () => limits.full(),
      pollInterval: 1_000,
      // `waitingMails` outlives a queue that starts again, because it remembers which mails were sent but not yet recorded.
      taskList: observed(
        tasks({
          platform,
          log,
          sendMail: waitingMails(platform, sendMail, undefined, limits),
          retentionDays,
          retired,
          limits,
        }),
        telemetry,
      ),
      ...(scheduled && { crontab }),
      preset: { worker: { ...batched, localQueue } },
    },
    onStart(addJob) {
      // Several workers add them, but each runs once. If they can't be added now, the schedule will.
      const added = Promise.all(atStart.map((task) => addJob(task, {}, { jobKey: task, priority: ownPriority })));
      added.catch((error: unknown) => log.debug({ err: error }, 'the first jobs could not be added'));
    },
  });
  return {
    isFetching: () => runner.isFetching(),
    stop() {
      clearInterval(unlocking);
      return runner.stop();
    },
  };
};

interface Stoppable {
  stop(): Promise<unknown>;
}

/**
 * Runs something while maintenance is known to be off: it is stopped when maintenance starts, after its running jobs have finished, and
 * started again afterwards.
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
    const ending = running;
    running = undefined;
    await ending.stop();
    if (!isEnding) log.warn('jobs are paused');
    wasPaused = true;
  };
  // Steps run one after the other: maintenance may end while the former stop is still running.
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
