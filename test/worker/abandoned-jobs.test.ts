import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freeAbandonedJobs, freeForgottenJobs } from '../../src/worker/abandoned-jobs.ts';
import type { Database } from '../../src/db/database.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';

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

describe('a dead pool', () => {
  it('gives back its jobs some seconds after its last connection was closed', async () => {
    const fresh = await aHeldJob('just started', 5);
    await aHeldJob('gone', 20);
    await freeAbandonedJobs(service.database);
    expect(await held()).toEqual([fresh]);
  });
});
