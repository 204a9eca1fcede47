import { Socket } from 'node:net';
import pg from 'pg';
import { PrimaryClient } from './hosts.ts';
import { describeAlways } from './round-trip.ts';
import { isReadOnly } from './unavailable.ts';
import { sqlState } from './sqlstate.ts';

// A pool of connections to a server that accepts writes, with the limits of the service.

export interface PoolOptions {
  poolSize: number;
  /** Called when an idle connection is lost. The pool replaces it. */
  onLostConnection?: ((error: Error) => void) | undefined;
  /** Milliseconds without any data after which a connection in use is closed. */
  silenceMs?: number | undefined;
  /** Milliseconds that a statement waits for a lock. While it waits, it occupies a connection. */
  lockWaitMs?: number | undefined;
  /** Whether commits do not wait for the disk. Only for work that is done again if PostgreSQL crashes and loses it. */
  relaxed?: boolean | undefined;
  /** Whether there is a pooler, which refuses start-up parameters. Then the role has the settings, see `pooler.ts`. */
  pooled?: boolean | undefined;
}

/**
 * The limits in milliseconds of a statement, of its wait for a lock, and of the pause between two statements of a
 * transaction: a process that stands still must not keep its locks. They are start-up parameters, or settings of the
 * role behind a pooler.
 */
export const sessionLimits = { statementTimeoutMs: 30_000, lockTimeoutMs: 5_000, idleTransactionMs: 30_000 } as const;
const { statementTimeoutMs, lockTimeoutMs, idleTransactionMs } = sessionLimits;
/** How long a request or a job waits for a connection. */
export const connectWithinMs = 5_000;

/** After this time a connection is replaced, when it is idle. */
const maxLifetimeSeconds = 3_600;

/**
 * If a database stops answering, it must not block a request and its connection until TCP notices. An idle connection
 * may be silent without limit.
 */
const giveUpOnSilence = (pool: pg.Pool, milliseconds: number): void => {
  const limit = ({ connection: { stream } }: pg.PoolClient, limitMs: number): void => {
    if (stream instanceof Socket) stream.setTimeout(limitMs);
  };
  pool.on('connect', ({ connection: { stream } }) => {
    stream.on('timeout', () =>
      stream.destroy(Object.assign(new Error('the database went silent'), { code: 'ETIMEDOUT' })),
    );
  });
  pool.on('acquire', (client) => limit(client, milliseconds));
  pool.on('release', (_error, client) => limit(client, 0));
};

const standbyCheck = { text: 'select pg_is_in_recovery() as "isStandby"', query_timeout: connectWithinMs };

/**
 * Refuses a connection to a standby: its reads would be old, and the connection might stay there when there is a
 * primary again.
 */
const refuseStandby = async (client: pg.ClientBase): Promise<void> => {
  const { rows } = await client.query<{ isStandby: boolean }>(standbyCheck);
  if (rows[0]?.isStandby !== true) return;
  throw Object.assign(new Error('the server is a standby'), { code: sqlState.readOnlyTransaction });
};

/**
 * Options of a pool whose connections go to a primary. `onConnect` is used instead of `verify`, because pg-pool 3.14.0
 * loses a connection for ever if its caller has given up when `verify` ends.
 */
export const toPrimary = {
  Client: PrimaryClient,
  // oxlint-disable-next-line typescript/no-misused-promises -- pg-pool awaits it, which its types do not say
  onConnect: refuseStandby,
} satisfies pg.PoolConfig;

/** Closes a connection once its server refuses writes, because the next one may reach another server. */
export const leaveReadOnly = (client: pg.PoolClient): void => {
  client.connection.on('errorMessage', (error: pg.DatabaseError) => {
    if (isReadOnly(error)) void client.end();
  });
};

export const openPool = (
  url: string,
  {
    poolSize,
    onLostConnection = () => {},
    silenceMs = lockTimeoutMs + statementTimeoutMs + 5_000, // a statement of the same round trip may wait for a lock
    lockWaitMs = lockTimeoutMs,
    relaxed = false,
    pooled = false,
  }: PoolOptions,
): pg.Pool => {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectWithinMs,
    // A new connection plans each statement anew, several times, so connections are kept. But an old one uses much
    // memory.
    idleTimeoutMillis: 0,
    maxLifetimeSeconds,
    keepAlive: true, // finds idle connections that are lost
    keepAliveInitialDelayMillis: 30_000,
    ...(!pooled && {
      statement_timeout: statementTimeoutMs,
      lock_timeout: lockWaitMs,
      idle_in_transaction_session_timeout: idleTransactionMs,
      options: `-c timezone=UTC${relaxed ? ' -c synchronous_commit=off' : ''}`,
    }),
    application_name: 'team-customer-api',
    ...toPrimary,
  });
  pool.on('error', onLostConnection);
  giveUpOnSilence(pool, silenceMs);
  pool.on('connect', (client) => {
    leaveReadOnly(client);
    if (pooled) describeAlways(client.connection);
    // A statement that uses a lost connection fails. This handler is for a connection that is lost while it is being
    // closed, when nothing uses it.
    client.on('error', () => {});
  });
  return pool;
};
