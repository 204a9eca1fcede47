import type { Logger } from '../core/log.ts';
import type { Platform } from '../platform/platform.ts';
import { jobsAtOnce, makeMailPlaces } from './mail-places.ts';
import { noopTelemetry } from '../telemetry/telemetry.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { RetiredVersion } from '../modules/versions/service.ts';
import type { SendMail } from './mailer.ts';
import { observed } from './observed.ts';
import { startQueueRunner } from './queue-runner.ts';
import type { QueueRunner } from './queue-runner.ts';
import { waitingMails } from './send-mail.ts';
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
  const mailPlaces = makeMailPlaces();
  return startQueueRunner({
    database: platform.database,
    databaseUrl,
    log,
    freesOthers: true,
    options: {
      // Mostly mails, which wait for a mail server: at most so many at once.
      concurrency: jobsAtOnce,
      forbiddenFlags: () => mailPlaces.full(),
      pollInterval: 1_000,
      // `waitingMails` outlives a queue that is started again: it has what was sent and is not noted yet.
      taskList: observed(
        tasks({
          platform,
          log,
          sendMail: waitingMails(platform, sendMail, undefined, mailPlaces),
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
