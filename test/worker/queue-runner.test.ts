import { expect, it, onTestFinished } from 'vitest';
import { unlockJobsOfDeadWorkers } from '../../src/worker/worker.ts';
import { openPool, startQueueRunner } from '../../src/worker/queue-runner.ts';
import { noopTelemetry } from '../../src/platform/telemetry/telemetry.ts';
import { eventually } from '../support/eventually.ts';
import { useTestService } from '../support/service.ts';
import { silentLog } from '../support/worker.ts';

const service = await useTestService({ own: true });

it('jobs that are added together start together', async () => {
  let running = 0;
  let done = 0;
  const all = Promise.withResolvers<void>();
  const runner = startQueueRunner({
    database: service.database,
    databaseUrl: service.databaseUrl,
    log: silentLog,
    telemetry: noopTelemetry(),
    options: {
      concurrency: 5,
      pollInterval: 600_000,
      taskList: {
        once: () => void (done += 1),
        async hold() {
          running += 1;
          await all.promise;
        },
      },
    },
  });
  onTestFinished(async () => {
    all.resolve();
    await runner.stop();
  });
  // All workers look at the start. Afterwards they wait for announcements.
  for (const expected of [1, 2, 3]) {
    await service.database.prisma.$executeRaw`select graphile_worker.add_job('once')`;
    await eventually(() => expect(done).toBe(expected));
  }
  await service.database.prisma.$executeRaw`select graphile_worker.add_job('hold') from generate_series(1, 5)`;
  await eventually(() => expect(running).toBe(5));
});

it('a connection that was given back, or that an ended pool did not give, can be given back without an error', async () => {
  const pool = openPool(service.databaseUrl, false);
  const connect = () =>
    new Promise<{ error: Error | undefined; release: () => void }>((resolve) =>
      pool.connect((error, _, release) => resolve({ error, release })),
    );
  const given = await connect();
  given.release();
  given.release();
  await pool.end();
  const refused = await connect();
  expect(refused.error?.message).toContain('after calling end');
  refused.release();
});

it('the jobs of a worker that has ended are unlocked two minutes after it took them, except of tasks that may take longer', async () => {
  const { prisma } = service.database;
  await prisma.$executeRaw`delete from graphile_worker._private_jobs`;
  const aHeldJob = async (task: string, pool: string, seconds: number) => {
    await prisma.$executeRaw`select graphile_worker.add_job(${task}, queue_name => ${`queue of ${pool}`})`;
    await prisma.$executeRaw`
      update graphile_worker._private_jobs set locked_by = ${pool}, locked_at = now() - ${seconds} * interval '1 second' where locked_by is null`;
    await prisma.$executeRaw`
      update graphile_worker._private_job_queues set locked_by = ${pool}, locked_at = now() where queue_name = ${`queue of ${pool}`}`;
  };
  await aHeldJob('mail', 'dead', 130);
  await aHeldJob('mail', 'living', 110);
  await aHeldJob('long', 'patient', 500);
  const locked = async () => {
    const jobs = await prisma.$queryRaw<{ pool: string }[]>`
      select locked_by as pool from graphile_worker.jobs where locked_by is not null order by 1`;
    const queues = await prisma.$queryRaw<{ pool: string }[]>`
      select locked_by as pool from graphile_worker._private_job_queues where locked_by is not null order by 1`;
    return [jobs, queues].map((rows) => rows.map(({ pool }) => pool));
  };
  expect(await locked()).toEqual([
    ['dead', 'living', 'patient'],
    ['dead', 'living', 'patient'],
  ]);
  await unlockJobsOfDeadWorkers(service.database, ['long']);
  expect(await locked()).toEqual([
    ['living', 'patient'],
    ['living', 'patient'],
  ]);
});
