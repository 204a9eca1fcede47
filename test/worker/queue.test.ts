import { once } from 'node:events';
import { createServer } from 'node:net';
import pino from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { hoursToMs } from '../../src/core/clock.ts';
import { makeId } from '../../src/core/ids.ts';
import { makeMailer } from '../../src/worker/send-mail.ts';
import { age, budgetRow, keyBudget } from '../support/budgets.ts';
import { makeClient } from '../support/client.ts';
import { useTestService } from '../support/service.ts';
import { useMailServer } from '../support/mail-server.ts';
import { anEmail, aTeam } from '../support/team.ts';
import { openWire } from '../support/wire.ts';
import { patience } from '../support/patience.ts';
import { aWorker, silentLog } from '../support/worker.ts';
import { unlockJobsOfDeadWorkers } from '../../src/worker/other-jobs.ts';
import { allFetching, openQueuePool, startQueueRunner } from '../../src/worker/queue-runner.ts';
import { noopTelemetry } from '../../src/platform/telemetry/telemetry.ts';

const service = await useTestService({ own: true });
const mailServer = await useMailServer();

const Line = z.object({ level: z.string(), msg: z.string() });

const aMailingWorker = (databaseUrl = service.databaseUrl) =>
  aWorker(service, { databaseUrl, sendMail: makeMailer(mailServer.url, 'team@example.com') });

const raw = (sql: string) => service.database.prisma.$executeRawUnsafe(sql);
const connections = () => service.database.prisma.$queryRaw<unknown[]>`
  select 1 from pg_stat_activity where datname = current_database() and application_name = 'team-customer-api queue'`;
const isReceivedBy = (email: string) =>
  expect.poll(() => mailServer.received.filter(({ to }) => to === email)).toHaveLength(1);
const runTask = async (task: string) => {
  await raw(`select graphile_worker.add_job('${task}')`);
  const left = async () =>
    service.database.prisma.$queryRaw`select 1 from graphile_worker.jobs where task_identifier = ${task}`;
  await expect.poll(left).toEqual([]);
};

it.each([
  [[{ a: true }, { a: true }], { a: true }],
  [[{ a: false }, { a: true }], { a: false }],
  [[{ a: true }, { a: false }], { a: false }],
  [[{ a: true, b: true }, { a: true }], { a: true, b: false }],
])('of several queues %j, all fetch on these machines: %j', (queues, fetching) => {
  expect(allFetching(queues.map((byNode) => ({ isFetching: () => byNode, stop: async () => {} })))).toEqual(fetching);
});

