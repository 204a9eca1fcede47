import pg from 'pg';

export type QueuePool = pg.Pool;

/**
 * The connections of the job queue, which it would open by itself but for one thing: a connection that is lost while it is
 * being closed is nobody's any more, and without anybody who listens its error would end the process.
 */
export const openQueuePool = (url: string, { relaxed = false }: { relaxed?: boolean } = {}): QueuePool => {
  const pool = new pg.Pool({
    connectionString: url,
    max: relaxed ? 5 : 11,
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
