import pg from 'pg';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openQueuePool } from '../../src/db/queue-pool.ts';
import { freeAbandonedJobs, keepPoolHeld } from '../../src/worker/abandoned-jobs.ts';
import { startQueueRunner } from '../../src/worker/queue-runner.ts';
import { eventually } from '../support/eventually.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';

let service: TestService;
/** A connection to another database of the same server. */
let outside: pg.Client;
beforeAll(async () => {
  service = await startTestService({ own: true });
  const url = new URL(service.databaseUrl);
  url.pathname = '/postgres';
  outside = new pg.Client({ connectionString: url.href });
  await outside.connect();
});
afterAll(async () => {
  await outside.end();
  await service.close();
});

const databaseName = () => new URL(service.databaseUrl).pathname.slice(1);

/** The connections that hold the lock of a pool in the test's database. */
const holders = async (): Promise<number[]> => {
  const { rows } = await outside.query<{ pid: number }>(
    `select distinct pid from pg_locks
      where locktype = 'advisory' and classid = 7402117 and granted
        and database = (select oid from pg_database where datname = $1)`,
    [databaseName()],
  );
  return rows.map(({ pid }) => pid);
};

const aHeldJob = async (pool: string): Promise<void> => {
  await service.database.prisma.$executeRaw`select graphile_worker.add_job('anything')`;
  await service.database.prisma.$executeRaw`
    update graphile_worker._private_jobs set locked_by = ${pool}, locked_at = now() - interval '20 seconds'`;
};
const heldJobs = () =>
  service.database.prisma.$queryRaw<unknown[]>`select id from graphile_worker.jobs where locked_by is not null`;

describe('the lock that marks a pool of workers as alive', () => {
  it('is taken again when its connection was ended, and is free once the pool has ended', async () => {
    const pool = openQueuePool(service.databaseUrl);
    onTestFinished(() => pool.end());
    const over = new AbortController();
    const keeping = keepPoolHeld(pool, 'mine', { signal: over.signal, onHeld: () => {} });
    await eventually(async () => expect(await holders()).toHaveLength(1));
    await aHeldJob('mine');
    const [first] = await holders();
    await outside.query('select pg_terminate_backend($1)', [first]);
    await eventually(async () => {
      const now = await holders();
      expect(now).toHaveLength(1);
      expect(now).not.toContain(first);
    });
    await freeAbandonedJobs(service.database);
    expect(await heldJobs()).toHaveLength(1);

    over.abort();
    await keeping;
    await eventually(async () => expect(await holders()).toEqual([]));
    await freeAbandonedJobs(service.database);
    expect(await heldJobs()).toEqual([]);
  });

  it('is back after an outage before the queue listens again, which it may do a minute later', async () => {
    const lines: string[] = [];
    let connected = 0;
    const runner = startQueueRunner({
      database: service.database,
      databaseUrl: service.databaseUrl,
      log: pino({ level: 'debug' }, { write: (line) => void lines.push(line) }),
      options: { concurrency: 1, pollInterval: 2_000, taskList: { nothing: () => {} } },
      onConnection: () => (connected += 1),
    });
    onTestFinished(() => runner.stop());
    await eventually(async () => expect(await holders()).toHaveLength(1));
    expect(connected).toBe(1);

    await outside.query(`alter database "${databaseName()}" with allow_connections false`);
    try {
      await outside.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = $1 and application_name = 'team-customer-api queue'`,
        [databaseName()],
      );
      // The queue's pauses grow with each try: now it waits for ten seconds or longer.
      await eventually(() => expect(lines.join('')).toMatch(/trying again in \d{5,}ms/));
    } finally {
      await outside.query(`alter database "${databaseName()}" with allow_connections true`);
    }
    await eventually(async () => expect(await holders()).toHaveLength(1));
    expect(connected).toBe(2);
    const { rows } = await outside.query(
      `select pid from pg_stat_activity where datname = $1 and query ilike 'listen "jobs:insert"%'`,
      [databaseName()],
    );
    expect(rows).toEqual([]);
  }, 90_000);
});
