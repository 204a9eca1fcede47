import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { endedPools, freeAbandonedJobs, freeForgottenJobs, keepPoolHeld } from '../../src/worker/abandoned-jobs.ts';
import { lockNumbers } from '../../src/db/advisory-lock.ts';
import type { Database } from '../../src/db/database.ts';
import { openQueuePool } from '../../src/db/queue-pool.ts';
import { claim, claimIdOf } from '../../src/webhooks/claim.ts';
import { anEndpointAt, anEvent, waitingFor } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ own: true });
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.database.prisma.$executeRaw`delete from graphile_worker._private_jobs`;
});

/** A job that a pool has held for this many seconds. */
const aHeldJob = async (pool: string, seconds: number): Promise<string> => {
  const { prisma } = service.database;
  const [job] = await prisma.$queryRaw<{ id: string }[]>`select id::text from graphile_worker.add_job('anything')`;
  const id = job?.id ?? '';
  await prisma.$executeRaw`
    update graphile_worker._private_jobs set locked_by = ${pool}, locked_at = now() - ${seconds} * interval '1 second'
     where id = ${id}::bigint`;
  return id;
};

const held = async (): Promise<string[]> => {
  const rows = await service.database.prisma.$queryRaw<{ id: string }[]>`
    select id::text from graphile_worker.jobs where locked_by is not null order by id`;
  return rows.map(({ id }) => id);
};

const locks = async (): Promise<number> => {
  const [row] = await service.database.prisma.$queryRaw<{ held: number }[]>`
    select count(*)::int as held from pg_locks where locktype = 'advisory' and classid = ${lockNumbers.queuePool} and granted
       and database = (select oid from pg_database where datname = current_database())`;
  return row?.held ?? 0;
};

/** A pool with its lock, and the number of pools then. */
const aLivingPool = async (name: string): Promise<{ pools: number; end: () => Promise<void> }> => {
  const connections = openQueuePool(service.databaseUrl);
  const over = new AbortController();
  const isHeld = Promise.withResolvers<void>();
  const keeping = keepPoolHeld(connections, name, { signal: over.signal, onHeld: () => isHeld.resolve() });
  const end = async () => {
    over.abort();
    await keeping;
  };
  onTestFinished(async () => {
    await end();
    await connections.end();
  });
  await isHeld.promise;
  return { pools: await locks(), end };
};

describe('a living pool', () => {
  it('keeps its running jobs, however long, and those that it has only just taken', async () => {
    const [long, fresh] = [await aHeldJob('mine', 100), await aHeldJob('mine', 5)];
    await freeForgottenJobs(service.database, 'mine', new Set([long]));
    expect(await held()).toEqual([long, fresh]);
  });

  it('gives back jobs that it does not run, and only its own', async () => {
    const [running, , others] = [await aHeldJob('mine', 20), await aHeldJob('mine', 20), await aHeldJob('another', 20)];
    await freeForgottenJobs(service.database, 'mine', new Set([running]));
    expect(await held()).toEqual([others]);
  });
});

it('a living pool keeps its jobs if one that has ended is about to be recorded', async () => {
  const [running, ended] = [await aHeldJob('mine', 20), await aHeldJob('mine', 20)];
  const { promise: looked, resolve: look } = Promise.withResolvers<void>();
  const { database } = service;
  const watched: Database = {
    ...database,
    async rows(statement, ...values) {
      const rows = await database.rows(statement, ...values);
      look();
      return rows;
    },
  };
  const freeing = freeForgottenJobs(watched, 'mine', new Set([running]));
  await looked;
  await service.database.prisma.$executeRaw`delete from graphile_worker._private_jobs where id = ${ended}::bigint`;
  await freeing;
  expect(await held()).toEqual([running]);
});

it('a living pool tries again if another process was just looking whether its lock is free', async () => {
  const looking = new pg.Client({ connectionString: service.databaseUrl });
  await looking.connect();
  onTestFinished(() => looking.end());
  await looking.query(`select pg_advisory_lock(${lockNumbers.queuePool}, hashtext('mine'))`);
  const connections = openQueuePool(service.databaseUrl);
  let tries = 0;
  connections.on('acquire', () => (tries += 1));
  const over = new AbortController();
  let isHeld = false;
  const keeping = keepPoolHeld(connections, 'mine', { signal: over.signal, onHeld: () => (isHeld = true) });
  onTestFinished(async () => {
    over.abort();
    await keeping;
    await connections.end();
  });
  await eventually(() => expect(tries).toBeGreaterThan(1));
  expect(isHeld).toBe(false);
  await looking.query('select pg_advisory_unlock_all()');
  await eventually(() => expect(isHeld).toBe(true));
});

