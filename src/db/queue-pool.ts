import pg from 'pg';
import { workerConnections } from '../core/limits.ts';
import { isRecord } from '../core/raw-json.ts';
import { leaveReadOnly, refuseStandby } from './database.ts';

export type QueuePool = pg.Pool;

type Connected = Parameters<pg.Pool['connect']>[0];

/**
 * graphile-worker may give the connection on which it listens back twice, if it is lost while the queue stops. It may also give back one that
 * it did not get, because the pool had ended. In both cases pg-pool throws where nothing catches the error, which would end the process.
 */
class ListeningPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (!callback) return super.connect();
    super.connect((error, client, release) => {
      let isReleased = false;
      callback(error, client, (failure) => {
        if (isReleased || !client) return;
        isReleased = true;
        release(failure);
      });
    });
    return undefined;
  }
}

/** The channel on which graphile-worker announces new jobs. The payload says how many: `{"r":0.5,"count":1}`. */
const newJobs = 'jobs:insert';
const announcedEveryMs = 100;

/** Whether jobs were added. A count of -1 announces that one was removed. */
const announcesJobs = (event: string | symbol, message: unknown): boolean =>
  event === 'notification' &&
  isRecord(message) &&
  message['channel'] === newJobs &&
  !String(message['payload']).includes('"count":-');

/**
 * A connection that passes on the announcements of new jobs at most ten times a second, the first one at once, and each as one job. New jobs
 * are announced to all pools, whatever their tasks are, and in each as many workers look for a job as were announced: without this, the jobs
 * of lanes would cost hundreds of look-ups a second in each process. So each job that a pool starts must make it look for another one.
 */
class CalmClient extends pg.Client {
  #nextAt = 0;
  #holdsOne = false;

  override emit(event: string | symbol, ...given: readonly unknown[]): boolean {
    if (!announcesJobs(event, given[0])) return super.emit(event, ...given);
    if (this.#holdsOne) return true;
    this.#holdsOne = true;
    const wait = this.#nextAt - performance.now();
    if (wait <= 0) this.#pass();
    else setTimeout(() => this.#pass(), wait).unref();
    return true;
  }

  #pass(): void {
    this.#holdsOne = false;
    this.#nextAt = performance.now() + announcedEveryMs;
    super.emit('notification', { channel: newJobs, payload: '{"count":1}' });
  }
}

interface QueuePoolOptions {
  /** Commits do not wait for the disk. What a crash of PostgreSQL forgets is done again. */
  relaxed?: boolean;
  /** New jobs may wait a tenth of a second, so that the jobs of other pools cost less. */
  calm?: boolean;
}

/**
 * The connections of the job queue. graphile-worker could open them itself, but then the error of a connection that is lost while it is
 * being closed would end the process.
 */
export const openQueuePool = (url: string, { relaxed = false, calm = false }: QueuePoolOptions = {}): QueuePool => {
  const pool = new ListeningPool({
    connectionString: url,
    max: relaxed ? workerConnections.laneQueue : workerConnections.jobQueue,
    // Some connections are silent for long. If the network forgot one of them, its lock would be free, and its owner would not notice.
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
    application_name: 'team-customer-api queue',
    verify: refuseStandby,
    // Plans use indexes only: with old statistics each fetch would read all jobs that wait for later. Each statement is planned once on a
    // connection: it takes longer to plan a fetch than to run it.
    options: `-c enable_seqscan=off -c jit=off -c plan_cache_mode=force_generic_plan${relaxed ? ' -c synchronous_commit=off' : ''}`,
    ...(calm && { Client: CalmClient }),
  });
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    leaveReadOnly(client);
    client.on('error', () => {});
  });
  return pool;
};
