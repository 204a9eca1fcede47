import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import type { Database } from '../../src/db/database.ts';
import { feedForgottenLanes, scheduleLanes } from '../../src/webhooks/feeder.ts';
import { freeAbandonedJobs } from '../../src/worker/abandoned-jobs.ts';
import {
  aDispatcher,
  anEvent,
  aReceivingEndpoint,
  deliveriesTo,
  forgetDeliveries,
  waitingFor,
} from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { startTestService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { aTeam } from '../support/team.ts';
import type { TestTeam } from '../support/team.ts';
import { aRun, lanesWithoutRunner } from '../support/worker.ts';

let service: TestService;
let team: TestTeam;
let database: Database;
beforeAll(async () => {
  service = await startTestService({ own: true });
  team = await aTeam(service);
  database = openDatabase(service.databaseUrl, { poolSize: 5, queue: true });
});
afterAll(async () => {
  await database.close();
  await service.close();
});
beforeEach(() => forgetDeliveries(service));

const laneJobs = () => service.database.prisma.$queryRaw<{ key: string; inMs: number }[]>`
  select key, (extract(epoch from run_at - now()) * 1000)::float8 as "inMs" from graphile_worker.jobs`;

const lost = () => Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });

/** A database that commits the first statement with this text, and loses the connection before the answer arrives. */
const losingAnswerOf = (part: string): Database => {
  let lose = true;
  return {
    ...database,
    async rows(statement, ...values) {
      const rows = await database.rows(statement, ...values);
      if (!lose || !statement.text.includes(part)) return rows;
      lose = false;
      throw lost();
    },
  };
};

const lanesAt = (lossy: Database) =>
  lanesWithoutRunner(service, {
    database: lossy,
    settings: { retrySeconds: [5], concurrency: 64, perEndpoint: 8 },
  });

const jobOf = (endpointId: string) => ({ tenantId: team.id, endpointId, host: '127.0.0.1', throttled: false });

describe('a committed statement whose answer was lost', () => {
  it('that claimed: its lane continues when the lease ends', async () => {
    const { id } = await aReceivingEndpoint(service, team);
    const lanes = await lanesAt(losingAnswerOf('set claim_id = locked.claim_id'));
    await anEvent(service, team, 3);
    await eventually(async () => expect(await laneJobs()).toHaveLength(1));
    await service.database.prisma.$executeRaw`delete from graphile_worker._private_jobs`;
    await lanes.run(jobOf(id), aRun('1'));
    const waiting = await waitingFor(service, id);
    expect(waiting.map(({ claimId }) => claimId)).not.toContain(null);
    const [job] = await laneJobs();
    expect(job).toMatchObject({ key: `deliver:${id}` });
    expect(job?.inMs).toBeLessThanOrEqual(31_000);
  });

  it('that wrote a failed attempt: its lane continues at the next attempt', async () => {
    const { id } = await aReceivingEndpoint(service, team, { answer: () => ({ status: 500 }) });
    const lanes = await lanesAt(losingAnswerOf('insert into webhook_attempt'));
    await anEvent(service, team);
    await eventually(async () => expect(await laneJobs()).toHaveLength(1));
    await service.database.prisma.$executeRaw`delete from graphile_worker._private_jobs`;
    await lanes.run(jobOf(id), aRun('1'));
    expect(await deliveriesTo(service, id)).toMatchObject([{ status: 'failed', attempt: 1 }]);
    const [job] = await laneJobs();
    expect(job).toMatchObject({ key: `deliver:${id}` });
    expect(job?.inMs).toBeLessThanOrEqual(6_000);
  });
});

