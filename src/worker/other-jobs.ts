import type { Logger } from '../core/log.ts';
import type { RetiredVersion } from '../modules/versions/service.ts';
import { ownPriority } from '../platform/jobs.ts';
import type { Platform } from '../platform/team.ts';
import { isUnreachable } from '../db/unavailable.ts';
import { noopTelemetry, type Telemetry } from '../platform/telemetry/telemetry.ts';
import { JobLimits, jobsAtOnce } from './job-limits.ts';
import { waitingMails, type SendMail } from './send-mail.ts';
import { deliverTasks } from '../deliveries/outbox.ts';
import { startOnParts, startQueueRunner, type PartQueues, type QueuePart } from './queue-runner.ts';
import { atStart, crontab, recurringTasks, tasks } from './tasks.ts';
import type { Database } from '../db/database.ts';
import { onEach } from '../db/parts.ts';
import { listOf, nothing, query, text } from '../db/query.ts';

interface WorkerParts {
  platform: Platform;
  log: Logger;
  databaseUrl: string;
  sendMail: SendMail;
  /** How many days events, deliveries, attempts, mails and the request log are kept. */
  retentionDays: number;
  /** The version of the API whose end is announced, if there is one. */
  retired?: RetiredVersion | undefined;
  /** Whether recurring tasks start at their times. */
  scheduled?: boolean | undefined;
  telemetry?: Telemetry;
}

/**
 * graphile-worker announces each new job to all queues. Most are jobs of deliveries, so this queue looks for its own
 * jobs at most ten times a second. Jobs that were fetched but can't start soon go back to the queue.
 */
const localQueue = { size: jobsAtOnce, ttl: 1_000, refetchDelay: { durationMs: 100, maxAbortThreshold: Infinity } };

/**
 * How often jobs of dead workers are unlocked. A timer does this and not a job, which could wait behind jobs that hang.
 */
const unlockEveryMs = 30_000;

/** Runs all jobs except deliveries and CRM syncs: mails, cleanups, and work that continues after a request. */
export const startOtherJobs = ({
  platform,
  log,
  databaseUrl,
  sendMail,
  retentionDays,
  retired,
  scheduled = true,
  telemetry = noopTelemetry(),
}: WorkerParts): PartQueues => {
  const limits = new JobLimits();
  const noteSuccess = (task: string) => telemetry.meter.lastSuccess.setToCurrentTime({ task });
  // A worker that has just started, or that maintenance has paused, is not late with any task: each one counts as done
  // now.
  for (const task of scheduled ? recurringTasks : []) noteSuccess(task);
  const unlocking = setInterval(() => {
    unlockJobsOfDeadWorkers(platform.database).catch((err: unknown) => {
      if (!isUnreachable(err)) log.error({ err }, 'jobs of ended workers could not be unlocked');
    });
  }, unlockEveryMs);
  // `waitingMails` is made once, and not at each start of a queue, because it remembers which mails were sent but not
  // yet recorded.
  const taskList = tasks({
    platform,
    log,
    sendMail: waitingMails(platform, sendMail, { limits }),
    retentionDays,
    retired,
    limits,
  });
  const start = (part: QueuePart) => {
    // Recurring jobs are added in one part only.
    const isFirst = part.databaseUrl === databaseUrl;
    return startQueueRunner({
      ...part,
      log,
      telemetry,
      options: {
        // Most jobs are mails, which wait for a mail server.
        concurrency: jobsAtOnce,
        forbiddenFlags: () => limits.full(),
        pollInterval: 1_000,
        taskList,
        ...(scheduled && isFirst && { crontab }),
        preset: { worker: { localQueue } },
      },
      onSuccess(task) {
        if (recurringTasks.includes(task)) noteSuccess(task);
      },
      onStart(addJob) {
        if (!isFirst) return;
        // Several workers add these jobs, but each job runs once. If they can't be added now, the schedule will add
        // them.
        const added = Promise.all(atStart.map((task) => addJob(task, {}, { jobKey: task, priority: ownPriority })));
        added.catch((error: unknown) => log.debug({ err: error }, 'the first jobs could not be added'));
      },
    });
  };
  const runner = startOnParts(platform.database, databaseUrl, start);
  return {
    isFetching: () => runner.isFetching(),
    stop() {
      clearInterval(unlocking);
      return runner.stop();
    },
  };
};

/** No job takes longer than this, except jobs of `longTasks`. */
const longestJob = '2 minutes';
/**
 * Deliveries have leases of their own. Recurring tasks work on all teams or on large tables. Such a task must not run
 * twice at the same time because it takes long; if its worker is lost, the schedule starts it anew.
 */
const longTasks = [...Object.values(deliverTasks), ...recurringTasks];

const unlockDead = query({
  name: 'worker.unlockDead',
  why: 'calls graphile-worker',
  sql: `select graphile_worker.force_unlock_workers(array_agg(locked_by)) as done
          from (select locked_by
                  from graphile_worker.jobs
                 where locked_by is not null
                 group by locked_by
                having max(locked_at) < now() - interval '${longestJob}'
                   and bool_or(task_identifier <> all(:exempt::text[]))) as dead
        having count(*) > 0`,
  parameters: { exempt: listOf(text) },
  row: { done: nothing },
});

/**
 * Unlocks the jobs of workers that have ended without a stop or have lost the database, which graphile-worker itself
 * would do after four hours (https://github.com/graphile/worker/issues/222): a worker counts as lost if it has had a
 * job for longer than any job takes, and has taken none since. If it still runs, a job runs twice, which every task
 * tolerates.
 */
export const unlockJobsOfDeadWorkers = (database: Database): Promise<unknown> =>
  onEach(database.parts.all(), () => database.run(unlockDead, { exempt: longTasks }));
