import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { run, Logger as GraphileLogger } from 'graphile-worker';
import type { AddJobFunction, RunnerOptions, WorkerEvents, Task, TaskList } from 'graphile-worker';
import type { ClientBase } from 'pg';
import type { Logger } from '../core/log.ts';
import type { Database } from '../db/database.ts';
import { openQueuePool } from '../db/queue-pool.ts';
import type { QueuePool } from '../db/queue-pool.ts';
import { isUnavailable } from '../db/unavailable.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { endedPools, freeAbandonedJobs, freeForgottenJobs, freeJobsOf, keepPoolHeld } from './abandoned-jobs.ts';
import { watchFetches } from './fetch-watch.ts';
import type { FetchWatch } from './fetch-watch.ts';

interface RunnerParts {
  database: Database;
  databaseUrl: string;
  log: Logger;
  /** Options of graphile-worker in addition to those that all runners share. */
  options: Pick<RunnerOptions, 'forbiddenFlags' | 'taskList' | 'crontab' | 'preset'> &
    Required<Pick<RunnerOptions, 'concurrency' | 'pollInterval'>>;
  /** Commits do not wait for the disk. What a crash of PostgreSQL forgets is done again. */
  relaxed?: boolean;
  /**
   * New jobs may wait a tenth of a second, because most of those that are announced are jobs of other runners. Not all of them are announced
   * to the runner, so each job that it starts makes another worker look.
   */
  calm?: boolean;
  /** The runner also frees jobs of other pools that have ended. One runner of a process does. */
  freesOthers?: boolean;
  /** Called after each start of the queue. */
  onStart?: (addJob: AddJobFunction) => void;
  /** Called with each new connection that marks the pool as alive. It runs one statement at a time. */
  onConnection?: (client: ClientBase) => void;
}

export interface QueueRunner {
  /** Whether the queue fetches jobs. A queue that starts, or that is stuck, does not. */
  isFetching(): boolean;
  /** Waits until the running jobs have finished, and stops. */
  stop(): Promise<void>;
}

const restartAfter = 1_000;
/** Done by a timer and not by a job, which could wait behind jobs that hang. */
const freeEvery = 10_000;
/** The pause between two looks for pools that have ended. A pool that lost its connection has its lock again after half of it. */
const betweenLooksMs = 500;
/** How long running jobs may take to finish: when the process stops, and when the queue has already given up. */
const finishWithin = { stopping: 20_000, givenUp: 3_000 };

/**
 * Runs jobs of graphile-worker. If the database is unreachable for longer than the queue tolerates, or if the queue is stuck, it is started
 * again.
 */
export const startQueueRunner = ({
  database,
  databaseUrl,
  log,
  options,
  relaxed = false,
  calm = true,
  freesOthers = false,
  onStart = () => {},
  onConnection = () => {},
}: RunnerParts): QueueRunner => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const aborted = once(signal, 'abort');

  // Ended pools of this runner. Their jobs are still locked since the database became unreachable.
  const ended = new Set<string>();
  /** The running pool, and its running jobs. */
  let pool: string | undefined;
  const running = new Set<string>();
  let watch: FetchWatch | undefined;

  const runUntilStopped = async (pgPool: QueuePool) => {
    await freeJobsOf(database, ended);
    ended.clear();
    const events: WorkerEvents = new EventEmitter();
    const over = new AbortController();
    const fetches = (watch = watchFetches({ events, ...options }));
    events.on('pool:create', ({ workerPool }) => {
      pool = workerPool.id;
      if (calm) events.on('job:start', () => workerPool.nudge(1));
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
      // The promise also resolves when the queue gives up by itself. It may hang if the database was lost meanwhile.
      const stuck = fetches
        .untilStuck(() => database.acceptsWrites(), over.signal)
        .then(() => log.warn('the queue fetches no jobs, although the database answers'));
      await Promise.race([runner.promise, gaveUp, aborted, stuck]);
      const stopped = runner.stop().catch((err: unknown) => log.debug({ err }, 'the queue had stopped already'));
      await Promise.race([
        stopped,
        sleep(signal.aborted ? finishWithin.stopping : finishWithin.givenUp, undefined, { ref: false }),
      ]);
    } finally {
      watch = undefined;
      // Only now, because the jobs that ran until here belonged to this pool.
      over.abort();
    }
  };

  const keepRunning = async () => {
    while (!signal.aborted) {
      const pgPool = openQueuePool(databaseUrl, { relaxed, calm });
      const failure = await runUntilStopped(pgPool).then(
        () => undefined,
        (error: unknown) => error,
      );
      // A job that hangs on a lost connection is abandoned.
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
  const findEnded = endedPools(database);
  const freeEnded = async () => {
    const found = await findEnded();
    if (found.length > 0) await freeAbandonedJobs(database, found);
  };
  const complain = (error: unknown) => {
    if (!isUnavailable(error)) log.error({ err: error }, 'abandoned jobs could not be freed');
  };
  const freeing = setInterval(() => void freeJobs().catch(complain), freeEvery);
  const watchOthers = async () => {
    while (!signal.aborted) {
      await freeEnded().catch(complain);
      await sleep(betweenLooksMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const watched = freesOthers ? watchOthers() : undefined;
  const finished = keepRunning();

  return {
    isFetching: () => watch?.isFetching() ?? false,
    async stop() {
      stopping.abort();
      clearInterval(freeing);
      await finished;
      await watched;
    },
  };
};

/** The same tasks, with metrics and a span for each job. */
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

/** graphile-worker warns if there are more jobs than connections, but the jobs of lanes use no connection of its pool. */
const isOfNoUse = (message: string): boolean => message.includes('maxPoolSize');

/** Writes the queue's log lines to the service's log. Routine lines appear only at the level `debug`. */
const graphileLogger = (log: Logger): GraphileLogger =>
  new GraphileLogger(
    () => (level, message) => log[isOfNoUse(message) ? 'debug' : levels[level]]({ part: 'queue' }, message),
  );

/**
 * Counts the running jobs of each flag in this process. graphile-worker starts no job with a flag that is full, so that these jobs leave
 * the places to others.
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