describe('the queue', () => {
  it('continues after all its connections were cut', async () => {
    aMailingWorker();
    const team = await aTeam(service);
    const [before, after] = [anEmail(), anEmail()];
    await team.client.post('/users', { email: before });
    await isReceivedBy(before);
    await raw(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'team-customer-api queue'`,
    );
    await team.client.post('/users', { email: after });
    await isReceivedBy(after);
  });

  it('is started again and again until the database can be reached', async () => {
    // First a port where no server listens, and then a server that closes every connection.
    const closed = await openWire(service.databaseUrl);
    await closed.close();
    aMailingWorker(closed.url);
    const email = anEmail();
    await (await aTeam(service)).client.post('/users', { email });
    let tries = 0;
    const port = Number(new URL(closed.url).port);
    const refusing = createServer((socket) => {
      tries += 1;
      socket.destroy();
    }).listen(port, '127.0.0.1');
    await expect.poll(() => tries).toBeGreaterThan(1);
    refusing.close();
    await once(refusing, 'close');
    const wire = await openWire(service.databaseUrl, port);
    onTestFinished(() => wire.close());
    await isReceivedBy(email);
  });

  it('stops and leaves no connection, also while it is starting', async () => {
    for (const started of [false, true]) {
      const worker = aMailingWorker();
      if (started) await expect.poll(async () => (await connections()).length).toBeGreaterThan(0);
      await worker.stop();
      // The server needs a moment to notice that a connection was closed.
      await expect.poll(() => connections()).toEqual([]);
    }
  });

  it('stops while the database is unreachable', async () => {
    const worker = aWorker(service, { databaseUrl: 'postgresql://nobody@127.0.0.1:1/none' });
    await expect(worker.stop()).resolves.toBeUndefined();
  });
});

describe('the task that cleans up', () => {
  it('deletes answers after 24 hours and unused budgets, and nothing else', async () => {
    aMailingWorker();
    const team = await aTeam(service);
    const [old, used] = [await team.aKey(), await team.aKey()];
    for (const { text } of [old, used]) await makeClient(service.baseUrl, text).get('/me');
    await age(service, keyBudget(old.id), 11 * 60_000);
    const answers = () => service.database.prisma.idempotencyRecord.count({ where: { tenantId: team.id } });
    await team.client.post('/users', { email: anEmail() }, { headers: { 'Idempotency-Key': 'x' } });
    await runTask('clean_up');
    expect([
      await answers(),
      await budgetRow(service, keyBudget(old.id)),
      (await budgetRow(service, keyBudget(used.id)))?.used,
    ]).toEqual([1, undefined, 1]);
    service.clock.forward(hoursToMs(24));
    await runTask('clean_up');
    expect(await answers()).toBe(0);
  });

  it('removes jobs that were replaced while they ran and whose worker was lost, and no others', async () => {
    aMailingWorker();
    await raw(`select graphile_worker.add_job('of_no_worker', json_build_object('n', n), job_key => 'k' || n)
                 from generate_series(1, 3) n`);
    // Two are running. The first is replaced meanwhile, and its worker is lost; the second fails for good.
    await raw(
      `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'w', attempts = 1 where key in ('k1', 'k2')`,
    );
    await raw(`select graphile_worker.add_job('of_no_worker', json_build_object('n', 4), job_key => 'k1')`);
    await raw(`update graphile_worker._private_jobs set locked_at = null, locked_by = null where locked_by = 'w'`);
    await raw(`update graphile_worker._private_jobs set attempts = max_attempts where key = 'k2'`);
    const left = () => service.database.prisma.$queryRaw<{ n: number }[]>`
      select (payload ->> 'n')::int as n from graphile_worker._private_jobs where payload ->> 'n' is not null order by n`;
    expect(await left()).toEqual([1, 2, 3, 4].map((n) => ({ n })));
    await runTask('clean_up');
    expect(await left()).toEqual([2, 3, 4].map((n) => ({ n })));
  });

  it('deletes expired sessions', async () => {
    aMailingWorker();
    const team = await aTeam(service);
    const times = { createdAt: new Date(), updatedAt: new Date() };
    const { person } = await service.database.prisma.teamUser.findFirstOrThrow({
      where: { tenantId: team.id },
      select: { person: true },
    });
    const session = (token: string, expiresAt: Date) => ({
      id: makeId(),
      token,
      personId: person.id,
      expiresAt,
      ...times,
    });
    const hourAway = (count: number) => new Date(service.clock.now().getTime() + hoursToMs(count));
    await service.database.prisma.session.createMany({
      data: [session('over', hourAway(-1)), session('open', hourAway(1))],
    });
    await runTask('clean_up');
    const left = await service.database.prisma.session.findMany({ where: { personId: person.id } });
    expect(left.map(({ token }) => token)).toEqual(['open']);
  });
});

it('a queue without its database complains once about each failure, and not at every try', async () => {
  const wire = await openWire(service.databaseUrl);
  const lines: { level: string; msg: string }[] = [];
  const log = pino(
    { level: 'debug', formatters: { level: (level) => ({ level }) } },
    { write: (line) => void lines.push(Line.parse(JSON.parse(line))) },
  );
  let done = 0;
  const runner = startQueueRunner({
    database: service.database,
    databaseUrl: wire.url,
    log,
    telemetry: noopTelemetry(),
    options: {
      concurrency: 1,
      pollInterval: 10,
      taskList: { once: () => void (done += 1) },
      preset: { worker: { localQueue: { size: 1 } } },
    },
  });
  await service.database.prisma.$executeRaw`select graphile_worker.add_job('once')`;
  // A queue that can't record the end of a job stops and is started again, instead of fetching on.
  await vi.waitFor(async () => {
    const jobs = await service.database.prisma.$queryRaw`
      select 1 from graphile_worker.jobs where task_identifier = 'once'`;
    expect([done, jobs]).toEqual([1, []]);
  }, patience);
  await wire.close();
  const fetches = () => lines.filter(({ msg }) => msg.startsWith('Error occurred fetching jobs'));
  await expect.poll(() => fetches().length).toBeGreaterThan(5);
  expect(fetches().filter(({ level }) => level === 'error')).toHaveLength(1);

  const again = await openWire(service.databaseUrl, Number(new URL(wire.url).port));
  await runner.stop();
  await again.close();
});

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
    await expect.poll(() => done).toBe(expected);
  }
  await service.database.prisma.$executeRaw`select graphile_worker.add_job('hold') from generate_series(1, 5)`;
  await expect.poll(() => running).toBe(5);
});

it('a connection that was given back, or that an ended pool did not give, can be given back without an error', async () => {
  const pool = openQueuePool(service.databaseUrl, false);
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
  await aHeldJob('deliver', 'patient', 500);
  await aHeldJob('retention', 'counting', 500);
  // A process whose retention takes long has mails under way.
  await aHeldJob('retention', 'sweeping', 500);
  await aHeldJob('mail', 'sweeping', 30);
  // One of its jobs takes too long, but it goes on taking others.
  await aHeldJob('mail', 'slow', 500);
  await aHeldJob('mail', 'slow', 5);
  const locked = async () => {
    const jobs = await prisma.$queryRaw<{ pool: string }[]>`
      select distinct locked_by as pool from graphile_worker.jobs where locked_by is not null order by 1`;
    const queues = await prisma.$queryRaw<{ pool: string }[]>`
      select locked_by as pool from graphile_worker._private_job_queues where locked_by is not null order by 1`;
    return [jobs, queues].map((rows) => rows.map(({ pool }) => pool));
  };
  expect(await locked()).toEqual([
    ['counting', 'dead', 'living', 'patient', 'slow', 'sweeping'],
    ['counting', 'dead', 'living', 'patient', 'slow', 'sweeping'],
  ]);
  await unlockJobsOfDeadWorkers(service.database);
  expect(await locked()).toEqual([
    ['counting', 'living', 'patient', 'slow', 'sweeping'],
    ['counting', 'living', 'patient', 'slow', 'sweeping'],
  ]);
});