describe('a dead pool', () => {
  it('gives back its jobs some seconds after its last connection was closed', async () => {
    const fresh = await aHeldJob('just started', 5);
    await aHeldJob('gone', 20);
    await freeAbandonedJobs(service.database);
    expect(await held()).toEqual([fresh]);
  });
  it('gives them back at once if its lock was seen and is missing three times', async () => {
    const { pools, end } = await aLivingPool('killed');
    const fresh = await aHeldJob('killed', 0);
    const others = await aHeldJob('just started', 0);
    const find = endedPools(service.database);
    expect(await find()).toEqual([]);
    await end();
    await eventually(async () => expect(await locks()).toBe(pools - 1));
    expect([await find(), await find()]).toEqual([[], []]);
    expect(await held()).toEqual([fresh, others]);
    const ended = await find();
    expect(ended).toHaveLength(1);
    await freeAbandonedJobs(service.database, ended);
    expect(await held()).toEqual([others]);
    expect(await find()).toEqual([]);
  });

  it('leaves no claims behind: its deliveries are due again, and those of a living pool are not', async () => {
    const team = await aTeam(service);
    const endpoints = {
      living: (await anEndpointAt(service, team, 'https://127.0.0.1/living')).id,
      gone: (await anEndpointAt(service, team, 'https://127.0.0.1/gone')).id,
    };
    await anEvent(service, team);
    await aLivingPool('living');
    for (const pool of ['living', 'gone'] as const) {
      const jobId = await aHeldJob(pool, 20);
      const [job] = await service.database.prisma.$queryRaw<{ since: number }[]>`
        select floor(extract(epoch from locked_at) * 1000)::float8 as since from graphile_worker.jobs where id = ${jobId}::bigint`;
      const claimId = claimIdOf({ jobId, pool, since: job?.since ?? 0 });
      const asking = { tenantId: team.id, endpointId: endpoints[pool], claimId, used: 0, places: 1 };
      const look = (await claim(service.platform, [asking], 1)).get(endpoints[pool]);
      expect(look?.claimed).toHaveLength(1);
    }
    const [kept] = await waitingFor(service, endpoints.living);
    await freeAbandonedJobs(service.database);
    expect(await waitingFor(service, endpoints.living)).toEqual([kept]);
    expect(kept?.claimId).not.toBeNull();
    const [freed] = await waitingFor(service, endpoints.gone);
    expect(freed?.claimId).toBeNull();
    expect(freed?.dueAt.getTime()).toBeLessThanOrEqual(service.clock.now().getTime());
  });

  it('has not ended if its lock is back at the third look', async () => {
    const first = await aLivingPool('mine');
    const find = endedPools(service.database);
    await find();
    await first.end();
    await eventually(async () => expect(await locks()).toBe(first.pools - 1));
    expect([await find(), await find()]).toEqual([[], []]);
    const second = await aLivingPool('mine');
    expect(await find()).toEqual([]);
    await second.end();
    await eventually(async () => expect(await locks()).toBe(first.pools - 1));
    expect([await find(), await find()]).toEqual([[], []]);
  });

  it('has not ended if the database could not be reached since its lock was seen', async () => {
    const { pools, end } = await aLivingPool('mine');
    let isAway = false;
    const { database } = service;
    const find = endedPools({
      ...database,
      run: (...given) => (isAway ? Promise.reject(new Error('away')) : database.run(...given)),
    });
    await find();
    await end();
    await eventually(async () => expect(await locks()).toBe(pools - 1));
    isAway = true;
    await expect(find()).rejects.toThrow('away');
    isAway = false;
    expect([await find(), await find(), await find(), await find()]).toEqual([[], [], [], []]);
  });
});

describe('held jobs', () => {
  it.each([
    ['of a living pool', () => freeForgottenJobs(service.database, 'mine', new Set())],
    ['of all pools', () => freeAbandonedJobs(service.database)],
  ])('%s are found by an index, however many jobs wait', async (_, look) => {
    const { prisma } = service.database;
    await prisma.$executeRaw`
      with job as (select task_id from graphile_worker.add_job('anything'))
      insert into graphile_worker._private_jobs (task_id, run_at)
      select task_id, now() + n * interval '1 hour' from job, generate_series(1, 10000) n`;
    await prisma.$executeRaw`analyze graphile_worker._private_jobs`;
    const scans = async () => {
      const [row] = await prisma.$queryRaw<{ count: bigint }[]>`
        select idx_scan as count from pg_stat_user_indexes where indexrelname = 'jobs_held_idx'`;
      return row?.count ?? 0n;
    };
    const before = await scans();
    // PostgreSQL counts the scans of a connection at a later statement.
    await eventually(async () => {
      await look();
      expect(await scans()).toBeGreaterThan(before);
    });
  });
});
