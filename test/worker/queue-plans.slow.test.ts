import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import type { Database } from '../../src/db/database.ts';
import { newId } from '../../src/core/ids.ts';
import { claim } from '../../src/webhooks/claim.ts';
import { scheduleLanes, startFeeder } from '../../src/webhooks/feeder.ts';
import { anEndpointAt, anEvent, forgetDeliveries } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { silentLog } from '../support/worker.ts';

let service: TestService;
let database: Database;
beforeAll(async () => {
  service = await startTestService({ own: true });
  database = openDatabase(service.databaseUrl, { poolSize: 1, queue: true });
});
afterAll(async () => {
  await database.close();
  await service.close();
});

/** Pages of 8 KiB that the queue’s connection has read so far, without those of other connections and autovacuum. */
const touched = async (): Promise<number> => {
  await database.prisma.$queryRaw`select pg_stat_force_next_flush()::text`;
  const [row] = await database.prisma.$queryRaw<{ pages: number }[]>`
    select (sum(hits) + sum(reads))::int as pages from pg_stat_get_backend_io(pg_backend_pid())`;
  return row?.pages ?? 0;
};

it('a claim touches few pages, however many deliveries wait, even if it was planned while none did', async () => {
  const team = await aTeam(service);
  const { id } = await anEndpointAt(service, team, 'https://example.com/');
  const look = async () => {
    const asking = [{ tenantId: team.id, endpointId: id, claimId: newId(), used: 0, places: 100 }];
    return (await claim({ ...service.platform, database }, asking, 8)).get(id)?.claimed ?? [];
  };
  await service.database.prisma.$executeRawUnsafe('analyze webhook_waiting');
  // After five custom plans PostgreSQL keeps a generic one: here for an empty queue.
  for (let looked = 0; looked < 10; looked += 1) expect(await look()).toEqual([]);
  for (let raised = 0; raised < 5_000; raised += 500) await anEvent(service, team, 500);
  expect(await look()).toHaveLength(8);

  await service.database.prisma.$executeRawUnsafe('vacuum webhook_waiting');
  const before = await touched();
  for (let looked = 0; looked < 50; looked += 1) expect(await look()).toEqual([]);
  expect((await touched()) - before).toBeLessThan(50 * 100);
});

it('a lane’s job is added with few pages, however many jobs wait, even if that was planned while none did', async () => {
  const team = await aTeam(service);
  const { id } = await anEndpointAt(service, team, 'https://example.com/');
  const schedule = (endpointIds: readonly string[]) =>
    scheduleLanes(
      database,
      endpointIds.map((endpointId) => ({ tenantId: team.id, endpointId, inMs: 3_600_000 })),
    );
  const { webhookEndpoint } = service.database.prisma;
  const first = await webhookEndpoint.findUniqueOrThrow({ where: { tenantId_id: { tenantId: team.id, id } } });
  const others = Array.from({ length: 3_000 }, () => newId());
  await webhookEndpoint.createMany({ data: others.map((other) => ({ ...first, id: other })) });
  await service.database.prisma.$executeRawUnsafe('vacuum analyze graphile_worker._private_jobs');
  await schedule([id]);
  await schedule(others);

  const before = await touched();
  for (let added = 0; added < 20; added += 1) await schedule([id]);
  expect((await touched()) - before).toBeLessThan(20 * 60);
});

it('a feeding touches few pages, however many rows and jobs wait, even if it was planned while none did', async () => {
  await forgetDeliveries(service);
  const { prisma } = service.database;
  const team = await aTeam(service);
  const { id } = await anEndpointAt(service, team, 'https://example.com/');
  await prisma.$executeRawUnsafe('vacuum analyze graphile_worker._private_jobs, webhook_waiting');
  let looks = 0;
  const lanes = {
    endpointIds() {
      looks += 1;
      return [];
    },
    justEnded: () => [],
    lookAgain: () => true,
  };
  const feeder = startFeeder({ platform: { ...service.platform, database }, log: silentLog, lanes });
  const looked = async (times: number) => {
    const until = looks + times;
    await eventually(() => {
      feeder.wake();
      expect(looks).toBeGreaterThan(until);
    });
  };
  try {
    await looked(10);
    await prisma.$executeRaw`
      insert into graphile_worker._private_jobs (task_id, key, run_at)
      select (select min(id) from graphile_worker._private_tasks), 'other:' || n, now() + interval '1 day' from generate_series(1, 10000) as n`;
    for (let raised = 0; raised < 5_000; raised += 500) await anEvent(service, team, 500);
    await eventually(async () => expect(await prisma.webhookWaiting.count({ where: { hasJob: false } })).toBe(0));
    await prisma.$executeRawUnsafe('vacuum webhook_waiting');
    await prisma.$executeRaw`
      update graphile_worker._private_jobs set locked_by = 'another', locked_at = now() + interval '1 minute' where key = ${`deliver:${id}`}`;
    await anEvent(service, team);
    const before = await touched();
    await looked(20);
    const pages = (await touched()) - before;
    expect(pages).toBeLessThan(20 * 100);
    expect(await prisma.webhookWaiting.count({ where: { hasJob: false } })).toBe(1);
  } finally {
    await feeder.stop();
  }
});
