import { describe, expect, it, vi } from 'vitest';
import { deliverTasks } from '../../src/deliveries/outbox.ts';
import { jobs } from '../../src/platform/jobs.ts';
import { aDispatcher, anEvent, aReceivingEndpoint, deliveriesTo } from '../support/worker.ts';
import { useTestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import { patience } from '../support/patience.ts';

const service = await useTestService({ own: true });
const team = await aTeam(service);

describe('while PostgreSQL ends every connection of the workers again and again', () => {
  it('everything arrives, and nothing is left waiting', async () => {
    const endpoints = await Promise.all(Array.from({ length: 6 }, () => aReceivingEndpoint(service, team)));
    await aDispatcher(service);
    await aDispatcher(service);
    const rounds = 12;
    let killed = 0;
    for (let round = 1; round <= rounds; round += 1) {
      await anEvent(service, team, 5);
      // In the middle of the deliveries, at a different point each time.
      await Promise.all(endpoints.map(({ receiver }) => receiver.untilReceived((round - 1) * 5 + (round % 5))));
      const [ended] = await service.database.prisma.$queryRaw<{ count: number }[]>`
        select count(pg_terminate_backend(pid))::int as count from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()
           and (application_name = 'team-customer-api queue' or query like '%webhook_waiting%')`;
      killed += ended?.count ?? 0;
    }
    expect(killed).toBeGreaterThan(rounds);
    const { prisma } = service.database;
    await expect.poll(() => prisma.webhookWaiting.count()).toBe(0);
    for (const { receiver, id } of endpoints) {
      expect(new Set(receiver.received.map(({ headers }) => headers['svc-event-id'])).size).toBe(rounds * 5);
      expect(new Set((await deliveriesTo(service, id)).map(({ status }) => status))).toEqual(new Set(['ok']));
    }
    // Jobs whose end was not recorded are still locked, or were replaced while they ran; no other is left.
    const jobsLeft = () => prisma.$queryRaw<unknown[]>`
      select key from graphile_worker.jobs where task_identifier = any(${Object.values(deliverTasks)}) and locked_at is null`;
    await vi.waitFor(async () => {
      await jobs.removeReplaced(service.database);
      expect(await jobsLeft()).toEqual([]);
    }, patience);
  });
});
