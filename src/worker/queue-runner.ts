import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from 'graphile-worker';
import type { AddJobFunction, RunnerOptions, WorkerEvents } from 'graphile-worker';
import type { ClientBase } from 'pg';
import type { Logger } from '../core/log.ts';
import type { Database } from '../db/database.ts';
import { openQueuePool } from '../db/queue-pool.ts';
import type { QueuePool } from '../db/queue-pool.ts';
import { isUnavailable } from '../db/unavailable.ts';
import { freeAbandonedJobs, freeForgottenJobs, freeJobsOf, keepPoolHeld } from './abandoned-jobs.ts';
import { graphileLogger } from './graphile-logger.ts';

interface RunnerParts {
  database: Database;
  databaseUrl: string;
  log: Logger;
  /** Options of graphile-worker beyond those that all runners share. */
  options: Pick<RunnerOptions, 'concurrency' | 'forbiddenFlags' | 'pollInterval' | 'taskList' | 'crontab' | 'preset'>;
  /** Commits don't wait for the disk: what a crash of PostgreSQL forgets is done again. */
  relaxed?: boolean;
  /** It also frees the jobs of other pools that have ended: one runner of a process does. */
  freesOthers?: boolean;
  /** Called each time that the queue has started. */
  onStart?: (addJob: AddJobFunction) => void;
  /** Called with the connection that marks the pool as alive, each time that there is a new one. It runs one statement at a time. */
  onConnection?: (client: ClientBase) => void;
}

export interface QueueRunner {
  /** Lets running jobs finish, then ends. */
  stop(): Promise<void>;
}

const restartAfter = 1_000;
/** Not a job of its own: it could wait behind jobs that hang. */
const freeEvery = 10_000;
/** How long running jobs may take to finish: when all is to stop, and when the queue has given up already. */
const finishWithin = { stopping: 20_000, givenUp: 3_000 };

/**
 * Runs jobs of graphile-worker, and goes on doing so: when the database was away for longer than the queue's own patience, the queue is
 * started again.
 */
export const startQueueRunner = ({
  database,
  databaseUrl,
  log,
  options,
  relaxed = false,
  freesOthers = false,
  onStart = () => {},
  onConnection = () => {},
}: RunnerParts): QueueRunner => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const aborted = once(signal, 'abort');

  // Pools of this runner that gave up: what they held when the database went away is still locked.
  const ended = new Set<string>();
  /** The pool at work, and the jobs that it runs. */
  let pool: string | undefined;
  const running = new Set<string>();

  const runUntilStopped = async (pgPool: QueuePool) => {
    await freeJobsOf(database, ended);
    ended.clear();
    const events: WorkerEvents = new EventEmitter();
    const over = new AbortController();
    events.on('pool:create', ({ workerPool }) => {
      pool = workerPool.id;
      running.clear();
      ended.add(workerPool.id);
      void keepPoolHeld(pgPool, workerPool.id, { signal: over.signal, onHeld: onConnection });
    });
    events.on('job:start', ({ job }) => running.add(job.id));
    events.on('job:complete', ({ job }) => running.delete(job.id));
    const gaveUp = Promise.race([once(events, 'worker:fatalError'), once(events, 'pool:gracefulShutdown')]);
    try {
      const runner = await run({ pgPool, noHandleSignals: true, logger: graphileLogger(log), events, ...options });
      onStart(runner.addJob);
      // The runner also settles, and well, when the queue gave up by itself; it may hang when it lost the database meanwhile.
      await Promise.race([runner.promise, gaveUp, aborted]);
      const stopped = runner.stop().catch((err: unknown) => log.debug({ err }, 'the queue had stopped already'));
      await Promise.race([
        stopped,
        sleep(signal.aborted ? finishWithin.stopping : finishWithin.givenUp, undefined, { ref: false }),
      ]);
    } finally {
      // Only now: the jobs that were running until here were this pool's.
      over.abort();
    }
  };

  const keepRunning = async () => {
    while (!signal.aborted) {
      const pgPool = openQueuePool(databaseUrl, { relaxed });
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
    if (pool !== undefined) await freeForgottenJobs(database, pool, running);
    if (freesOthers) await freeAbandonedJobs(database);
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
