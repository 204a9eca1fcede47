import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { run, Logger as GraphileLogger } from 'graphile-worker';
import type { AddJobFunction, RunnerOptions, WorkerEvents, Task, TaskList } from 'graphile-worker';
import type { ClientBase } from 'pg';
import type { Logger } from '../core/log.ts';
import type { Database, QueuePool } from '../db/database.ts';
import { openQueuePool } from '../db/database.ts';
import { isUnavailable } from '../db/unavailable.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { freeAbandonedJobs, freeForgottenJobs, freeJobsOf, keepPoolHeld } from './abandoned-jobs.ts';

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

/** The same tasks, each job of which is counted and lies in a span of its own. */
export const observed = (taskList: TaskList, { meter, traces }: Telemetry): TaskList =>
  Object.fromEntries(
    Object.entries(taskList).map(([task, work]) => [task, work && observedTask(task, work, { meter, traces })]),
  );

const observedTask =
  (task: string, work: Task, { meter, traces }: Telemetry): Task =>
  async (payload, helpers) => {
    const begin = performance.now();
    const ended = (result: 'ok' | 'failed') => meter.job({ task, result, seconds: (performance.now() - begin) / 1000 });
    const { id, attempts } = helpers.job;
    try {
      const answer = await traces.traced(
        `job ${task}`,
        { 'team_api.job.task': task, 'team_api.job.id': id, 'team_api.job.try': attempts },
        async () => work(payload, helpers),
      );
      ended('ok');
      return answer;
    } catch (error) {
      ended('failed');
      throw error;
    }
  };

const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'debug' } as const;

/** It expects each job to need a connection of the queue's pool; lanes use none. */
const isOfNoUse = (message: string): boolean => message.includes('maxPoolSize');

/** Writes the queue's log to the service's; its everyday lines only when debugging. */
const graphileLogger = (log: Logger): GraphileLogger =>
  new GraphileLogger(
    () => (level, message) => log[isOfNoUse(message) ? 'debug' : levels[level]]({ part: 'queue' }, message),
  );

/**
 * Counts the running jobs of each flag in this process. graphile-worker starts no job with a flag that is full, so such jobs keep no place
 * from others while they wait.
 */
export class FlagLimits {
  readonly #limitOf: (flag: string) => number;
  readonly #running = new Map<string, number>();

  constructor(limitOf: (flag: string) => number) {
    this.#limitOf = limitOf;
  }

  /** The flags of which no further job may start. */
  full(): string[] {
    return [...this.#running.keys()].filter((flag) => this.isFull([flag]));
  }

  isFull(flags: readonly string[]): boolean {
    return flags.some((flag) => (this.#running.get(flag) ?? 0) >= this.#limitOf(flag));
  }

  /** Counts a job until the returned function is called. */
  hold(flags: readonly string[]): () => void {
    for (const flag of flags) this.#running.set(flag, (this.#running.get(flag) ?? 0) + 1);
    return () => {
      for (const flag of flags) {
        const left = (this.#running.get(flag) ?? 0) - 1;
        if (left > 0) this.#running.set(flag, left);
        else this.#running.delete(flag);
      }
    };
  }
}
