import { expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import type { Egress } from '../../src/egress/egress.ts';
import { aDispatcher, anEndpointAt } from '../support/deliveries.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';

const service = await useTestService({ own: true });
const team = await aTeam(service);

it('1,000 due at once: none lost, none twice, never more running than there are slots', async () => {
  const endpoints = await Promise.all(
    Array.from({ length: 100 }, () => anEndpointAt(service, team, 'https://example.com/')),
  );
  await service.database.prisma.webhookWaiting.deleteMany();
  const eventId = makeId();
  await service.database.prisma.webhookEvent.create({
    data: { tenantId: team.id, id: eventId, type: 'ping', data: '{}', createdAt: new Date() },
  });
  const { prisma } = service.database;
  await prisma.$transaction(
    async (tx) => {
      await tx.$executeRaw`
    with made as (
      select gen_random_uuid() as random, e as endpoint_id
        from unnest(${endpoints.map(({ id }) => id)}::uuid[]) as e, generate_series(1, 10)),
    ids as (select (left(${eventId}, 13) || right(random::text, 23))::uuid as id, endpoint_id from made),
    waiting as (insert into webhook_waiting (tenant_id, delivery_id, endpoint_id, due_at)
                select ${team.id}::uuid, id, endpoint_id, now() - interval '1 second' from ids)
    insert into webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, next_try_at, created_at)
    select ${team.id}::uuid, id, endpoint_id, ${eventId}::uuid, 'ping', now(), now() from ids`;
      // Autovacuum runs before the crowd is committed, so PostgreSQL believes that both tables are empty.
      await prisma.$executeRaw`analyze webhook_waiting`;
      await prisma.$executeRaw`analyze webhook_delivery`;
    },
    { timeout: 60_000 },
  );
  const sent = new Map<string, number>();
  let inFlight = 0;
  let max = 0;
  const egress: Egress = {
    vet: (url) => Promise.resolve({ allowed: true, url }),
    textsOf: () => Promise.resolve([]),
    post: async ({ headers }) => {
      inFlight += 1;
      max = Math.max(max, inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      inFlight -= 1;
      sent.set(String(headers['Svc-Event-Id']), (sent.get(String(headers['Svc-Event-Id'])) ?? 0) + 1);
      return { startedAt: new Date(), ms: 1, code: 200, headers: {}, excerpt: '', error: null, fault: null };
    },
    fetch: () => Promise.reject(new Error('nothing is fetched')),
    close: () => Promise.resolve(),
  };
  await aDispatcher(service, { egress, concurrency: 100, perEndpoint: 8 });
  // The tests' server has no autovacuum, which would count the rows within a minute.
  await expect.poll(() => sent.size, { timeout: 60_000 }).toBeGreaterThan(0);
  await prisma.$executeRaw`analyze webhook_waiting, webhook_delivery`;
  await expect.poll(() => service.database.prisma.webhookWaiting.count(), { timeout: 100_000, interval: 200 }).toBe(0);
  expect([...sent.values()]).toEqual([1_000]);
  expect(max).toBeLessThanOrEqual(100);
  expect(await service.database.prisma.webhookDelivery.count({ where: { eventId, status: 'ok', attempt: 1 } })).toBe(
    1_000,
  );
});
