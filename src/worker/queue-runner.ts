import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  run,
  Logger as GraphileLogger,
  type AddJobFunction,
  type RunnerOptions,
  type WorkerEvents,
  type Task,
  type TaskList,
} from 'graphile-worker';
import pg from 'pg';
import { workerConnections } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import { TtlMap } from '../core/ttl-map.ts';
import { leaveReadOnly, toPrimary } from '../db/pool.ts';
import type { Database } from '../db/database.ts';
import type { DatabasePart, DatabaseParts } from '../db/parts.ts';
import type { Attributes, Telemetry } from '../platform/telemetry/telemetry.ts';

/** A part of the database from which a queue fetches jobs. */
export interface QueuePart {
  database: Pick<Database, 'acceptsWrites'>;
  databaseUrl: string;
}

interface RunnerParts extends QueuePart {
  log: Logger;
  telemetry: Telemetry;
  /** Options of graphile-worker in addition to those that all runners share. */
  options: Pick<RunnerOptions, 'forbiddenFlags' | 'crontab' | 'preset'> &
    Required<Pick<RunnerOptions, 'concurrency' | 'pollInterval'>> & { taskList: TaskList };
  /** Commits do not wait for the disk. If a crash of PostgreSQL loses such work, the work is done again. */
  relaxed?: boolean;
  /** Called after each start of the queue. */
  onStart?: (addJob: AddJobFunction) => void;
  /** Called after each job that succeeded. */
  onSuccess?: (task: string) => void;
}

export interface QueueRunner {
  /** Whether the queue fetches jobs. A queue that starts, or that is stuck, does not. */
  isFetching(): boolean;
  /** Fetches no more jobs, waits up to `finishWithinMs` for the running ones, and stops. */
  stop(): Promise<void>;
}

/**
 * The ends of jobs are recorded in batches, even the end of one job. Otherwise nothing awaits the statement (in
 * graphile-worker 0.18.0): if the database can't be reached at this moment, the unhandled rejection ends the process.
 * We know of no report.
 */
const batched = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

const restartAfterMs = 1_000;
/**
 * While the database can't be reached, the queue tries and fails several times a second. One line of each kind within
 * this time is enough.
 */
const repeatedAfterMs = 10_000;
/** How long running jobs may take to finish: when the process stops, and when the queue has already given up. */
const finishWithinMs = { stopping: 20_000, givenUp: 3_000 };

type OnConnected = Parameters<pg.Pool['connect']>[0];

/**
 * graphile-worker 0.18.0 may release twice the connection on which it listens: when the queue stops, and when the
 * `LISTEN` that still runs then fails. pg-pool throws at the second time ("Release called on client which has already
 * been released to the pool"), and nothing catches the error, which would end the process. We know of no report to
 * graphile-worker. That pg-pool throws is intended: https://github.com/brianc/node-pg-pool/issues/113.
 */
class ListeningPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: OnConnected): void;
  override connect(callback?: OnConnected): Promise<pg.PoolClient> | undefined {
    if (!callback) return super.connect();
    super.connect((error, client, release) => {
      let isReleased = false;
      callback(error, client, (failure) => {
        if (client && !isReleased) release(failure);
        isReleased = true;
      });
    });
    return undefined;
  }
}

/** The runners that fetch jobs, one for each part of the database. */
export interface PartQueues {
  /** Whether each queue fetches jobs, by the name of its part. The name of a plain database is empty. */
  isFetching(): Readonly<Record<string, boolean>>;
  stop(): Promise<void>;
}

/** Whether all of these queues fetch jobs, by the name of the part. */
export const allFetching = (queues: readonly PartQueues[]): Readonly<Record<string, boolean>> => {
  const fetching = queues.map((queue) => queue.isFetching());
  return Object.fromEntries(
    Object.keys(fetching[0] ?? {}).map((part) => [part, fetching.every((byPart) => byPart[part] === true)]),
  );
};

/**
 * The connections of a queue. They go only to a primary. The time limits for statements of requests do not apply to
 * them, because graphile-worker decides how long its own statements may take. The listeners of errors are needed
 * because graphile-worker 0.18.0 removes its own listeners from the pool when the queue stops. Without a listener, the
 * error of a lost connection would end the process: https://github.com/graphile/worker/issues/178.
 */
export const openQueuePool = (url: string, relaxed: boolean): pg.Pool => {
  const pool = new ListeningPool({
    connectionString: url,
    max: relaxed ? workerConnections.deliverQueue : workerConnections.jobQueue,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    application_name: 'team-customer-api queue',
    ...toPrimary,
    ...(relaxed && { options: '-c synchronous_commit=off' }),
  });
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    leaveReadOnly(client);
    client.on('error', () => {});
  });
  return pool;
};

/**
 * Runs jobs of graphile-worker. If the database is unreachable for longer than the queue tolerates, or if the queue is
 * stuck, it is started again.
 */
