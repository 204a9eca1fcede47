import type { Logger } from '../core/log.ts';
import type { MaintenanceWatch } from '../modules/maintenance/service.ts';
import type { RetiredVersion } from '../modules/versions/service.ts';
import type { Platform } from '../platform/team.ts';
import { noopTelemetry } from '../telemetry/telemetry.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { jobsAtOnce, makeMailLimits, waitingMails } from './send-mail.ts';
import type { SendMail } from './send-mail.ts';
import { observed, startQueueRunner } from './queue-runner.ts';
import type { QueueRunner } from './queue-runner.ts';
import { atStart, crontab, ownPriority, tasks } from './tasks.ts';

interface WorkerParts {
  platform: Platform;
  log: Logger;
  databaseUrl: string;
  sendMail: SendMail;
  /** Days that events, deliveries and attempts are kept. */
  retentionDays: number;
  /** The version of the API whose end is announced, if there is one. */
  retired?: RetiredVersion | undefined;
  telemetry?: Telemetry;
}

/**
 * A finished job is noted in batches, if only of one: otherwise nobody awaits the noting, and when the database is away at
 * that moment the rejection ends the process.
 */
const preset = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } };

/** Runs the jobs that are no deliveries: mails, sweeps, and what goes on after a request. */
export const startWorker = ({
  platform,
  log,
  databaseUrl,
  sendMail,
  retentionDays,
  retired,
  telemetry = noopTelemetry(),
}: WorkerParts): QueueRunner => {
  const mailLimits = makeMailLimits();
  return startQueueRunner({
    database: platform.database,
    databaseUrl,
    log,
    freesOthers: true,
    options: {
      // Mostly mails, which wait for a mail server: at most so many at once.
      concurrency: jobsAtOnce,
      forbiddenFlags: () => mailLimits.full(),
      pollInterval: 1_000,
      // `waitingMails` outlives a queue that is started again: it has what was sent and is not noted yet.
      taskList: observed(
        tasks({
          platform,
          log,
          sendMail: waitingMails(platform, sendMail, undefined, mailLimits),
          retentionDays,
          retired,
        }),
        telemetry,
      ),
      crontab,
      preset,
    },
    onStart(addJob) {
      // Added by several workers, each is run once; if it can't be added now, the clock will.
      const added = Promise.all(atStart.map((task) => addJob(task, {}, { jobKey: task, priority: ownPriority })));
      added.catch((error: unknown) => log.debug({ err: error }, 'the first jobs could not be added'));
    },
  });
};

interface Stoppable {
  stop(): Promise<unknown>;
}

/**
 * Runs something except during maintenance: it is stopped when maintenance begins, which lets running jobs finish, and started anew when it
 * is over.
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
  // One step after the other: maintenance may be turned off while what it stopped still ends.
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
