import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from 'graphile-worker';
import type { WorkerEvents } from 'graphile-worker';
import type { Logger } from '../core/log.ts';
import { openQueuePool } from '../db/queue-pool.ts';
import type { QueuePool } from '../db/queue-pool.ts';
import { isUnavailable } from '../db/unavailable.ts';
import type { Platform } from '../platform/platform.ts';
import { freeAbandonedJobs, freeForgottenJobs, freeJobsOf, holdPool } from './abandoned-jobs.ts';
import { graphileLogger } from './graphile-logger.ts';
import { jobsAtOnce, makeMailPlaces } from './mail-places.ts';
import type { SendMail } from './mailer.ts';
import { noopTelemetry } from '../telemetry/telemetry.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { observed } from './observed.ts';
import { waitingMails } from './send-mail.ts';
import { atStart, crontab, ownPriority, tasks } from './tasks.ts';

interface WorkerParts {
  platform: Platform;
  log: Logger;
  databaseUrl: string;
  sendMail: SendMail;
  /** Days that events, deliveries and attempts are kept. */
  retentionDays: number;
  telemetry?: Telemetry;
}

export interface RunningWorker {
  /** Lets running jobs finish, then ends. */
  stop(): Promise<void>;
}

const restartAfter = 1_000;
const markAfter = 1_000;
/** In the queue it could wait behind jobs that hang. */
const freeEvery = 10_000;
/** How long jobs that run may take to finish: when all is to stop, and when the queue has given up already. */
const finishWithin = { stopping: 20_000, givenUp: 3_000 };

/**
 * A finished job is noted in batches, if only of one: otherwise nobody awaits the noting, and when the database is away at
 * that moment the rejection ends the process.
 */
const preset = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } };

/**
 * Runs the jobs, and goes on doing so: when the database was away for longer than the queue's own patience, the queue is
 * started again.
 */
export const startWorker = ({
  platform,
  log,
  databaseUrl,
  sendMail,
  retentionDays,
  telemetry = noopTelemetry(),
}: WorkerParts): RunningWorker => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const aborted = once(signal, 'abort');

  // Pools of this process that gave up: what they held when the database went away is still locked.
  const ended = new Set<string>();
  /** The pool at work, and the jobs that it runs. */
  let pool: string | undefined;
  const running = new Set<string>();
  /** Outlives a queue that is started again: it knows what went out and is not noted yet. */
  const mailPlaces = makeMailPlaces();
  const sendWaiting = waitingMails(platform, sendMail, undefined, mailPlaces);

  const runUntilStopped = async (pgPool: QueuePool) => {
    await freeJobsOf(platform.database, ended);
    ended.clear();
    const events: WorkerEvents = new EventEmitter();
    events.on('pool:create', ({ workerPool }) => {
      pool = workerPool.id;
      running.clear();
      ended.add(workerPool.id);
    });
    events.on('job:start', ({ job }) => running.add(job.id));
    events.on('job:complete', ({ job }) => running.delete(job.id));
    events.on('pool:listen:success', ({ workerPool, client }) => {
      // A moment later: right now the connection is told to listen, and it takes one statement at a time.
      setTimeout(() => {
        holdPool(client, workerPool.id).catch((err: unknown) => log.debug({ err }, 'a pool of workers is not marked'));
      }, markAfter);
    });
    const gaveUp = Promise.race([once(events, 'worker:fatalError'), once(events, 'pool:gracefulShutdown')]);
    const runner = await run({
      pgPool,
      // Mostly mails, which wait for a mail server: at most so many at once.
      concurrency: jobsAtOnce,
      forbiddenFlags: () => mailPlaces.full(),
      noHandleSignals: true,
      pollInterval: 1_000,
      logger: graphileLogger(log),
      events,
      taskList: observed(tasks({ platform, log, sendMail: sendWaiting, retentionDays }), telemetry),
      crontab,
      preset,
    });
    // Begun by several workers, it is done once; if it can't be asked for now, the clock will.
    const asked = Promise.all(atStart.map((task) => runner.addJob(task, {}, { jobKey: task, priority: ownPriority })));
    asked.catch((error: unknown) => log.debug({ err: error }, 'the first jobs could not be added'));
    // The runner also settles, and well, when the queue gave up by itself; it may hang when it lost the database meanwhile.
    await Promise.race([runner.promise, gaveUp, aborted]);
    const stopped = runner.stop().catch((error: unknown) => log.debug({ err: error }, 'the queue had stopped already'));
    await Promise.race([
      stopped,
      sleep(signal.aborted ? finishWithin.stopping : finishWithin.givenUp, undefined, { ref: false }),
    ]);
  };

  const keepRunning = async () => {
    while (!signal.aborted) {
      const pgPool = openQueuePool(databaseUrl);
      const failure = await runUntilStopped(pgPool).then(
        () => undefined,
        (error: unknown) => error,
      );
      // What hangs on a lost connection is left to it.
      await Promise.race([pgPool.end(), sleep(finishWithin.givenUp, undefined, { ref: false })]);
      if (signal.aborted) return;
      log.warn({ err: failure }, 'the queue stopped; it is started again');
      await sleep(restartAfter, undefined, { signal }).catch(() => undefined);
    }
  };
  const freeJobs = async () => {
    if (pool !== undefined) await freeForgottenJobs(platform.database, pool, running);
    await freeAbandonedJobs(platform.database);
  };
  const freeing = setInterval(() => {
    freeJobs().catch((error: unknown) => {
      if (!isUnavailable(error)) log.error({ err: error }, 'abandoned jobs could not be freed');
    });
  }, freeEvery);
  const finished = keepRunning();

  return {
    async stop() {
      stopping.abort();
      clearInterval(freeing);
      await finished;
    },
  };
};