export const startQueueRunner = ({
  database,
  databaseUrl,
  log,
  telemetry,
  options,
  relaxed = false,
  onStart = () => {},
  onSuccess = () => {},
}: RunnerParts): QueueRunner => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const aborted = once(signal, 'abort');
  const taskList = observeJobs(options.taskList, telemetry, onSuccess);
  const repeated = new TtlMap<true>({ capacity: 10, ttlMs: repeatedAfterMs });

  let watch: FetchWatch | undefined;

  const runUntilStopped = async (pgPool: pg.Pool) => {
    const events: WorkerEvents = new EventEmitter();
    const over = new AbortController();
    const fetches = (watch = watchFetches({ events, ...options }));
    const gaveUp = Promise.race([once(events, 'worker:fatalError'), once(events, 'pool:gracefulShutdown')]);
    try {
      const runner = await run({
        pgPool,
        noHandleSignals: true,
        logger: graphileLogger(log, repeated),
        events,
        ...options,
        preset: { ...options.preset, worker: { ...batched, ...options.preset?.worker } },
        taskList,
      });
      onStart(runner.addJob);
      // `runner.promise` also resolves when the queue gives up by itself, but it may hang if the database was lost in
      // the meantime. So `gaveUp` and `stuck` end the wait, too.
      const stuck = fetches
        .untilStuck(() => database.acceptsWrites(), over.signal)
        .then(() => log.warn('the queue fetches no jobs, although the database answers'));
      await Promise.race([runner.promise, gaveUp, aborted, stuck]);
      const stopped = runner.stop().catch((err: unknown) => log.debug({ err }, 'the queue had stopped already'));
      const timeoutMs = signal.aborted ? finishWithinMs.stopping : finishWithinMs.givenUp;
      await Promise.race([stopped, sleep(timeoutMs, undefined, { ref: false })]);
    } finally {
      watch = undefined;
      over.abort();
    }
  };

  const keepRunning = async () => {
    while (!signal.aborted) {
      const pgPool = openQueuePool(databaseUrl, relaxed);
      const failure = await runUntilStopped(pgPool).catch((error: unknown) => error);
      // A job that hangs on a lost connection is abandoned.
      await Promise.race([pgPool.end(), sleep(finishWithinMs.givenUp, undefined, { ref: false })]);
      if (signal.aborted) return;
      log[isRepeated(repeated, 'stopped') ? 'debug' : 'warn'](
        { err: failure },
        'the queue stopped; it is started again',
      );
      await sleep(restartAfterMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const finished = keepRunning();

  return {
    isFetching: () => watch?.isFetching() ?? false,
    async stop() {
      stopping.abort();
      await finished;
    },
  };
};

/**
 * A queue for each part of the database, including parts that are added later. If a part can't be reached, its jobs
 * wait; the other parts go on.
 */
export const startOnParts = (
  database: Pick<Database, 'acceptsWrites' | 'parts'>,
  databaseUrl: string,
  start: (part: QueuePart) => QueueRunner,
): PartQueues => {
  const runners = new Map<string, QueueRunner & Pick<DatabasePart, 'name'>>();
  const adapt = (): void => {
    // The first part is the one to which the service itself connects.
    const parts = new Map(database.parts.all().map((part, at) => [at === 0 ? databaseUrl : part.url, part]));
    for (const [url, { run, name }] of parts) {
      const acceptsWrites = () => run(() => database.acceptsWrites());
      if (!runners.has(url)) runners.set(url, { ...start({ databaseUrl: url, database: { acceptsWrites } }), name });
    }
    for (const [url, runner] of runners) {
      if (parts.has(url)) continue;
      runners.delete(url);
      void runner.stop();
    }
  };
  adapt();
  const unlisten = database.parts.onChange(adapt);
  return {
    isFetching: () => Object.fromEntries([...runners.values()].map((runner) => [runner.name, runner.isFetching()])),
    async stop() {
      unlisten();
      await Promise.all([...runners.values()].map((runner) => runner.stop()));
    },
  };
};

/** The parts that have teams. */
export const partsWithTeams = (parts: readonly DatabasePart[]): readonly DatabasePart[] =>
  parts.filter(({ groups }) => groups.length > 0);

/**
 * Calls a function for the teams of each part again and again, until the signal is aborted. A part that hangs delays no
 * other one.
 */
export const repeatOnParts = async (
  { parts }: { parts: Pick<DatabaseParts, 'all'> },
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
  action: (part: DatabasePart) => Promise<void>,
): Promise<void> => {
  const running = new Map<string, Promise<void>>();
  while (!signal.aborted) {
    for (const part of partsWithTeams(parts.all())) {
      const { url } = part;
      if (!running.has(url))
        running.set(
          url,
          action(part).finally(() => running.delete(url)),
        );
    }
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
  await Promise.all(running.values());
};

const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'debug' } as const;

/** Complaints of the queue that it repeats while it has no database. */
const outage = /^(Error occurred fetching jobs|Error with notify listener|Cron hit an error)/;

const isRepeated = (repeated: TtlMap<true>, kind: string): boolean => {
  if (repeated.has(kind)) return true;
  repeated.set(kind, true);
  return false;
};

/**
 * Writes the queue's log lines to the service's log. Routine lines and repeated ones appear only at the level `debug`,
 * and so does the warning that there are more jobs than connections: the jobs of deliveries use no connection of the
 * queue's pool.
 */
const graphileLogger = (log: Logger, repeated: TtlMap<true>): GraphileLogger =>
  new GraphileLogger(() => (level, message) => {
    const [kind] = outage.exec(message) ?? [];
    const isMinor = message.includes('maxPoolSize') || (kind !== undefined && isRepeated(repeated, kind));
    // A failed job is counted by its task. Most failed jobs are tried again.
    const usual = message.startsWith('Failed task') ? 'warn' : levels[level];
    log[isMinor ? 'debug' : usual]({ part: 'queue' }, message);
  });

const checkEveryMs = 1_000;
/** On a busy machine a fetch may be late by this time. */
const lateFetchMs = 5_000;

interface WatchedQueue {
  events: WorkerEvents;
  /** How many jobs the queue runs at once. */
  concurrency: number;
  /** The milliseconds between two fetches of a queue that finds no jobs. */
  pollInterval: number;
}

interface FetchWatch {
  /** Whether the queue has fetched within the allowed time, or has no free slot for a job. */
  isFetching(): boolean;
  /**
   * Resolves when the queue does not fetch although the database answers at each check. Throws if `signal` is aborted
   * first.
   */
  untilStuck(acceptsWrites: () => Promise<boolean>, signal: AbortSignal): Promise<void>;
}

/**
 * Watches whether a queue of graphile-worker fetches jobs. graphile-worker 0.18.0 keeps the rejected promise of a
 * queue's first statement (`getTaskDetails`): if its connection is lost at that moment, each later fetch fails with the
 * same error until the queue is started anew. A report with this symptom is open,
 * https://github.com/graphile/worker/issues/185; its cause may be another one. Successful fetches are watched, because
 * a queue that fetches in batches has no event for failed ones.
 */
const watchFetches = ({ events, concurrency, pollInterval }: WatchedQueue): FetchWatch => {
  const allowedMs = pollInterval + lateFetchMs;
  let running = 0;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  const fetched = () => (fetchedAt = performance.now());
  events.on('localQueue:getJobs:complete', fetched);
  events.on('worker:getJob:empty', fetched);
  events.on('job:start', () => {
    running += 1;
    fetched();
  });
  events.on('job:complete', () => {
    running -= 1;
    // From now on there is a free slot, for which the queue has to fetch.
    fetched();
  });

  const isFetching = () => running >= concurrency || performance.now() - fetchedAt < allowedMs;
  return {
    isFetching,
    async untilStuck(acceptsWrites, signal) {
      // Checks are counted, not time, so that a pause of the whole process does not make a queue seem stuck.
      let failedChecks = 0;
      while (failedChecks * checkEveryMs < allowedMs) {
        await sleep(checkEveryMs, undefined, { signal });
        failedChecks = !isFetching() && (await acceptsWrites()) ? failedChecks + 1 : 0;
      }
    },
  };
};

/** Prometheus sees an increase only of a series that it has seen before. */
export const countFromZero = ({ meter }: Telemetry, task: string): void => {
  for (const result of ['ok', 'failed']) meter.jobs.inc({ task, result }, 0);
};

/** Runs the work of a job, with metrics and a span. */
export const observe = async <T>(
  { meter, traces }: Telemetry,
  task: string,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> => {
  const begin = performance.now();
  let result: 'ok' | 'failed' = 'failed';
  try {
    const answer = await traces.traced(`job ${task}`, { 'team_api.job.task': task, ...attributes }, work);
    result = 'ok';
    return answer;
  } finally {
    meter.jobs.inc({ task, result });
    meter.jobSeconds.observe({ task }, (performance.now() - begin) / 1000);
  }
};

/** These tasks with metrics and a span for each job. */
const observeJobs = (taskList: TaskList, telemetry: Telemetry, onSuccess: (task: string) => void): TaskList => {
  const observedTask =
    (task: string, work: Task): Task =>
    async (payload, helpers) => {
      const { id, attempts } = helpers.job;
      const attributes = { 'team_api.job.id': id, 'team_api.job.try': attempts };
      const answer = await observe(telemetry, task, attributes, async () => work(payload, helpers));
      onSuccess(task);
      return answer;
    };
  for (const task of Object.keys(taskList)) countFromZero(telemetry, task);
  return Object.fromEntries(Object.entries(taskList).map(([task, work]) => [task, work && observedTask(task, work)]));
};
