import pg from 'pg';
import { workerConnections } from '../core/limits.ts';
import { isRecord } from '../core/raw-json.ts';

export type QueuePool = pg.Pool;

type Connected = Parameters<pg.Pool['connect']>[0];

/**
 * graphile-worker may give the connection on which it listens back twice, if it is lost while the queue stops. The second time, pg-pool
 * throws where nothing catches the error, which would end the process.
 */
class ListeningPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    if (!callback) return super.connect();
    super.connect((error, client, release) => {
      let isReleased = false;
      callback(error, client, (failure) => {
        if (isReleased) return;
        isReleased = true;
        release(failure);
      });
    });
    return undefined;
  }
}

/** The channel on which graphile-worker announces new jobs. The payload says how many: `{"count":1}`. */
const newJobs = 'jobs:insert';
const announcedEveryMs = 100;

/** The number of new jobs that a notification announces (-1 for a job that was removed); undefined for every other event. */
const jobsAnnounced = (event: string | symbol, message: unknown): number | undefined =>
  event === 'notification' && isRecord(message) && message['channel'] === newJobs
    ? Number(/"count":(-?\d+)/.exec(String(message['payload']))?.[1] ?? 1)
    : undefined;

/**
 * A connection that passes on the announcements of new jobs at most ten times a second, the first one at once. New jobs are announced to all
 * pools, whatever tasks they run, and then each looks for a job of its own: without this, each lane's job would cost four look-ups in each
 * process. Of the announcements that are held back, the one with the most jobs is passed on; so each job that a pool starts must make it look
 * for another one.
 */
class CalmClient extends pg.Client {
  #nextAt = 0;
  #held: { jobs: number; given: readonly unknown[] } | undefined;

  override emit(event: string | symbol, ...given: readonly unknown[]): boolean {
    const jobs = jobsAnnounced(event, given[0]);
    if (jobs === undefined || jobs < 1) return super.emit(event, ...given);
    if (this.#held) {
      if (jobs > this.#held.jobs) this.#held = { jobs, given };
      return true;
    }
    this.#held = { jobs, given };
    const wait = this.#nextAt - performance.now();
    if (wait <= 0) this.#pass();
    else setTimeout(() => this.#pass(), wait).unref();
    return true;
  }

  #pass(): void {
    const { given = [] } = this.#held ?? {};
    this.#held = undefined;
    this.#nextAt = performance.now() + announcedEveryMs;
    super.emit('notification', ...given);
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
    // Plans use indexes only: with old statistics each fetch would read all jobs that wait for later.
    options: `-c enable_seqscan=off -c jit=off${relaxed ? ' -c synchronous_commit=off' : ''}`,
    ...(calm && { Client: CalmClient }),
  });
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
  });
  return pool;
};