describe('a job that the queue starts once more while it runs', () => {
  it('ends when its first run ends, not before: until then it would restart the lane after a crash', async () => {
    let letGo = () => {};
    const answering = new Promise<void>((resolve) => (letGo = resolve));
    const { receiver, id } = await aReceivingEndpoint(service, team, {
      answer: () => answering.then(() => ({ status: 200 })),
    });
    const lanes = await lanesAt(database);
    await anEvent(service, team);
    const over: string[] = [];
    const first = lanes.run(jobOf(id), aRun('1')).then(() => over.push('first'));
    await receiver.untilReceived(1);
    const again = lanes.run(jobOf(id), aRun('1')).then(() => over.push('again'));
    const another = lanes.run(jobOf(id), aRun('2')).then(() => over.push('another'));
    await another;
    letGo();
    await Promise.all([first, again]);
    expect(over).toEqual(['another', 'first', 'again']);
  });
});

describe('a lane with a long overdue row', () => {
  const due = (endpointId: string, minutesAgo: number) =>
    service.database.prisma.webhookWaiting.updateMany({
      where: { endpointId },
      data: { hasJob: true, dueAt: new Date(service.clock.now().getTime() - minutesAgo * 60_000) },
    });
  const unfed = async (endpointId: string) =>
    (await waitingFor(service, endpointId)).filter(({ hasJob }) => !hasJob).length;

  it('and without a job gets one again', async () => {
    const { id, receiver } = await aReceivingEndpoint(service, team);
    await anEvent(service, team, 3);
    await due(id, 5);
    await feedForgottenLanes(service.platform);
    expect(await unfed(id)).toBe(1);
    await aDispatcher(service);
    await receiver.untilReceived(3);
  });

  it('is left alone while it has a job, while it is not overdue for long, and while its endpoint is disabled', async () => {
    const [waits, fresh, disabled] = [
      await aReceivingEndpoint(service, team),
      await aReceivingEndpoint(service, team),
      await aReceivingEndpoint(service, team),
    ];
    await anEvent(service, team);
    await service.database.prisma.webhookEndpoint.update({
      where: { tenantId_id: { tenantId: team.id, id: disabled.id } },
      data: { status: 'disabled' },
    });
    await due(waits.id, 5);
    await scheduleLanes(database, [{ tenantId: team.id, endpointId: waits.id, inMs: 60_000 }]);
    await due(fresh.id, 1);
    await due(disabled.id, 5);
    await feedForgottenLanes(service.platform);
    for (const { id } of [waits, fresh, disabled]) expect(await unfed(id)).toBe(0);
  });
});

describe('while PostgreSQL ends every connection of the workers again and again', () => {
  it('everything arrives, nothing is left waiting, and no job stays locked', async () => {
    const endpoints = await Promise.all(Array.from({ length: 6 }, () => aReceivingEndpoint(service, team)));
    await aDispatcher(service);
    await aDispatcher(service);
    const rounds = 12;
    let killed = 0;
    for (let round = 1; round <= rounds; round += 1) {
      await anEvent(service, team, 5);
      // In the middle of the deliveries, at a different point each time.
      await Promise.all(endpoints.map(({ receiver }) => receiver.untilReceived((round - 1) * 5 + (round % 5), 60_000)));
      const [ended] = await service.database.prisma.$queryRaw<{ count: number }[]>`
        select count(pg_terminate_backend(pid))::int as count from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()
           and (application_name = 'team-customer-api queue' or query like '%webhook_waiting%')`;
      killed += ended?.count ?? 0;
    }
    expect(killed).toBeGreaterThan(rounds);
    const { prisma } = service.database;
    const within = { timeout: 120_000, interval: 100 };
    await vi.waitFor(async () => expect(await prisma.webhookWaiting.count()).toBe(0), within);
    for (const { receiver, id } of endpoints) {
      expect(new Set(receiver.received.map(({ headers }) => headers['svc-event-id'])).size).toBe(rounds * 5);
      expect(new Set((await deliveriesTo(service, id)).map(({ status }) => status))).toEqual(new Set(['ok']));
    }
    // As the runner of a worker's other jobs does it every few seconds.
    const jobsLeft = () => freeAbandonedJobs(service.database).then(laneJobs);
    await vi.waitFor(async () => expect(await jobsLeft()).toEqual([]), within);
  }, 300_000);
});
