import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openQueuePool } from '../../src/db/queue-pool.ts';
import { startQueueRunner } from '../../src/worker/queue-runner.ts';
import { eventually } from '../support/eventually.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { silentLog } from '../support/worker.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ own: true });
});
afterAll(() => service.close());

const newJobs = 'jobs:insert';

/** The payloads that a pool's connection gets, by channel. */
const listening = async (options: { calm: boolean }) => {
  const pool = openQueuePool(service.databaseUrl, options);
  const client = await pool.connect();
  onTestFinished(async () => {
    client.release(true);
    await pool.end();
  });
  const payloads: Record<string, string[]> = { [newJobs]: [], other: [] };
  client.on('notification', ({ channel, payload = '' }) => payloads[channel]?.push(payload));
  await client.query(`listen "${newJobs}"; listen other`);
  return payloads;
};

const notify = (channel: string, payload: string) =>
  service.database.prisma.$executeRaw`select pg_notify(${channel}, ${payload})`;
const announce = (count: number) => notify(newJobs, JSON.stringify({ r: '0.5', count }));

it('a calm pool gets the first announcement of new jobs at once, some of those that follow, and each as one job', async () => {
  const [calm, usual] = [await listening({ calm: true }), await listening({ calm: false })];
  await announce(2);
  await eventually(() => expect(calm[newJobs]).toEqual(['{"count":1}']));
  const begin = performance.now();
  while (performance.now() < begin + 30) {
    await announce(-1);
    await announce(1);
    await announce(7);
    await announce(3);
    await notify('other', 'x');
  }
  await notify('other', 'last');
  const announcing = (payloads: Record<string, string[]>) =>
    payloads[newJobs]?.filter((text) => !text.includes('-1')) ?? [];
  await eventually(() => {
    expect(calm['other']?.at(-1)).toBe('last');
    expect(usual['other']).toEqual(calm['other']);
    expect(announcing(calm).length).toBeGreaterThan(1);
  });
  const rounds = (usual['other']?.length ?? 0) - 1;
  expect(announcing(usual)).toHaveLength(1 + 3 * rounds);
  expect(announcing(calm).length).toBeLessThan(announcing(usual).length);
  expect(new Set(announcing(calm))).toEqual(new Set(['{"count":1}']));
});

it('jobs that are added together start together, although not all of them are announced to a calm runner', async () => {
  let running = 0;
  let done = 0;
  const all = Promise.withResolvers<void>();
  const runner = startQueueRunner({
    database: service.database,
    databaseUrl: service.databaseUrl,
    log: silentLog,
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
  const pool = openQueuePool(service.databaseUrl);
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
