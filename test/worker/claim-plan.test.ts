import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import type { Database } from '../../src/db/database.ts';
import { newId } from '../../src/core/ids.ts';
import { claim } from '../../src/webhooks/claim.ts';
import { anEndpointAt, anEvent } from '../support/deliveries.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { eventually } from '../support/eventually.ts';

let service: TestService;
let database: Database;
beforeAll(async () => {
  service = await startTestService();
  database = openDatabase(service.databaseUrl, { poolSize: 1, queue: true });
});
afterAll(() => service.close());

/** Pages of 8 KiB of the queue and its deliveries that were looked at so far. */
const touched = async (): Promise<number> => {
  const [row] = await service.database.prisma.$queryRaw<{ blocks: bigint }[]>`
    select sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read) as blocks
      from pg_statio_user_tables where relname = 'webhook_waiting' or relname like 'webhook_delivery_%'`;
  return Number(row?.blocks ?? 0);
};

it('a look touches a few pages, however many deliveries wait, and though it was planned while none did', async () => {
  const team = await aTeam(service);
  const { id } = await anEndpointAt(service, team, 'https://example.com/');
  const look = async () => {
    const asking = [{ tenantId: team.id, endpointId: id, claimId: newId(), places: 100 }];
    return (await claim({ ...service.platform, database }, asking, 8)).get(id)?.claimed ?? [];
  };
  await service.database.prisma.$executeRawUnsafe('analyze webhook_waiting');
  // After five plans of its own PostgreSQL keeps a general one: here for an empty queue.
  for (let looked = 0; looked < 10; looked += 1) expect(await look()).toEqual([]);
  for (let raised = 0; raised < 5_000; raised += 500) await anEvent(service, team, 500);
  expect(await look()).toHaveLength(8);

  await service.database.prisma.$executeRawUnsafe('vacuum webhook_waiting');
  const before = await touched();
  for (let looked = 0; looked < 50; looked += 1) expect(await look()).toEqual([]);
  // A connection tells what it did when it has been idle for a moment, or ends.
  await database.close();
  await eventually(async () => expect(await touched()).toBeGreaterThan(before));
  expect((await touched()) - before).toBeLessThan(50 * 60);
});
