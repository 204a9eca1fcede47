import pg from 'pg';
import { workerConnections } from '../core/limits.ts';

export type QueuePool = pg.Pool;

/**
 * The connections of a job queue. graphile-worker could open them itself, but then nothing would listen for the error of a connection that
 * is lost while it is being closed, and that error would end the process.
 */
export const openQueuePool = (url: string, { relaxed = false }: { relaxed?: boolean } = {}): QueuePool => {
  const pool = new pg.Pool({
    connectionString: url,
    max: relaxed ? workerConnections.laneQueue : workerConnections.jobQueue,
    application_name: 'team-customer-api queue',
    // By indexes alone: yesterday's statistics would have each fetch read every job that waits for later.
    options: `-c enable_seqscan=off -c jit=off${relaxed ? ' -c synchronous_commit=off' : ''}`,
  });
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
  });
  return pool;
};
